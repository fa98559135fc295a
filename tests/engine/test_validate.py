"""`validate`: every rule has an invalid fixture and a row in docs/validation.md; it never raises (R-023, R-027)."""

import json
import re
from pathlib import Path
from typing import get_args

import pytest

from engine.definition import Definition
from engine.problems import Code
from engine.validate import Limits, validate
from tests.engine.spec_samples import EXTENDED, definition, edge, node

ROOT = Path(__file__).parents[2]
FIXTURES = Path(__file__).parent / "fixtures/invalid"
INVALID = {path.stem: json.loads(path.read_text()) for path in FIXTURES.glob("*.json")}
CODES = set(get_args(Code))

ORDER_FULFILMENT = {
    "name": "order_fulfillment",
    "title": "Order fulfilment",
    "description": "Charges, ships, and tells people.",
    "metadata": {"owner": ["shop", 7]},
    "input_schema": {"type": "object", "required": ["order_id"]},
    "sla_seconds": 3600,
    "business_key": "{{ input.order_id }}",
    "next_workflow": "after_sales",
    "nodes": [
        {
            "id": "charge",
            "type": "http.request",
            "title": "Charge the card",
            "params": {
                "method": "POST",
                "url": "https://pay.example/charges",
                "json": {"order": "{{ input.order_id }}"},
            },
            "retry": {
                "max_retries": 3,
                "base_seconds": 2,
                "factor": 2,
                "max_seconds": 300,
                "jitter": 0.1,
                "non_retryable": ["CardDeclined"],
            },
            "timeout_seconds": 60,
            "lease_seconds": 30,
            "queue": "blocking",
            "priority": 0,
            "on_error": "branch",
            "compensate": {
                "type": "http.request",
                "params": {"method": "POST", "url": "https://pay.example/refunds"},
                "retry": "minutes",
            },
            "compensate_on_unknown": True,
        },
        {"id": "check", "type": "decision", "allow_no_match": False},
        {"id": "premium", "type": "job", "input": {"amount": "{{ prev.body.amount * 1.5 }}"}},
        {
            "id": "review",
            "type": "human.approval",
            "params": {"due_seconds": 60},
            "boundary_timers": [{"after_seconds": 60, "interrupting": False, "to": "tell_support"}],
        },
        {"id": "plain", "type": "noop", "retry": "none"},
        {"id": "tell_support", "type": "noop", "secrets": ["token"], "join": "any"},
        {"id": "done", "type": "noop", "join": {"n_of": 1}},
    ],
    "edges": [
        {"from": "charge", "to": "check"},
        {"from": "check", "to": "premium", "branch": "premium"},
        {"from": "check", "to": "review", "when": "output.status == 200 && output.body.amount > 1000"},
        {"from": "check", "to": "plain", "default": True},
        {"from": "charge", "to": "tell_support", "on": "error"},
        {"from": "premium", "to": "done"},
        {"from": "plain", "to": "done"},
    ],
    "output": {"receipt": "{{ has(steps.charge) ? steps.charge.output.body.receipt : null }}"},
}


def found(document, **limits):
    return validate(document, EXTENDED, Limits(**limits))


def codes(document):
    return [problem.code for problem in found(document)]


@pytest.mark.parametrize("code", sorted(INVALID))
def test_each_invalid_fixture_has_its_problem_and_no_other(code):
    case = INVALID[code]
    problems = found(case["document"], **case.get("limits", {}))
    expected = (code, case["problem"]["severity"], case["problem"]["node"], case["problem"]["field"])
    assert [(p.code, p.severity, p.node, p.field) for p in problems] == [expected]
    assert re.fullmatch(r"\S.*\.", problems[0].message), "a message is one sentence"


# Found by judges of what there is.
ERRORS = ("four_eyes_out_of_reach", "nobody_may_decide", "quorum_out_of_reach", "unknown_workflow")
ASKS = ("asks_who_starts", "asks_outside_folder")
ELSEWHERE = ("calendar_elsewhere", "queue_without_topic", "withdrawn_version")
WARNINGS = ("requester_may_not_decide", "unknown_calendar", "unpublished_workflow", *ASKS)
OF_A_TENANT = dict.fromkeys((*ERRORS, *ELSEWHERE), "error") | dict.fromkeys(WARNINGS, "warning")


def test_every_code_has_a_fixture():
    assert set(INVALID) == CODES - OF_A_TENANT.keys()


