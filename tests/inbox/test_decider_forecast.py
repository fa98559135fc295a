"""The builder says who may decide a step, in words, as the people of the tenant are now."""

import pytest

from accounts.models import Membership
from tasks_inbox.design.summary import forecast_deciders
from tests import factories as make
from tests.inbox.asking import member
from tests.store.watching import watching


@pytest.fixture
def six():
    """Three of Legal, two of Finance, one of them in both; an operator, an admin, and somebody who only looks."""
    member("ann", "approver", "Legal", "Finance")
    member("bob", "approver", "Legal")
    member("cat", "approver", "Legal")
    member("dan", "approver", "Finance")
    member("oli", "operator")
    member("boss", "admin")
    member("vic", "viewer", "Audit")
    seats = Membership.objects.for_tenant(make.a_tenant().pk)
    seats.filter(user__username="ann").update(manager=seats.get(user__username="boss"))


@pytest.mark.usefixtures("six")
@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({}, "Anybody of 6 people may decide."),
        ({"candidates": {"roles": ["approver"]}}, "Anybody of 4 approvers may decide."),
        ({"candidates": {"roles": ["admin"]}}, "1 admin may decide."),
        ({"candidates": {"groups": ["Legal"]}}, "Anybody of Legal (3 people) may decide."),
        ({"candidates": {"users": ["ANN", "bob"]}}, "Anybody of ann and bob may decide."),
        ({"candidates": {"users": ["bob"]}}, "bob may decide."),
        (
            {"candidates": {"users": ["bob", "vic", "zoe"]}},
            "bob may decide. vic and zoe decide no tasks here.",
        ),
        (
            {"candidates": {"groups": ["Finance", "Risk"], "roles": ["operator"]}},
            "Anybody of 3 people of Finance, Risk and operators may decide. Risk has no members who may decide.",
        ),
        ({"candidates": {"manager_of": "ann"}}, "boss may decide."),
        (
            {"candidates": {"manager_of": "bob", "roles": ["admin"]}},
            "1 admin may decide. bob has no manager.",
        ),
        (
            {
                "candidates": {"groups": ["Legal", "Finance"]},
                "exclude": ["bob"],
                "quorum": {"groups": {"Legal": 2, "Finance": 1}},
            },
            "Needs 2 of Legal (2 people, 1 excluded) and 1 of Finance (2 people).",
        ),
        ({"quorum": 2}, "Needs 2 of 6 people."),
        (
            {"candidates": {"groups": ["Legal"]}, "quorum": {"need": "all"}},
            "Needs all of Legal (3 people).",
        ),
        (
            {
                "candidates": {"roles": ["approver"]},
                "exclude": ["dan"],
                "quorum": {"need": "50%", "rule": "majority"},
            },
            "Needs 2 (50%) of 3 approvers (1 excluded). By majority.",
        ),
        ({"exclude_requester": True}, "Anybody of 6 people may decide. Who started the run may not."),
        (
            {"exclude_requester": True, "exclude_deciders": True, "quorum": 2},
            "Needs 2 of 6 people. Neither who started the run nor who decided another step of it may.",
        ),
        # What has nothing to do with it may be wrong, or not be there yet.
        ({"title": "", "due_seconds": "soon", "quorum": 2}, "Needs 2 of 6 people."),
    ],
)
def test_who_may_decide_is_said_in_words(params, words):
    told = forecast_deciders(make.a_tenant().pk, params)
    assert (told.words, told.level) == (words, "enough")


@pytest.mark.usefixtures("six")
@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"candidates": {"groups": ["Audit"]}}, "Audit has no members who may decide."),
        ({"candidates": {"groups": ["Risk", "Audit"]}}, "Risk and Audit have no members who may decide."),
        ({"candidates": {"users": ["zoe"]}}, "zoe may not decide tasks here."),
        ({"candidates": {"users": ["bob"]}, "exclude": ["Bob"]}, "all whom it asks are excluded."),
        ({"candidates": {"manager_of": "bob"}}, "bob has no manager."),
        (
            {"candidates": {"groups": ["Legal"]}, "quorum": 4},
            "it needs 4 to agree, and only Legal (3 people) may.",
        ),
        (
            {"quorum": {"groups": {"Legal": 2, "Risk": 1}}},
            "it needs 2 of Legal (3 people) and 1 of Risk (0 people), which is more than there are.",
        ),
    ],
)
def test_what_nobody_could_decide_is_said(params, words):
    told = forecast_deciders(make.a_tenant().pk, params)
    assert (told.words, told.level) == (f"Nobody can decide this: {words}", "nobody")


@pytest.mark.parametrize(
    "params",
    [
        {"candidates": {"users": ["{{ input.who }}"]}},
        {"candidates": {"expr": "{{ input.who }}"}},
        {"candidates": {"manager_of": "{{ run.created_by }}"}},
        {"quorum": "{{ input.many }}"},
        {"candidates": {}},
        {"candidates": 5},
        {"quorum": {}},
        {"quorum": {"need": 0}},
        {"exclude": 5},
        {"exclude": [{}]},
    ],
)
def test_what_only_a_run_knows_or_is_wrong_is_not_foretold(params):
    assert forecast_deciders(make.a_tenant().pk, params).level == "in_run"


@pytest.mark.parametrize(
    ("candidates", "rest"),
    [
        ({"expr": "{{ input.who }}"}, ": {{ input.who }}."),
        (
            {"manager_of": "{{ run.created_by }}", "roles": ["admin"]},
            ": the manager of {{ run.created_by }}.",
        ),
        ({"users": ["ann", "{{ input.a }}", "{{ input.b }}"]}, ": {{ input.a }} and {{ input.b }}."),
    ],
)
def test_what_is_waited_for_is_named(candidates, rest):
    told = forecast_deciders(make.a_tenant().pk, {"candidates": candidates})
    assert told.words == f"Who may decide is known once a run reaches it{rest}"


def test_where_there_are_no_approvers_it_says_so():
    told = forecast_deciders(make.a_tenant().pk, {"candidates": {"roles": ["approver", "operator"]}})
    assert told.words == "Nobody can decide this: there are no approvers and no operators."


@pytest.mark.usefixtures("six")
def test_it_takes_two_statements():
    tenant = make.a_tenant().pk
    with watching() as seen:
        forecast_deciders(tenant, {"quorum": 2})
    assert seen.trips == 2


def test_over_rest_it_is_of_the_tenant_alone(people):
    for tenant in ("ours", "theirs"):
        people.member("approver", tenant)
    api = people.client("author")
    definition = {"name": "asks", "nodes": [], "edges": []}
    assert api.post("/api/v1/workflows", {"name": "asks", "definition": definition}).status_code == 201
    answer = api.post("/api/v1/workflows/asks/deciders", {"params": {}})
    assert answer.json() == {"words": "1 person may decide.", "level": "enough", "people": 1}
    assert (
        people.client("author", "theirs").post("/api/v1/workflows/asks/deciders", {"params": {}}).status_code
        == 404
    )
    assert api.post("/api/v1/workflows/asks/deciders", {"params": 5}).json()["error"]["field"] == "params"
