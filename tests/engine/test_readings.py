"""Small graphs for docs/engine.md, "Semantics", one sentence each: for the core and for the reference."""

from collections.abc import Mapping

import pytest

from engine.catalogue import Json
from tests.engine import reference
from tests.engine.strategies import NAMES, Case, Order
from tests.engine.telling import Told, play, told_by_core, told_by_page

BOOM = {"code": "Boom", "message": "It broke."}


def flow(*edges: str | Mapping[str, Json], **nodes: Mapping[str, Json]) -> dict[str, Json]:
    """A definition: "a>b" is an unconditional edge, a node is a noop unless something else is said of it."""
    drawn = [
        dict(zip(("from", "to"), e.split(">"), strict=True)) if isinstance(e, str) else {**e} for e in edges
    ]
    for edge in drawn:
        if "edge" in edge:
            edge["from"], edge["to"] = edge.pop("edge").split(">")
    names = dict.fromkeys([*nodes, *(edge[end] for edge in drawn for end in ("from", "to"))])
    listed = [{"id": name, "type": "noop", **nodes.get(name, {})} for name in sorted(names)]
    return {"name": "flow", "nodes": listed, "edges": drawn}


@pytest.fixture(params=["core", "reference"])
def end(request):
    """Plays a definition to its end; `script` has the outputs of steps, or BOOM; steps end in the order of it."""

    def ended(definition: dict[str, Json], at_once: int = 1, **script: Json) -> Told:
        outcomes = {
            name: ("failed", value) if value is BOOM else ("completed", value)
            for name, value in script.items()
        }
        order = Order((*script, *NAMES), (at_once,))
        case = Case(definition, {"n": 1}, outcomes, order, order)
        if request.param == "core":
            return told_by_core(play(case, order.pick()))
        return told_by_page(reference.interpret(definition, case.run_input, outcomes, order.pick()))

    return ended


def statuses(told: Told) -> str:
    """Each decided node with the first letters of its status."""
    return " ".join(f"{name}:{step[0][:2]}" for name, step in sorted(told["steps"].items()))


def given(told: Told, name: str) -> Json:
    """The input of a step."""
    return told["steps"][name][1]


DIAMOND = ("a>b", "a>c", "b>d", "c>d")


def test_a_join_is_given_the_outputs_of_the_taken_under_their_ids_even_of_only_one(end):
    told = end(flow({"edge": "a>b", "branch": "x"}, {"edge": "a>c", "branch": "y"}, "b>d", "c>d"),
               a={"branch": "x"}, b=2, d=4)  # fmt: skip

    assert statuses(told) == "a:CO b:CO c:SK d:CO"
    assert given(told, "d") == {"b": 2}
    assert told["output"] == 4


def test_several_edges_between_the_same_two_nodes_are_one_that_is_taken_if_any_of_them_is(end):
    told = end(
        flow({"edge": "a>b", "when": "output.n > 5"}, {"edge": "a>b", "when": "output.n > 0"}),
        a={"n": 1},
        b=2,
    )

    assert statuses(told) == "a:CO b:CO"
    assert given(told, "b") == {"n": 1}


def test_a_skip_goes_on_to_the_end_of_its_branch(end):
    told = end(flow({"edge": "a>b", "when": "output.ok"}, "b>c", "c>d", "a>e"), a={"ok": False}, e=5)

    assert statuses(told) == "a:CO b:SK c:SK d:SK e:CO"
    assert told["output"] == 5


@pytest.mark.parametrize(
    ("join", "expected"),
    [
        ("any_taken", "a:CO b:CO c:CO d:CO"),
        ("all", "a:CO b:CO c:CO d:SK"),
        ("any", "a:CO b:CO c:CO d:CO"),
        ({"n_of": 1}, "a:CO b:CO c:CO d:CO"),
        ({"n_of": 2}, "a:CO b:CO c:CO d:SK"),
    ],
)
def test_a_join_with_one_dead_edge_that_comes_first_is_decided_when_the_other_step_has_ended(
    end, join, expected
):
    told = end(flow("a>b", "a>c", "b>d", {"edge": "c>d", "when": "output.ok"}, d={"join": join}),
               a=1, c={"ok": False}, b=2, d=4)  # fmt: skip

    assert statuses(told) == expected
    assert told["status"] == ("FAILED" if "SK" in expected else "COMPLETED"), "JoinNeverFired"