def test_every_code_is_documented_with_its_severity():
    rows = re.findall(r"^\| `(\w+)` \| (error|warning) \|", (ROOT / "docs/validation.md").read_text(), re.M)
    assert dict(rows) == {code: case["problem"]["severity"] for code, case in INVALID.items()} | OF_A_TENANT


def test_a_definition_with_every_field_of_the_design_has_no_problem_but_what_has_no_effect_yet():
    assert {problem.code for problem in found(ORDER_FULFILMENT)} == {"not_yet", "without_effect"}
    assert Definition.model_validate(ORDER_FULFILMENT).nodes[0].compensate.retry == "minutes"


def test_all_problems_come_at_once_errors_first():
    document = {
        "name": "no blanks allowed",
        "colour": "red",
        "business_key": "{{ steps.a.output }}",
        "nodes": [
            {
                "id": "a",
                "type": "text.summarize",
                "params": {"sentences": 0, "more": 1},
                "lease_seconds": 90_000,
            },
            {"id": "a", "type": "unheard.of", "retry": {"max_retries": 101}},
            {"id": "3b", "type": "noop", "queue": "ticks", "input": {"x": "{{ steps.z.output }} {{ 1 + }}"}},
        ],
        "edges": [edge("a", "3b"), edge("3b", "a"), edge("a", "nowhere", on="error"), edge("a", "3b")],
    }
    problems = found(document)
    assert {problem.code for problem in problems} == {
        "bad_value", "unknown_field", "bad_params", "duplicate_id", "unknown_type", "reserved_queue", "unknown_step",
        "bad_expression", "cycle", "unknown_node", "error_edge_never_taken", "name_not_in_scope", "duplicate_edge",
    }  # fmt: skip
    assert [problem.severity for problem in problems] == sorted(problem.severity for problem in problems)
    assert {p.field for p in problems if p.code == "bad_value"} == {
        "name", "nodes[0].lease_seconds", "nodes[1].retry.max_retries", "nodes[2].id",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"lease_seconds": 86_401}, "lease_seconds"),
        ({"lease_seconds": 30.0}, "lease_seconds"),
        ({"timeout_seconds": 0}, "timeout_seconds"),
        ({"timeout_seconds": True}, "timeout_seconds"),
        ({"retry": "often"}, "retry"),
        ({"retry": {"base_seconds": 86_401}}, "retry.base_seconds"),
        ({"retry": {"max_retries": -1}}, "retry.max_retries"),
        ({"retry": {"factor": "2"}}, "retry.factor"),
        ({"retry": {"tries": 3}}, "retry.tries"),
        ({"join": "some"}, "join"),
        ({"join": {"n_of": 0}}, "join.n_of"),
        ({"on_error": "ignore"}, "on_error"),
        ({"priority": "high"}, "priority"),
        ({"params": []}, "params"),
        ({"input": 3}, "input"),
        ({"queue": "a b"}, "queue"),
        ({"title": "x" * 201}, "title"),
        ({"boundary_timers": [{"duration": "P1M", "to": "a"}]}, "boundary_timers[0].duration"),
        ({"boundary_timers": [{"to": "a"}]}, "boundary_timers[0]"),
        ({"compensate": {"params": {}}}, "compensate.type"),
        ({"compensate": {"type": "noop", "params": {"x": 1}}}, "compensate.params.x"),
    ],
)
def test_fields_of_a_node_are_checked_for_shape_and_range(fields, field):
    problems = [p for p in found(definition([node("a", **fields)])) if p.code not in ("cycle", "not_yet")]
    assert [(p.severity, p.node, p.field) for p in problems] == [("error", "a", f"nodes[0].{field}")]


def test_null_stands_for_not_given():
    nothing = dict.fromkeys(
        ["title", "params", "input", "join", "retry", "queue", "on_error", "timeout_seconds"]
    )
    assert found(definition([node("a", **nothing)], description=None, output=None)) == []


def test_several_cycles_are_each_named_from_their_first_node():
    document = definition(
        [node(name) for name in "abcdef"],
        [
            edge("b", "a"),
            edge("a", "b"),
            edge("c", "d"),
            edge("e", "d"),
            edge("d", "e"),
            edge("e", "f"),
            edge("f", "f"),
        ],
    )
    messages = [problem.message for problem in found(document)]
    assert [re.search(r"cycle: (.*);", message)[1] for message in messages] == [
        "a → b → a",
        "d → e → d",
        "f → f",
    ]


