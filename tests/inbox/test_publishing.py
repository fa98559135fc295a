"""Publishing asks whether somebody may decide each step, and enough of them; every door says so alike."""

import pytest

from accounts.models import Membership
from tests import factories as make
from tests.inbox.asking import approval, member
from tests.store.watching import watching
from workflows.checking.check import check


def found(**params):
    make.a_tenant()
    definition = {**approval(**{"due_seconds": 60, **params}), "name": "asks"}
    problems = check(definition, tenant=make.a_tenant().pk).problems
    return [(one.code, one.severity, one.field) for one in problems if one.code != "no_default_edge"]


@pytest.fixture
def three():
    """Two of Legal, one of Finance; ann is in both, and somebody else may only look."""
    member("ann", "approver", "Legal", "Finance")
    member("bob", "approver", "Legal")
    member("vic", "viewer", "Legal", "Finance")


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({}, None),
        ({"candidates": {"users": ["ANN"]}}, None),
        ({"candidates": {"users": ["nobody"]}}, "nobody_may_decide"),
        ({"candidates": {"users": ["vic"]}}, "nobody_may_decide"),
        ({"candidates": {"roles": ["operator"]}}, "nobody_may_decide"),
        ({"candidates": {"groups": ["legal"]}}, None),
        ({"candidates": {"groups": ["Risk"]}}, "nobody_may_decide"),
        ({"candidates": {"users": ["ann"]}, "exclude": ["Ann"]}, "nobody_may_decide"),
        ({"candidates": {"users": ["{{ input.who }}"]}}, None),
        ({"candidates": {"expr": "{{ input.who }}"}}, None),
        ({"candidates": {"manager_of": "ann"}}, None),
        (
            {"due_seconds": "{{ input.due }}", "priority": "{{ input.how }}", "quorum": 3},
            "quorum_out_of_reach",
        ),
        ({"quorum": "{{ input.many }}"}, None),
        ({"quorum": 2}, None),
        ({"quorum": 3}, "quorum_out_of_reach"),
        ({"quorum": {"need": "all"}}, None),
        ({"quorum": {"groups": {"Legal": 1, "Finance": 1}}}, None),
        ({"quorum": {"groups": {"Legal": 2, "Finance": 1}}}, "quorum_out_of_reach"),
        ({"quorum": {"groups": {"Legal": 3}}}, "quorum_out_of_reach"),
    ],
)
def test_what_nobody_or_not_enough_may_decide_is_an_error(params, code):
    assert [one[:2] for one in found(**params)] == ([(code, "error")] if code else [])


@pytest.mark.usefixtures("three")
def test_it_is_judged_by_who_is_there_now():
    params = {"quorum": 2}
    tenant = make.a_tenant().pk
    definition = {**approval(due_seconds=60, more=[], **params), "name": "asks"}
    with watching() as seen:
        assert check(definition, tenant=tenant).is_publishable
    assert seen.trips == 3
    with watching() as seen:
        assert check(
            {"name": "x", "nodes": [{"id": "a", "type": "noop"}], "edges": []}, tenant=tenant
        ).is_publishable
    assert seen.trips == 0
    Membership.objects.for_tenant(tenant).filter(user__username="bob").delete()
    (problem,) = [one for one in check(definition, tenant=tenant).problems if one.severity == "error"]
    assert problem.message == "`ask` needs 2 to agree, and 1 may decide: add members, or require fewer."
    assert problem.field == "nodes[0].params.quorum"


def test_every_door_refuses_alike(people):
    admin = people.client("admin")
    definition = {**approval(due_seconds=60, candidates={"groups": ["Risk"]}), "name": "asks"}
    codes = [
        {one["code"] for one in answer.json()["problems"] if one["severity"] == "error"}
        for answer in (
            admin.post("/api/v1/workflows/validate", {"definition": definition}, format="json"),
            admin.post("/api/v1/workflows", {"name": "asks", "definition": definition}, format="json"),
            admin.patch("/api/v1/workflows/asks/draft", {"revision": 1, "groups": []}, format="json"),
        )
    ]
    assert codes == [{"nobody_may_decide"}] * 3
    refused = admin.post("/api/v1/workflows/asks/publish")
    assert refused.status_code == 422
    assert "nobody_may_decide" in refused.content.decode()


def in_a_row(*steps):
    """A definition of approvals, one behind the other, with these params."""
    nodes = [
        {"id": f"s{at}", "type": "human.approval", "params": {"title": "?", "due_seconds": 60, **params}}
        for at, params in enumerate(steps)
    ]
    edges = [{"from": f"s{at}", "to": f"s{at + 1}", "branch": "approved"} for at in range(len(steps) - 1)]
    return {"name": "asks", "nodes": nodes, "edges": edges}