@pytest.mark.parametrize(
    ("join", "inputs", "expected"),
    [
        ("any_taken", {"b": 2, "c": 3}, "a:CO b:CO c:CO d:CO"),
        ("all", {"b": 2, "c": 3}, "a:CO b:CO c:CO d:CO"),
        ("any", {"b": 2}, "a:CO b:CO c:CA d:CO"),
        ({"n_of": 2}, {"b": 2, "c": 3}, "a:CO b:CO c:CO d:CO"),
    ],
)
def test_a_join_whose_edges_are_all_taken(end, join, inputs, expected):
    told = end(flow(*DIAMOND, d={"join": join}), a=1, b=2, d=4, c=3)

    assert statuses(told) == expected
    assert given(told, "d") == inputs


def test_late_edges_into_a_fired_join_change_nothing(end):
    told = end(flow(*DIAMOND, "d>e", d={"join": "any"}), a=1, b=2, c=3, d=4, e=5)

    assert statuses(told) == "a:CO b:CO c:CO d:CO e:CO"
    assert given(told, "d") == {"b": 2}


def test_a_decision_takes_the_first_edge_that_holds_and_no_other(end):
    edges = [{"edge": "a>b", "when": "output.n > 5"}, {"edge": "a>c", "when": "output.n > 0"}, "a>d"]

    assert statuses(end(flow(*edges, a={"type": "decision"}), c=1)) == "a:CO b:SK c:CO d:SK"


def test_a_decision_asks_nothing_behind_the_first_edge_that_holds(end):
    edges = [{"edge": "a>b", "when": "output.n > 0"}, {"edge": "a>c", "when": "output.missing"}]

    assert statuses(end(flow(*edges, a={"type": "decision"}), b=1)) == "a:CO b:CO c:SK"


def test_a_decision_without_conditions_takes_its_first_edge(end):
    assert statuses(end(flow("a>b", "a>c", a={"type": "decision"}), b=1)) == "a:CO b:CO c:SK"


def test_a_default_edge_is_taken_only_if_no_condition_holds_wherever_it_stands(end):
    edges = [{"edge": "a>b", "default": True}, {"edge": "a>c", "branch": "x"}, "a>d"]

    assert statuses(end(flow(*edges), a={"branch": "x"}, c=1, d=1)) == "a:CO b:SK c:CO d:CO"
    assert statuses(end(flow(*edges), a={"branch": "z"}, b=1, d=1)) == "a:CO b:CO c:SK d:CO"


@pytest.mark.parametrize(
    ("output", "extra", "status"),
    [
        ({"branch": "z"}, {}, "FAILED"),
        ({"branch": None}, {}, "FAILED"),
        ({"branch": "z"}, {"allow_no_match": True}, "COMPLETED"),
        ({"other": "z"}, {}, "FAILED"),
        ("z", {}, "FAILED"),
        (None, {}, "FAILED"),
        ({"other": "z"}, {"allow_no_match": True}, "COMPLETED"),
    ],
)
def test_a_branch_that_no_edge_matches_fails_the_step_unless_that_is_allowed(end, output, extra, status):
    told = end(flow({"edge": "a>b", "branch": "x"}, "a>c", a=extra), a=output, c=1)

    assert told["status"] == status
    assert told["steps"]["a"][2] == ("NoBranchMatched" if status == "FAILED" else output)


def test_a_decision_that_nothing_matches_fails_even_without_a_branch_in_its_input(end):
    told = end(flow({"edge": "a>b", "when": "output.n > 5"}, a={"type": "decision"}))

    assert (told["status"], told["steps"]["a"][2]) == ("FAILED", "NoBranchMatched")


def test_a_condition_that_fails_fails_its_step_and_is_never_true(end):
    told = end(flow({"edge": "a>b", "when": "output.missing"}, "a>c"), a={"n": 1})

    assert (told["status"], told["steps"]["a"][2], statuses(told)) == ("FAILED", "ExpressionError", "a:FA")


def test_after_a_failure_with_continue_the_successors_see_the_error(end):
    edges = [
        "a>b",
        {"edge": "a>c", "when": 'output.error.code == "Boom"'},
        {"edge": "a>d", "when": "output.n > 0"},
    ]
    told = end(flow(*edges, a={"on_error": "continue"}), a=BOOM, b=2, c=3)

    assert statuses(told) == "a:FA b:CO c:CO d:SK"
    assert given(told, "b") == {"error": {"code": "Boom"}}


