"""What people try with tasks, as far as no other test shows it: the table in README.md names them all."""

import re
from pathlib import Path

import pytest
from rest_framework.test import APIClient

from accounts.models import ApiToken, Membership, User
from accounts.services import create_token
from lib.refusals import Invalid, NotAllowed
from tasks_inbox.actions import assignment
from tasks_inbox.models import ManualTask, TaskDecision
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, hand, member

TESTS = Path(__file__).resolve().parents[1]


def test_each_test_of_the_table_is_there():
    table = (Path(__file__).parent / "README.md").read_text()
    named = re.findall(r"`(\S+\.py)::(\w+)`", table)
    assert len(named) == table.count("::") > 30
    assert [one for one in named if f"def {one[1]}(" not in (TESTS / one[0]).read_text()] == []


def decisions(task):
    return TaskDecision.unsafe_all_tenants.filter(task_id=task.pk).count()


def test_a_form_that_is_sent_twice_decides_once_and_says_so(client):
    member("bob")
    client.force_login(User.objects.get(username="bob"))
    task = asked()
    told = [client.post(f"/inbox/{task.pk}/decide", {"outcome": "approved"}) for _ in range(2)]
    assert [one.status_code for one in told] == [302, 409]
    assert "bob already decided this" in told[1].text
    assert decisions(task) == 1


def test_two_tasks_of_one_run_whose_quorums_are_met_at_the_same_moment_both_end():
    ann, bob = member("ann"), member("bob")
    beside = {"id": "beside", "type": "human.approval", "params": {"title": "And this?", "quorum": 2}}
    task = asked(approval(quorum=2, more=[beside]))
    both = list(ManualTask.unsafe_all_tenants.filter(run_id=task.run_id))
    assert len(both) == 2
    for who in (ann, bob):
        for one in both:
            decide(who, one)
    make.work()
    assert {again(one).outcome for one in both} == {"approved"}
    assert make.run(str(task.run_id)).status == "COMPLETED"


@pytest.mark.parametrize("why", ["expired", "revoked", "left", "theirs", "reads", "none"])
def test_a_token_that_is_no_good_decides_nothing(why):
    task, ann = asked(), member("ann")
    user = User.objects.get(username="ann")
    tenant = make.a_tenant("theirs" if why == "theirs" else "default")
    if why == "theirs":
        make.MembershipFactory(tenant=tenant, user=user, role="admin")
    scopes = frozenset({"tasks:read"}) if why == "reads" else None
    token, text = create_token(user=user, tenant=tenant, scopes=scopes)
    if why == "left":
        Membership.objects.for_tenant(ann.tenant_id).filter(user=user).delete()
    rows = ApiToken.unsafe_all_tenants.filter(pk=token.pk)
    if why == "expired":
        rows.update(expires_at="2020-01-01T00:00Z")
    if why == "revoked":
        rows.update(revoked_at="2020-01-01T00:00Z")
    client = APIClient()
    if why != "none":
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    for verb, body in (("complete", {"outcome": "approved"}), ("claim", {})):
        answer = client.post(f"/api/v1/tasks/{task.pk}/{verb}", body, format="json")
        assert answer.status_code == {"theirs": 404, "reads": 403}.get(why, 401)
    assert (again(task).status, again(task).assignee, decisions(task)) == ("OPEN", None, 0)


def test_who_is_excluded_is_so_by_every_way_in():
    """Through a group that they join later, a role, a delegation, and as the one whose vote is missing."""
    bob, eve = member("bob", "approver", "Legal"), member("eve", "approver", "Legal")
    task = asked(approval(candidates={"groups": ["Legal"]}, exclude=["ann"], quorum={"groups": {"Legal": 2}}))
    ann = member("ann", "admin", "Legal")
    decide(bob, task)
    with pytest.raises(NotAllowed) as refused:
        decide(ann, task)
    assert refused.value.code == "excluded"
    assert decide(eve, task).outcome == "approved"
    task = asked(approval(candidates={"groups": ["Legal"]}, exclude=["ann"]))
    with pytest.raises(Invalid, match="ann is excluded"):
        hand(bob, task, "ann")
    with pytest.raises(Invalid, match="may not decide"):
        assignment.assign_task(member("boss", "admin"), task.pk, "ann")
    assert (again(task).assignee, decisions(task)) == (None, 0)


def test_a_run_that_was_cancelled_under_an_open_page_is_told_and_what_was_typed_is_kept(client):
    member("bob")
    client.force_login(User.objects.get(username="bob"))
    task = asked()
    assert client.get(f"/inbox/{task.pk}").status_code == 200
    make.cancel(str(task.run_id))
    answer = client.post(f"/inbox/{task.pk}/decide", {"outcome": "approved", "comment": "It is all fine."})
    assert answer.status_code == 409
    assert "Your decision was not taken" in answer.text
    assert "It is all fine." in answer.text
    assert (again(task).status, decisions(task)) == ("CANCELLED", 0)
