"""What steps set of a run's variables, in memory; and what `validate` says of who sets and reads them."""

import pytest

from engine.graph import compile_graph
from engine.outcomes import Completed, Failed
from engine.renaming import rename_step
from engine.simulate import simulate
from engine.surroundings import Sample, Spot
from engine.surroundings_within import surroundings
from engine.validate import validate
from steps.catalogue import CATALOGUE
from tests.factories import graph


def sets(name, **values):
    return {"id": name, "type": "noop", "set_vars": values}


def warned(definition, code):
    """Where it warns so, and of what."""
    return [
        (one.node, one.message.split("`")[-2]) for one in validate(definition, CATALOGUE) if one.code == code
    ]


def test_what_a_worker_sets_is_overruled_by_its_step():
    definition = graph(
        [sets("a", x="{{ output }}"), {"id": "b", "input": {"x": "{{ vars.x }}", "y": "{{ vars.y }}"}}],
        ["a>b"],
    )
    state = simulate(
        compile_graph(definition, CATALOGUE), None, {"a": Completed(7, {"x": 1, "y": 2}), "b": Completed(0)}
    )

    assert state.steps["b"].input == {"x": 7, "y": 2}
    assert state.variables == {"x": 7, "y": 2}


def test_a_step_that_fails_or_leads_nowhere_sets_none():
    nowhere = graph(
        [sets("a", x=1) | {"on_error": "continue"}, "b"], [{"from": "a", "to": "b", "branch": "no"}]
    )
    for definition, outcome in (
        (graph([sets("a", x=1)], []), Failed({"code": "Boom"})),
        (nowhere, Completed(0)),
    ):
        state = simulate(compile_graph(definition, CATALOGUE), None, {"a": outcome, "b": Completed(0)})
        assert state.variables == {}


DECISION = [
    {"id": "d", "type": "decision"},
    sets("x", n=1),
    sets("y", n=2),
]
CHOOSES = [{"from": "d", "to": "x", "when": "input.ok"}, {"from": "d", "to": "y", "default": True}]
BOTH = {"from": "d", "to": "both", "when": "input.no"}
MAPPED = {"type": "map", "params": {"items": [1], "body": {"steps": [sets("one", n="{{ item }}")]}}}
ROUNDS = {"type": "loop", "params": {"count": 2, "body": {"steps": [sets("one", n="{{ item }}")]}}}


@pytest.mark.parametrize(
    ("definition", "warnings"),
    [
        (graph([sets("a", n=1), sets("b", n=2)], ["a>b"]), []),
        (graph(["s", sets("a", n=1), sets("b", n=2)], ["s>a", "s>b"]), [("b", "n")]),
        (graph(["s", sets("a", n=1), sets("b", m=2)], ["s>a", "s>b"]), []),
        (graph(DECISION, CHOOSES), []),
        (
            graph(
                [*DECISION, "both"],
                [*CHOOSES, {"from": "d", "to": "both", "when": "input.no"}, "both>x", "both>y"],
            ),
            [("y", "n")],
        ),
        (
            graph(
                [sets("a", m=1) | {"on_error": "branch"}, sets("ok", n=1), sets("bad", n=2)],
                ["a>ok", {"from": "a", "to": "bad", "on": "error"}],
            ),
            [],
        ),
        (graph([{"id": "each", **MAPPED}], []), [("each", "n")]),
        (graph([{"id": "again", **ROUNDS}, sets("after", n=2)], ["again>after"]), []),
    ],
)
def test_who_sets_one_beside_somebody_else_is_warned_of(definition, warnings):
    assert warned(definition, "variables_overlap") == warnings


@pytest.mark.parametrize(
    ("reads", "is_known"),
    [
        ("vars.price", True),
        ("vars.inner", True),
        ("vars.prise", False),
        ("has(vars.other) ? 1 : 0", True),
        ("vars.other.deep", False),
    ],
)
def test_a_variable_that_nobody_sets_is_warned_of(reads, is_known):
    body = {
        "steps": [
            sets("one", inner="{{ item }}"),
            {"id": "two", "type": "noop", "input": {"p": "{{ " + reads + " }}"}},
        ]
    }
    each = {"id": "each", "type": "map", "params": {"items": [1], "body": body}}
    definition = graph([sets("a", price=1), each], ["a>each"])
    assert bool(warned(definition, "unknown_variable")) is not is_known


def test_where_a_worker_may_set_any_nothing_is_unknown():
    reading = {"id": "b", "input": {"p": "{{ vars.price }}"}}
    assert warned(graph(["a", reading], ["a>b"]), "unknown_variable") == [("b", "price")]
    assert warned(graph([{"id": "a", "type": "job"}, reading], ["a>b"]), "unknown_variable") == []


def test_a_step_that_gets_another_id_is_followed_in_what_is_set():
    found = rename_step(
        graph(["a", sets("b", n="{{ steps.a.output.n }}")], ["a>b"]), "a", "first", catalogue=CATALOGUE
    )
    assert found.definition["nodes"][1]["set_vars"] == {"n": "{{ steps.first.output.n }}"}


def test_variables_are_among_what_can_be_read_with_what_a_sample_makes_of_them():
    definition = graph([sets("a", n="{{ output.n * 2 }}"), sets("b", m=1), "c"], ["a>c", "b>c"])
    around = surroundings(definition, CATALOGUE, Sample({}, {"a": {"n": 4}}))
    known = {
        value.path: (value.sample, value.origin, value.always) for value in around.known(Spot("params", "c"))
    }

    assert known["vars", "n"] == (8, "Do nothing (a)", False) or known["vars", "n"] == (
        8,
        "Do nothing (a)",
        True,
    )
    assert ("vars", "m") in known
    assert around.scope(Spot("params", "c"))["vars"] == {"n": 8}
    assert ("vars", "n") not in {value.path for value in around.known(Spot("params", "a"))}
    assert ("output",) in {value.path for value in around.known(Spot("set_vars", "a"))}