def test_after_a_failure_with_branch_only_the_error_edges_are_taken(end):
    edges = ["a>b", {"edge": "a>c", "on": "error"}]

    assert statuses(end(flow(*edges, a={"on_error": "branch"}), a=BOOM, c=3)) == "a:FA b:SK c:CO"
    assert statuses(end(flow(*edges, a={"on_error": "branch"}), a=1, b=2)) == "a:CO b:CO c:SK"


def test_a_step_with_only_error_edges_is_a_sink_and_so_is_what_handles_its_error(end):
    told = end(flow({"edge": "a>b", "on": "error"}, a={"on_error": "branch"}), a=1)

    assert (statuses(told), told["output"]) == ("a:CO b:SK", 1)
    told = end(flow({"edge": "a>b", "on": "error"}, a={"on_error": "branch"}), a=BOOM, b=2)
    assert (statuses(told), told["output"]) == ("a:FA b:CO", 2)


def test_a_run_has_the_outputs_of_its_completed_sinks_under_their_ids_or_that_of_the_only_one_or_null(end):
    handled = {"on_error": "continue"}

    assert end(flow("a>b", "a>c"), a=1, b=2, c=3)["output"] == {"b": 2, "c": 3}
    assert end(flow("a>b", "a>c", b=handled), a=1, b=BOOM, c=3)["output"] == 3
    assert end(flow("a>b", b=handled), a=1, b=BOOM)["output"] is None


def test_a_failing_run_cancels_what_is_queued_and_awaits_what_runs_without_following_its_edges(end):
    told = end(flow("a>b", "c>d", e={}), at_once=2, a=BOOM, c=3, e=5)

    assert told["status"] == "FAILED"
    assert statuses(told) == "a:FA c:CO e:CA"


def test_what_follows_from_an_outcome_is_finished_before_a_failure_in_it_fails_the_run(end):
    broken = {"type": "transform", "params": {"set": {"x": "{{ prev.missing }}"}}}
    fine = {"type": "transform", "params": {"set": {"x": 1}}}
    told = end(flow("a>b", "a>c", "c>d", b=broken, c=fine), a={"n": 1})

    assert told["status"] == "FAILED"
    assert statuses(told) == "a:CO b:FA c:CO d:CA"


def test_engine_steps_and_conditions_see_what_came_before_them_in_the_same_breath(end):
    reading = {"type": "transform", "params": {"set": {"n": "{{ steps.a.output.n }}", "was": "{{ prev.n }}"}}}
    edges = [
        "a>b",
        {"edge": "b>c", "when": "prev.n == 7"},
        {"edge": "b>d", "when": "steps.b.output.was == 8"},
    ]
    told = end(flow(*edges, b=reading), a={"n": 7}, c=3)

    assert statuses(told) == "a:CO b:CO c:CO d:SK"
    assert given(told, "c") == {"n": 7, "was": 7}


def test_a_mapping_that_fails_fails_its_step_with_the_input_it_had(end):
    told = end(
        flow("a>b", "b>c", b={"input": {"x": "{{ prev.missing }}"}, "on_error": "continue"}), a={"n": 1}, c=3
    )

    assert told["steps"]["b"] == ("FAILED", {"n": 1}, "ExpressionError")
    assert statuses(told) == "a:CO b:FA c:CO"


def test_when_a_run_is_over_early_what_still_runs_is_cancelled_and_its_outcome_dropped(end):
    told = end(flow(*DIAMOND, d={"join": "any", "type": "decision"}), at_once=2, a=1, b=2, c=3)

    assert (told["status"], told["output"]) == ("COMPLETED", {"b": 2})
    assert statuses(told) == "a:CO b:CO c:CA d:CO"


def test_a_step_that_its_own_conditions_failed_shows_its_error_under_its_name_too(end):
    edges = [{"edge": "a>b", "when": "output.n"}, {"edge": "a>c", "when": "steps.a.output.n == 1"}, "a>d"]
    told = end(flow(*edges, a={"on_error": "continue"}), a={"n": 1}, c=3, d=4)

    assert statuses(told) == "a:FA b:SK c:SK d:CO"