EYES = {"exclude_deciders": True}
OTHERS = {"exclude_requester": True}
ASKS_BOB = {"candidates": {"users": ["bob"]}}


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize(
    ("steps", "found"),
    [
        # Ann and bob may decide, and neither starts runs.
        ([{}, EYES], []),
        ([{}, EYES, EYES], [("four_eyes_out_of_reach", "s2")]),
        ([{}, {}, EYES], []),
        ([ASKS_BOB, {**ASKS_BOB, **EYES}], [("four_eyes_out_of_reach", "s1")]),
        ([ASKS_BOB, EYES], []),
        ([{}, {**EYES, "quorum": 2}], [("four_eyes_out_of_reach", "s1")]),
        ([{"candidates": {"expr": "{{ input.who }}"}}, {**ASKS_BOB, **EYES}], []),
        # Where the deadline may have decided, nobody need have.
        ([{**ASKS_BOB, "on_timeout": "rejected"}, {**ASKS_BOB, **EYES}], []),
        ([{**ASKS_BOB, **OTHERS}], []),
    ],
)
def test_four_eyes_that_nobody_could_pass_are_an_error(steps, found):
    problems = check(in_a_row(*steps), tenant=make.a_tenant().pk).problems
    assert [(one.code, one.node) for one in problems if one.severity == "error"] == found


RISK = {"candidates": {"groups": ["Risk"]}}


def asking(name=None, **params):
    """An approval with these params; without a name, as a container does one for each item."""
    params = {"title": "?", "due_seconds": 60, **params}
    return {"type": "human.approval", "params": params} | ({"id": name} if name else {})


def each(body, name="each", **params):
    """A container that does this for each of its items."""
    params = params or {"items": [1]}
    return {"id": name, "type": "loop" if "count" in params else "map", "params": {**params, "body": body}}


def found_in(*nodes, edges=()):
    """What is wrong, each with the place and the step that it names."""
    problems = check(make.graph([*nodes], edges), tenant=make.a_tenant().pk).problems
    return [(one.code, one.field, one.node) for one in problems if one.severity == "error"]


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize(
    ("node", "place", "step"),
    [
        (each(asking(**RISK)), "body", "each"),
        (each({"steps": [{"id": "look", "type": "noop"}, asking("ok", **RISK)]}), "body.steps[1]", "ok"),
        (each({"steps": [asking("ok", **RISK)]}, count=2), "body.steps[0]", "ok"),
        (
            each({"steps": [each({"steps": [asking("ok", **RISK)]}, "deep")]}),
            "body.steps[0].params.body.steps[0]",
            "ok",
        ),
    ],
)
def test_what_nobody_may_decide_within_a_container_is_an_error_at_its_place(node, place, step):
    field = f"nodes[1].params.{place}.params.candidates"
    assert found_in("first", node, edges=[f"first>{node['id']}"]) == [("nobody_may_decide", field, step)]


@pytest.mark.usefixtures("three")
def test_undoing_that_nobody_may_decide_is_an_error_at_its_place():
    node = {"id": "pay", "type": "noop", "compensate": asking(**RISK)}
    field = "nodes[0].compensate.params.candidates"
    assert found_in(node) == [("nobody_may_decide", field, "pay")]


@pytest.mark.usefixtures("three")
def test_four_eyes_bar_who_decided_before_for_the_same_item_and_nobody_else():
    asks_bob = asking("asks_bob", **ASKS_BOB)
    again = asking("again", **ASKS_BOB, **EYES)
    field = "nodes[0].params.body.steps[1].params.exclude_deciders"
    both = {"steps": [asks_bob, again], "edges": [{"from": "asks_bob", "to": "again", "branch": "approved"}]}
    assert found_in(each(both)) == [("four_eyes_out_of_reach", field, "again")]
    # Each item has a run of its own, and so has what is around it.
    assert (
        found_in(
            asks_bob,
            each({"steps": [again]}),
            edges=[{"from": "asks_bob", "to": "each", "branch": "approved"}],
        )
        == []
    )
    assert found_in(each({"steps": [asks_bob]}), again, edges=["each>again"]) == []


def test_who_starts_runs_may_be_the_only_one_left():
    member("boss", "admin")
    member("bob")

    def warned(*steps):
        problems = check(in_a_row(*steps), tenant=make.a_tenant().pk).problems
        return [(one.severity, one.node) for one in problems if one.code == "requester_may_not_decide"]

    asks_boss = {"candidates": {"users": ["boss"]}}
    assert warned({**asks_boss, **OTHERS}) == [("warning", "s0")]
    assert warned(OTHERS, OTHERS) == []
    assert warned(OTHERS, {**OTHERS, **EYES}) == [("warning", "s1")]
    # The admin may have started it and then decided: bob is left.
    assert warned({}, {**OTHERS, **EYES}) == []
    member("ada", "author")
    assert warned({**asks_boss, **OTHERS}) == []


def test_very_many_people_and_steps_are_judged_at_once():
    for number in range(30):
        member(f"p{number}", "operator")
    tenant = make.a_tenant().pk
    with watching() as seen:
        assert check(in_a_row(*[{**EYES, **OTHERS}] * 12), tenant=tenant).is_publishable
    assert seen.trips == 4
