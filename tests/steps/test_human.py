"""human.approval and human.form: what a person is asked, and what an author may say (docs/steps.md)."""

import pytest

from accounts.roles import SCOPES_OF_ROLE, TASKS_DECIDE
from engine.errors import StepError
from engine.validate import validate
from steps.asking import Role
from steps.base import execute
from steps.catalogue import CATALOGUE

ASK = {"title": "Go on?"}


def asks(kind="human.approval", **params):
    given = {**ASK, **params}
    done = execute(CATALOGUE[kind], given, {}, run_id="r", node="n", attempt=1, idempotency_key="k")
    assert done["kind"] == "task"
    return done["task"]


def test_an_approval_has_two_outcomes_and_a_form_one():
    assert [(one["name"], one["require_comment"]) for one in asks()["outcomes"]] == [
        ("approved", False),
        ("rejected", True),
    ]
    assert [one["name"] for one in asks("human.form")["outcomes"]] == ["submitted"]
    own = [{"name": "later", "label": "Later"}]
    assert asks(outcomes=own)["outcomes"] == [
        {"name": "later", "label": "Later", "require_comment": False, "sign": False}
    ]


def test_an_expression_adds_users_each_named_once():
    task = asks(candidates={"users": ["ann"], "expr": ["bob", "ann"], "groups": ["Finance"]})
    assert task["candidates"] == {"users": ["ann", "bob"], "groups": ["Finance"], "roles": []}
    assert asks(candidates={"expr": "bob"})["candidates"]["users"] == ["bob"]


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"title": " "}, "title"),
        ({"candidates": {}}, "candidates"),
        ({"candidates": {"users": [], "expr": None}}, "candidates"),
        ({"candidates": {"expr": 7}}, "candidates.expr"),
        ({"candidates": {"roles": ["viewer"]}}, "candidates.roles.0"),
        ({"outcomes": []}, "outcomes"),
        ({"outcomes": [{"name": "a", "label": "A"}, {"name": "a", "label": "B"}]}, "outcomes"),
        ({"outcomes": [{"name": "a b", "label": "A"}]}, "outcomes.0.name"),
        ({"form": {"type": "text"}}, "form"),
        ({"form": {"type": "array"}}, "form"),
        ({"due_seconds": 0}, "due_seconds"),
        ({"priority": 1001}, "priority"),
        ({"escalation": [{"after_seconds": 1}]}, "escalation.0"),
        ({"escalation": [{"after_seconds": 1, "manager_of": None, "users": []}]}, "escalation.0"),
        ({"escalation": [{"after_seconds": 1, "manager_of": ["ann"]}]}, "escalation.0.manager_of"),
        ({"quorum": 0}, "quorum"),
        ({"quorum": True}, "quorum"),
        ({"quorum": {}}, "quorum"),
        ({"quorum": {"need": "some"}}, "quorum"),
        ({"quorum": {"need": "0%"}}, "quorum"),
        ({"quorum": {"need": 1, "groups": {"Legal": 1}}}, "quorum"),
        ({"quorum": {"groups": {"Legal": 1}, "rule": "majority"}}, "quorum"),
        ({"quorum": {"groups": {"Legal": 1}}, "candidates": {"groups": ["Finance"]}}, "params"),
        ({"outcomes": [{"name": "a", "label": "A", "require": ["x"]}], "form": {"type": "object"}}, "params"),
        ({"instructions": "a\x00b"}, "task"),
    ],
)
def test_what_nobody_could_decide_is_refused_by_name(params, field):
    with pytest.raises(StepError) as refused:
        asks(**params)
    assert refused.value.code == "BadParams"
    assert refused.value.details["field"].startswith(field)


def test_a_level_may_ask_somebodys_manager():
    level = {"after_seconds": 60, "manager_of": "ann", "groups": ["Legal"]}
    assert asks(escalation=[level])["clock"] == [
        {"after": 60, "do": "escalate", "level": 1, "to": {"manager_of": "ann", "groups": ["Legal"]}}
    ]


def test_the_roles_that_may_be_asked_are_those_that_decide():
    deciding = {role for role, scopes in SCOPES_OF_ROLE.items() if TASKS_DECIDE in scopes}
    assert set(Role.__args__) == deciding


def problems(*edges, **params):
    node = {"id": "ask", "type": "human.approval", "params": {**ASK, "due_seconds": 60, **params}}
    definition = {
        "name": "x",
        "nodes": [node, {"id": "yes", "type": "noop"}, {"id": "no", "type": "noop"}],
        "edges": [{"from": "ask", "to": to, "branch": branch} for to, branch in edges],
    }
    return [(found.code, found.severity) for found in validate(definition, CATALOGUE)]


def test_an_edge_for_each_outcome_needs_no_default():
    both = [("yes", "approved"), ("no", "rejected")]
    assert problems(*both) == []
    assert problems(both[0]) == [("starts_apart", "warning")]
    assert problems(both[0], ("no", "else")) == [("unknown_outcome", "error")]
    assert problems(*both, outcomes=[{"name": "x", "label": "X"}]) == [("unknown_outcome", "error")] * 2
    assert problems(("yes", None), ("no", None), outcomes=[{"name": "x", "label": "X"}]) == []
    assert problems(("yes", None), ("no", "rejected")) == [("edge_without_outcome", "error")]
    assert problems(*both, on_timeout="refused", due_seconds=60) == [("bad_params", "error")]
    assert ("bad_params", "error") in problems(*both, quorum=0)


def test_what_is_known_of_the_output_is_its_outcomes_and_its_form():
    form = {"type": "object", "properties": {"account": {"type": "string"}}}
    schema = CATALOGUE["human.approval"].output_schema({**ASK, "form": form})["properties"]
    assert schema["branch"]["enum"] == ["approved", "rejected"]
    assert schema["data"] == form
