"""The rules under which a version was published stay with it, and with what its containers do for items."""

import pytest

from config import doctor
from engine.ports import RULES
from lib.refusals import Unprocessable
from lib.uuid7 import uuid7
from runs.kernel.graphs import compiled
from tests import factories as make
from tests.people import People
from workflows import queries, unnumbered
from workflows.checking.check import check
from workflows.design.drawing import draw
from workflows.models import WorkflowVersion
from workflows.versions import lifecycle
from workflows.versions.carried import carried_anywhere, carried_in

pytestmark = pytest.mark.django_db

ASK = {"id": "ask", "type": "human.approval", "params": {"title": "Pay?", "due_seconds": 60}}
BARE = {"nodes": [ASK, {"id": "pay", "type": "noop"}], "edges": [{"from": "ask", "to": "pay"}]}
GOOD = {**BARE, "edges": [{"from": "ask", "to": "pay", "branch": "approved"}]}


def author_among_approvers():
    people = People()
    people.member("approver")
    return people.principal("author")


def outcomes(version):
    return compiled(version.pk).graph.nodes["ask"].outcomes


def test_a_version_is_compiled_by_the_rules_that_it_has():
    new = make.a_version({"name": "w", **GOOD})
    old = make.VersionFactory(workflow=new.workflow, number=2, rules=1, definition=new.definition)
    assert (outcomes(new), outcomes(old)) == (("approved", "rejected"), None)


def test_what_is_published_has_the_newest_rules_even_where_nothing_else_differs():
    author = author_among_approvers()
    lifecycle.create_workflow(author, name="pay", definition={"name": "pay", **GOOD})
    first = lifecycle.publish(author, "pay").version
    assert (first.number, first.rules) == (1, RULES)
    assert not lifecycle.publish(author, "pay").created
    before = make.VersionFactory(
        workflow=first.workflow,
        number=2,
        rules=1,
        definition=first.definition,
        content_hash=first.content_hash,
    )
    third = lifecycle.publish(author, "pay")
    assert (before.rules, third.created, third.version.number, third.version.rules) == (1, True, 3, RULES)


def test_a_way_out_for_every_outcome_is_not_published():
    author = author_among_approvers()
    lifecycle.create_workflow(author, name="pay", definition={"name": "pay", **BARE})
    with pytest.raises(Unprocessable) as refused:
        lifecycle.publish(author, "pay")
    (problem,) = [one for one in refused.value.details["problems"] if one["severity"] == "error"]
    assert (problem["code"], problem["node"]) == ("edge_without_outcome", "ask")
    assert problem["fix"]["title"] == "Take it when the outcome is approved"


def test_items_of_an_old_and_of_a_new_version_have_versions_of_their_own():
    each = {
        "id": "each",
        "type": "map",
        "params": {"items": [1], "body": {"steps": BARE["nodes"], "edges": GOOD["edges"]}},
    }
    new = make.a_version({"name": "w", "nodes": [each], "edges": []})
    old = make.VersionFactory(workflow=new.workflow, number=2, rules=1, definition=new.definition)
    parts = [
        WorkflowVersion.unsafe_all_tenants.get(pk=unnumbered.version_of_part(version.pk, "each"))
        for version in (old, new)
    ]
    assert [part.rules for part in parts] == [1, RULES]
    assert parts[0].definition == parts[1].definition


def test_a_published_way_out_for_every_outcome_is_listed_until_it_is_replaced():
    old = make.VersionFactory(workflow__draft_definition={"name": "pay", **BARE}, rules=1)
    safe = make.VersionFactory(workflow__draft_definition={"name": "safe", **GOOD}, rules=1)
    within = {"id": "each", "type": "map", "params": {"items": [1], "body": {"steps": BARE["nodes"]}}}
    item = make.VersionFactory(
        workflow__draft_definition={"name": "items", "nodes": [within], "edges": []}, rules=1
    )
    found, is_cut = carried_anywhere()
    assert {(one.workflow, one.number, one.steps, one.is_latest) for one in found} == {
        ("pay", 1, ("Ask for an approval (ask)",), True),
        ("items", 1, ("Ask for an approval (ask)",), True),
    }
    assert not is_cut
    assert [[one.version_id for one in carried_in(of.workflow)] for of in (old, safe, item)] == [
        [old.pk],
        [],
        [item.pk],
    ]
    (first, _) = sorted(doctor._refusals(), key=lambda one: one.text, reverse=True)
    assert (first.level, "version 1 of pay goes on after Ask for an approval (ask)" in first.text) == (
        "problem",
        True,
    )
    make.next_version(old.workflow, GOOD)
    assert [one.is_latest for one in carried_in(old.workflow)] == [False]
    assert len(list(doctor._refusals())) == 1


def test_few_definitions_are_judged_at_once_and_the_others_later():
    for _ in range(3):
        make.VersionFactory(workflow__draft_definition={**BARE, "name": f"w-{uuid7()}"}, rules=1)
    looks = [carried_anywhere(most_read=2) for _ in range(2)]
    assert [(len(found), is_cut) for found, is_cut in looks] == [(2, True), (3, False)]


def test_the_page_of_a_workflow_names_the_version_and_its_open_runs(client):
    old = make.VersionFactory(workflow__draft_definition={"name": "pay", **BARE}, rules=1)
    make.start_version(old, {})
    client.force_login(make.a_member("ben", "author"))
    shown = client.get("/workflows/pay/").content.decode()
    assert (
        "Version 1 goes on after Ask for an approval (ask) whatever people choose; 1 of its runs is open."
        in shown
    )
    make.next_version(old.workflow, GOOD)
    make.a_workflow("other", {"name": "other", **GOOD})
    assert "whatever people choose" in client.get("/workflows/pay/").content.decode()
    assert "whatever people choose" not in client.get("/workflows/other/").content.decode()


S0 = {
    "definition_id": "pay",
    "name": "pay",
    "dag": {
        "nodes": [
            {"step_name": "ask", "type": "human.approval", "params": ASK["params"]},
            {"step_name": "pay", "max_retries": 1},
        ],
        "edges": [{"from": "ask", "to": "pay", "condition": None}],
    },
}


def test_an_imported_edge_without_a_condition_behind_an_approval_is_a_problem_of_the_draft_with_a_fix():
    author = author_among_approvers()
    assert lifecycle.import_definition(author, S0).created
    checked = check(queries.get_workflow(author.tenant_id, "pay").draft_definition, name="pay")
    (problem,) = [one for one in checked.problems if one.severity == "error"]
    assert (problem.code, problem.fix["title"]) == (
        "edge_without_outcome",
        "Take it when the outcome is approved",
    )
    with_conditions = {**S0["dag"], "edges": [{"from": "ask", "to": "pay", "condition": "approved"}]}
    lifecycle.import_definition(author, {**S0, "dag": with_conditions})
    draft = queries.get_workflow(author.tenant_id, "pay").draft_definition
    assert check(draft, name="pay").is_publishable
    assert draw(draft).steps[0].ends == "rejected: the run ends here"