# --- params with holes ---


def test_params_with_holes_are_checked_for_compiling_but_not_for_their_type():
    assert found(definition([node("a", "text.summarize", params={"sentences": "{{ input.n }}"})])) == []
    url = {"method": "GET", "url": "{{ input.base }}/x", "json": ["{{ input.a }}"]}
    assert found(definition([node("a", "http.request", params=url)])) == []
    broken = {"sentences": "{{ input. }}", "unknown": "{{ 1 }}"}
    assert sorted(codes(definition([node("a", "text.summarize", params=broken)]))) == [
        "bad_expression",
        "bad_params",
    ]


def test_a_missing_param_is_a_problem_even_beside_holes():
    problems = found(definition([node("a", "http.request", params={"url": "{{ input.url }}"})]))
    assert [(p.code, p.field) for p in problems] == [("bad_params", "nodes[0].params.method")]


@pytest.mark.parametrize(
    ("where", "document"),
    [
        ("nodes[0].params.a[0].b", definition([node("a", "free", params={"a": [{"b": "{{ nope }}"}]})])),
        ('nodes[0].params["a b"]', definition([node("a", "free", params={"a b": "{{ nope }}"})])),
        ("nodes[0].input.x", definition([node("a", input={"x": "{{ nope }}"})])),
        ("nodes[0].input", definition([node("a", input="{{ nope }}")])),
        (
            "nodes[0].compensate.params.x",
            definition([node("a", compensate={"type": "free", "params": {"x": "{{ nope }}"}})]),
        ),
        ("output.x", definition([node("a")], output={"x": "{{ nope }}"})),
        ("business_key", definition([node("a")], business_key="{{ nope }}")),
        ("edges[0].when", definition([node("a"), node("b")], [edge("a", "b", when="nope == 1")])),
        ("edges[0].when", definition([node("a"), node("b")], [edge("a", "b", when="{{ output.x }}")])),
    ],
)
def test_expressions_are_checked_wherever_they_stand(where, document):
    assert ("bad_expression", where) in {(p.code, p.field) for p in found(document)}


# --- queues ---


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (node("score", "job"), []),
        (node("default", "job"), ["built_in_queue"]),
        (node("a", "job", queue="engine"), ["built_in_queue"]),
        (node("a", "noop", queue="blocking"), []),
        (node("a", "noop", queue="engine"), ["reserved_queue"]),
        (node("a", "decision", queue="engine"), ["decision_without_edge"]),
        (
            node("a", "http.request", queue="gpu", params={"method": "GET", "url": "https://a.example"}),
            ["unserved_queue"],
        ),
    ],
)
def test_queues_fit_to_who_does_the_work(given, expected):
    assert codes(definition([given])) == expected


# --- branches ---


@pytest.mark.parametrize(
    ("kind", "edges", "expected"),
    [
        ("decision", [{"branch": "x"}], ["no_default_edge"]),
        ("decision", [{"branch": "x"}, {"default": True}], []),
        ("decision", [{"when": "output.x"}, {}], []),
        ("decision", [{"default": True}, {"branch": "x"}], []),
        ("decision", [{}, {"default": True}], ["edge_never_taken"]),
        ("noop", [{"branch": "x"}, {}], ["no_default_edge"]),
        ("noop", [{"when": "output.x"}, {}], []),
        ("noop", [{"when": "output.x"}], ["no_default_edge"]),
        ("noop", [{}, {}], []),
    ],
)
def test_a_missing_default_is_a_warning(kind, edges, expected):
    targets = [node(f"t{at}") for at in range(len(edges))]
    leaving = [edge("a", target["id"], **fields) for target, fields in zip(targets, edges, strict=True)]
    assert codes(definition([node("a", kind), *targets], leaving)) == expected


def test_allow_no_match_needs_no_default():
    document = definition(
        [node("a", "decision", allow_no_match=True), node("b")], [edge("a", "b", branch="x")]
    )
    assert found(document) == []


@pytest.mark.parametrize(("on_error", "expected"), [(None, 1), ("fail", 1), ("continue", 1), ("branch", 0)])
def test_an_error_edge_needs_on_error_branch(on_error, expected):
    document = definition([node("a", on_error=on_error), node("b")], [edge("a", "b", on="error")])
    assert codes(document).count("error_edge_never_taken") == expected


