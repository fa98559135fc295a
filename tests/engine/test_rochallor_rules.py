"""What is wrong with definitions of rochallor: its own rules, and what Handoff can't do, each with its place."""

import pytest

from engine.dialects import DialectError, to_native
from tests.rochallor import END, document, service, step, timer


def found_in(of):
    with pytest.raises(DialectError) as refused:
        to_native(of, "s4")
    return {one.field: one.message for one in refused.value.findings}


A = {"a": service("a", "end"), "end": END}
EMPTY = "nextStep"
RULES = [
    ("id-required", {"id": None}, "id"),
    ("id-format", {"id": "bad id!"}, "id"),
    ("id-length", {"id": "x" * 257}, "id"),
    ("name-required", {"name": " "}, "name"),
    ("steps-nonempty", {"steps": []}, "steps"),
    ("next-workflow-consistency", {"autoStartNextWorkflow": True}, "nextWorkflowId"),
    ("next-workflow-format", {"autoStartNextWorkflow": True, "nextWorkflowId": "a b"}, "nextWorkflowId"),
    ("step-id-required", {"steps": [step("", "END")]}, "steps[0].id"),
    ("step-id-unique", {"steps": [END, END]}, "steps[1].id"),
    ("name-required-step", {"steps": [{**END, "name": ""}]}, "steps[0].name"),
    ("step-type", {"steps": [step("a", "SCRIPT"), END]}, "steps[0].type"),
    ("step-is-object", {"steps": ["END", END]}, "steps[0]"),
    ("job-type-required", {"steps": [step("a", "SERVICE_TASK", nextStep="end"), END]}, "steps[0].jobType"),
    ("job-type-format", {"steps": [service("a", "end", jobType="a b"), END]}, "steps[0].jobType"),
    ("retry-count", {"steps": [service("a", "end", retryCount=-1), END]}, "steps[0].retryCount"),
    ("retry-count-type", {"steps": [service("a", "end", retryCount="3"), END]}, "steps[0].retryCount"),
    ("unknown-field", {"more": 1}, "more"),
    ("unknown-field-step", {"steps": [service("a", "end", timeout=1), END]}, "steps[0].timeout"),
    ("ref-resolves", {"steps": [service("a", "ghost"), END]}, "steps[0].nextStep"),
    ("all-reachable", {"steps": [service("a", "end"), service("b", "end"), END]}, "steps[1]"),
    ("end-reachable", {"steps": [service("a", "b"), service("b")]}, "steps"),
    ("cycle", {"steps": [service("a", "b"), service("b", "a"), END]}, "steps[0]"),
    ("decision-has-branches", {"steps": [step("a", "DECISION"), END]}, "steps[0].conditionalNextSteps"),
    ("wait-has-next", {"steps": [step("a", "WAIT", nextStep=""), END]}, "steps[0].nextStep"),
    ("join-has-next", {"steps": [step("a", "JOIN_GATEWAY"), END]}, "steps[0].nextStep"),
    (
        "transformation-has-next",
        {"steps": [step("a", "TRANSFORMATION", transformations={"x": 1}), END]},
        "steps[0].nextStep",
    ),
    (
        "transformation-has-entries",
        {"steps": [step("a", "TRANSFORMATION", nextStep="end", transformations={}), END]},
        "steps[0].transformations",
    ),
]


@pytest.mark.parametrize(("rule", "change", "place"), RULES, ids=[rule for rule, _, _ in RULES])
def test_a_rule_is_kept(rule, change, place):
    assert place in found_in({**document(*A.values()), **change})


def branch(text):
    return document(step("a", "DECISION", conditionalNextSteps={text: "end"}), END)


def setting(**transformations):
    return document(step("a", "TRANSFORMATION", nextStep="end", transformations=transformations), END)


def parallel(*paths, join="join", **more):
    gateway = step("gateway", "PARALLEL_GATEWAY", parallelNextSteps=[*paths], joinStep=join)
    return document(gateway, *more.values(), step("join", "JOIN_GATEWAY", nextStep="end"), END)


LEFT, RIGHT = service("left", "join"), service("right", "join")
INNER = step("inner", "PARALLEL_GATEWAY", parallelNextSteps=["left", "right"], joinStep="join-2")
BEHIND = step("join-2", "JOIN_GATEWAY", nextStep="join")
MORE_RULES = [
    ("decision-expr-syntax", branch("((("), 'steps[0].conditionalNextSteps["((("]'),
    ("decision-expr-non-boolean", branch("1 + 2"), 'steps[0].conditionalNextSteps["1 + 2"]'),
    ("decision-target-resolves", document(step("a", "DECISION", conditionalNextSteps={"x": "no"}), END),
     "steps[0].conditionalNextSteps.x"),
    ("transformation-expr-syntax", setting(x="${1 +}"), "steps[0].transformations.x"),
    ("transformation-two-expressions", setting(x="${a} and ${b}"), "steps[0].transformations.x"),
    ("transformation-name", setting(**{"a-b": 1}), "steps[0].transformations.a-b"),
    ("transformation-reads-object", setting(a={"k": 1}, b="${a.k}"), "steps[0].transformations.b"),
    ("parallel-min-branches", parallel("left", left=LEFT), "steps[0].parallelNextSteps"),
    ("parallel-has-join", parallel("left", "right", join="left", left=LEFT, right=RIGHT), "steps[0].joinStep"),
    (
        "no-nested-parallel",
        parallel("inner", "top", a=INNER, b=LEFT | {"nextStep": "join-2"}, c=RIGHT | {"nextStep": "join-2"}, d=BEHIND,
                 e=service("top", "join")),
        "steps[1]",
    ),
    ("leaves-parallel", parallel("left", "right", left=LEFT | {"nextStep": "out"}, right=RIGHT) | {"steps": [
        step("gateway", "PARALLEL_GATEWAY", parallelNextSteps=["left", "right"], joinStep="join"),
        service("left", "out"), RIGHT, step("join", "JOIN_GATEWAY", nextStep="out"), service("out", "end"), END]},
     "steps[4]"),
    ("two-tokens", parallel("left", "right", left=LEFT | {"nextStep": "both"}, right=RIGHT | {"nextStep": "both"},
                            both=service("both", "join")), "steps[3]"),
    ("two-tokens-timer", document(service("a", "b", boundaryEvents=[timer("b")]), service("b", "end"), END),
     "steps[1]"),
    ("boundary-type", document(service("a", "end", boundaryEvents=[{**timer("end"), "type": "ERROR"}]), END),
     "steps[0].boundaryEvents[0].type"),
    ("boundary-duration", document(service("a", "end", boundaryEvents=[timer("end", duration="2 days")]), END),
     "steps[0].boundaryEvents[0].duration"),
    ("boundary-no-length", document(service("a", "end", boundaryEvents=[timer("end", duration="PT0S")]), END),
     "steps[0].boundaryEvents[0].duration"),
    ("boundary-target-resolves", document(service("a", "end", boundaryEvents=[timer("ghost")]), END),
     "steps[0].boundaryEvents[0].targetStepId"),
    ("boundary-parent-supports", document(step("a", "DECISION", conditionalNextSteps={"true": "end"},
                                               boundaryEvents=[timer("end")]), END), "steps[0].boundaryEvents"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "of", "place"), MORE_RULES, ids=[rule for rule, _, _ in MORE_RULES])
def test_a_rule_of_a_type_is_kept(rule, of, place):
    assert place in found_in(of)


def test_what_two_tokens_would_do_one_after_another_may_be_one_step():
    to_native(
        document(service("a", "b", boundaryEvents=[timer("b", interrupting=True)]), service("b", "end"), END)
    )