# --- what is there when ---


def diamond(reader, **fields):
    nodes = [node("a"), node("b"), node("c"), node("d", "free", **{"params": {"x": reader}, **fields})]
    return definition(nodes, [edge("a", "b"), edge("a", "c"), edge("b", "d"), edge("c", "d")])


@pytest.mark.parametrize("reader", ["{{ steps.a.output }}", "{{ steps.b.output }}", "{{ steps.c.output }}"])
def test_all_sides_of_a_plain_diamond_are_there_at_its_join(reader):
    assert found(diamond(reader)) == []


def test_only_one_side_is_sure_where_the_join_takes_any():
    assert codes(diamond("{{ steps.b.output }}", join="any")) == ["value_not_on_every_path"]
    assert found(diamond("{{ steps.a.output }}", join="any")) == []
    assert found(diamond("{{ steps.b.output }}", join={"n_of": 2})) == []


@pytest.mark.parametrize(
    "reader",
    ["{{ has(steps.b) ? steps.b.output : 0 }}", '{{ "b" in steps ? steps["b"].output : 0 }}'],
)
def test_asking_first_makes_the_warning_go_away(reader):
    assert found(diamond(reader, join="any")) == []


def test_an_error_branch_sees_the_failed_step():
    nodes = [
        node("a", on_error="branch"),
        node("b"),
        node("c", "free", params={"e": "{{ steps.a.output.error.code }}"}),
    ]
    assert found(definition(nodes, [edge("a", "b"), edge("a", "c", on="error")])) == []


def test_after_a_step_that_may_branch_on_failure_its_success_side_is_not_sure():
    nodes = [
        node("a", on_error="branch"),
        node("b"),
        node("c"),
        node("d", "free", params={"x": "{{ steps.b.output }}"}),
    ]
    edges = [edge("a", "b"), edge("a", "c", on="error"), edge("b", "d"), edge("c", "d")]
    assert codes(definition(nodes, edges)) == ["value_not_on_every_path"]


def test_a_condition_may_read_its_own_source_and_all_before_it_but_nothing_behind():
    nodes = [node("a"), node("b"), node("c"), node("d")]
    rest = [edge("a", "b"), edge("b", "d", default=True)]
    both = "steps.a.output.x > 1 && steps.b.output == output"
    assert found(definition(nodes, [edge("b", "c", when=both), *rest])) == []
    behind = found(definition(nodes, [edge("b", "c", when="steps.d.output.x"), *rest]))
    assert [(p.code, p.field) for p in behind] == [("value_never_there", "edges[0].when")]


def test_the_output_may_read_every_step_but_is_warned_of_branches():
    nodes = [node("a", "decision"), node("b"), node("c")]
    edges = [edge("a", "b", branch="x"), edge("a", "c", default=True)]
    document = definition(
        nodes, edges, output={"all": "{{ steps.a.output }}", "some": "{{ steps.b.output }}"}
    )
    assert [(p.code, p.field) for p in found(document)] == [("value_not_on_every_path", "output.some")]


# --- schemas between nodes ---


def after(kind, **fields):
    params = {"method": "GET", "url": "https://a.example"} if kind == "http.request" else {}
    return definition([node("a", kind, params=params), node("b", "text.clean", **fields)], [edge("a", "b")])


def test_schemas_of_neighbours_are_compared():
    assert codes(after("http.request")) == ["incompatible_input"]
    assert codes(after("count")) == ["incompatible_input"]
    assert codes(after("noop")) == []
    assert codes(after("text.summarize")) == []


def test_a_mapping_makes_it_fit_or_is_itself_compared():
    assert codes(after("http.request", input={"text": "{{ prev.body.article }}"})) == []
    assert codes(after("http.request", input="{{ prev.body }}")) == []
    assert codes(after("http.request", input={"txt": "{{ prev.body }}"})) == ["incompatible_input"]
    assert codes(after("http.request", input={"text": 3})) == ["incompatible_input"]
    problem = found(after("count"))[0]
    assert "`text` is integer, but must be string" in problem.message


def test_the_first_step_is_compared_with_the_input_schema():
    closed = {"type": "object", "properties": {"article": {"type": "string"}}, "additionalProperties": False}
    assert codes(definition([node("a", "text.clean")], input_schema=closed)) == ["incompatible_input"]
    assert codes(definition([node("a", "text.clean")], input_schema={"type": "object"})) == []
