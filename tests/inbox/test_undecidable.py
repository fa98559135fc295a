"""What nobody can decide does not wait in silence: starts warn of it, people repair it, and own forms are one's own."""

import logging

import pytest

from accounts.members import remove_member
from accounts.models import Membership
from accounts.principal import Forbidden
from config import people_findings
from lib.refusals import Invalid
from runs.commands.starts import NewRun, Terms, start_runs
from tasks_inbox.actions import assignment, drafts, escalating
from tasks_inbox.duties import undecidable
from tasks_inbox.eligibility import identity
from tasks_inbox.models import ManualTask
from tasks_inbox.reading import listing, sources
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, member, resolve, task_of
from tests.inbox.persons import Person
from tests.inbox.test_compliance_templates import DESCRIBED, taken
from workflows.checking.check import check
from workflows.models import Workflow

OWN = {"candidates": {"users": ["{{ run.created_by }}"]}}


def incidents():
    return list(ManualTask.unsafe_all_tenants.filter(kind="incident").order_by("id"))


def removed(name):
    Membership.unsafe_all_tenants.filter(user__username=name).delete()


def offered(who):
    return set(sources.tasks_of(identity.who_is(who), view="open").values_list("pk", flat=True))


@pytest.mark.parametrize("role", ["author", "viewer"])
def test_a_form_that_asks_who_started_the_run_is_theirs_whatever_their_role(role):
    ann = member("Ann", role)
    make.start(approval(type="human.form", **OWN), {"amount": 1}, by="ann")
    make.work()
    (task,) = sources.tasks_of(identity.who_is(ann), view="open")
    drafts.save_draft(ann, task.pk, data={"half": 1})
    for act in (
        lambda: assignment.claim_task(ann, task.pk),
        lambda: assignment.delegate_task(ann, task.pk, "bob"),
        lambda: assignment.assign_task(ann, task.pk, "bob"),
        lambda: escalating.escalate_task(ann, task.pk, to={"users": ["bob"]}, reason="x"),
    ):
        with pytest.raises(Forbidden):
            act()
    assert undecidable.tick() == 0
    assert decide(ann, task, "submitted").decided_by == "Ann"


@pytest.mark.parametrize("kind", ["human.approval", "human.form"])
def test_nobody_else_without_the_role_has_it(kind):
    member("ann", "author")
    cat = member("cat", "author")
    make.start(approval(type=kind, **OWN), {"amount": 1}, by="ann")
    make.work()
    task = ManualTask.unsafe_all_tenants.get()
    assert offered(cat) == set()
    with pytest.raises(Forbidden):
        decide(cat, task, task.outcomes[0]["name"])
    if kind == "human.approval":
        with pytest.raises(Forbidden):
            decide(member("ann", "author"), task)


def test_a_vendor_that_an_author_asks_for_is_described_by_them_over_rest():
    req, eve, bob = Person("req", "author"), Person("eve"), Person("bob")
    Person("boss", "admin")
    assert taken("vendor_onboarding")
    run = req.starts("vendor_onboarding")
    assert (req.is_offered(run), bob.is_offered(run), eve.is_offered(run)) == (["describe"], [], [])
    (task,) = req.tasks(run)
    assert task["may_decide"]
    assert req.post(f"tasks/{task['id']}/claim").status_code == 403
    assert req.decides(run, "submitted", data=DESCRIBED) == 200
    assert (req.is_offered(run), bob.is_offered(run)) == ([], ["check"])
    assert req.decides(run, "passed") == 403


def test_a_start_warns_of_what_nobody_may_decide():
    member("ann", "author"), member("eve")
    version = make.a_version(approval(candidates={"users": ["{{ input.who }}"]}))
    terms = Terms(tenant=make.a_tenant().pk, version=version.pk, by="ann")
    nobody, somebody = start_runs(
        terms, [NewRun({"amount": 1, "who": "ann"}), NewRun({"amount": 1, "who": "eve"})]
    )
    assert somebody.warnings == ()
    assert "asks ann, none of whom may decide it" in nobody.warnings[0]
    own = make.a_version(approval(type="human.form", **OWN))
    (started,) = start_runs(
        Terms(tenant=make.a_tenant().pk, version=own.pk, by="ann"), [NewRun({"amount": 1})]
    )
    assert started.warnings == ()


def test_a_start_over_rest_and_on_the_page_says_so(client):
    boss = Person("boss", "admin")
    version = make.a_version(approval(candidates={"users": ["{{ input.who }}"]}))
    given = {"workflow": version.workflow.name, "input": {"amount": 1, "who": "ghost"}}
    answer = boss.post("runs", given).json()
    assert "asks ghost" in answer["warnings"][0]
    many = {"workflow": version.workflow.name, "items": [{"input": given["input"]}]}
    assert "asks ghost" in boss.post("runs/batch", many).json()["runs"][0]["warnings"][0]
    assert "warnings" not in boss.get(f"runs/{answer['id']}").json()
    client.force_login(Membership.unsafe_all_tenants.get(user__username="boss").user)
    form = {"input_kind": "json", "input": '{"amount": 1, "who": "ghost"}'}
    page = client.post(f"/workflows/{version.workflow.name}/start", form, follow=True)
    assert "none of whom may decide it" in page.text


def test_what_nobody_can_decide_alerts_opens_an_incident_and_is_assigned(
    caplog, django_capture_on_commit_callbacks
):
    ann, olga = member("ann"), member("olga", "operator")
    task = asked(approval(candidates={"users": ["ann"]}))
    assert undecidable.tick() == 0
    remove_member(member("boss", "admin"), "ann")
    with (
        caplog.at_level(logging.ERROR, "runs.kernel.alerts"),
        django_capture_on_commit_callbacks(execute=True),
    ):
        assert undecidable.tick() == 1
        assert undecidable.tick() == 0
    assert "alert nobody_may_decide" in caplog.text
    (incident,) = incidents()
    assert (incident.status, incident.title) == ("OPEN", f"Nobody can decide “{task.title}”")
    assert incident.pk in offered(olga)
    assert [one.level for one in people_findings.of_tasks()] == ["problem"]
    with pytest.raises(Invalid):
        assignment.assign_task(olga, task.pk, "ghost")
    assert assignment.assign_task(olga, task.pk, "olga", reason="ann has left").assignee == "olga"
    assert undecidable.tick() == 0
    assert again(incident).status == "CANCELLED"
    assert list(people_findings.of_tasks()) == []
    assert decide(olga, task).outcome == "approved"
    assert ann.username == "ann"


def test_a_quorum_that_cannot_be_met_is_found_and_repaired_by_escalating():
    ann, olga = member("ann"), member("olga", "operator")
    member("bob"), member("cat")
    task = asked(approval(candidates={"users": ["ann", "bob"]}, quorum=2))
    with pytest.raises(Forbidden):
        escalating.escalate_task(member("vic", "viewer"), task.pk, to={"users": ["cat"]}, reason="x")
    removed("bob")
    assert undecidable.tick() == 1
    escalating.escalate_task(olga, task.pk, to={"users": ["cat"]}, reason="bob has left")
    assert undecidable.tick() == 0
    decide(ann, task)
    assert decide(member("cat"), task).outcome == "approved"


def test_somebody_may_come_back_and_an_incident_that_was_seen_opens_no_other():
    member("ann")
    olga = member("olga", "operator")
    task = asked(approval(candidates={"groups": ["Legal"]}))
    assert undecidable.tick() == 1
    (incident,) = incidents()
    assert resolve(olga, incident, "done").status == "COMPLETED"
    assert undecidable.tick() == 0
    assert len(list(people_findings.of_tasks())) == 1
    member("ann", "approver", "Legal")
    assert undecidable.tick() == 0
    assert again(task).undecidable_since is None
    assert list(people_findings.of_tasks()) == []


def test_it_looks_at_all_tasks_in_turn(monkeypatch):
    monkeypatch.setattr(undecidable, "BATCH", 2)
    member("ann")
    tasks = [asked(approval(candidates={"users": ["ann"]})) for _ in range(5)]
    removed("ann")
    assert sum(undecidable.tick() for _ in range(4)) == 5
    assert all(again(task).undecidable_since for task in tasks)


def test_who_may_decide_assigns_nobody_whom_it_does_not_ask():
    member("ann")
    olga = member("olga", "operator")
    task = asked(approval(candidates={"users": ["ann"]}))
    with pytest.raises(Invalid, match="may not decide"):
        assignment.assign_task(olga, task.pk, "olga")
    assert task_of(task.run_id).assignee is None


def test_validate_warns_where_who_starts_it_may_decide_nothing():
    member("eve")
    tenant = make.a_tenant().pk

    def said(kind, candidates):
        definition = approval(type=kind, candidates=candidates)
        return [
            (one.code, one.severity)
            for one in check(definition, tenant=tenant).problems
            if one.code == "asks_who_starts"
        ]

    own = {"users": ["{{ run.created_by }}"]}
    assert said("human.approval", own) == []
    member("ann", "author")
    assert said("human.approval", own) == [("asks_who_starts", "warning")]
    assert said("human.form", own) == said("human.approval", own | {"roles": ["approver"]}) == []


def test_a_quorum_is_repaired_only_by_somebody_who_can_still_decide():
    ann, olga = member("ann"), member("olga", "operator")
    member("bob"), member("cat")
    task = asked(approval(candidates={"users": ["ann", "bob"]}, quorum={"need": "all"}))
    decide(ann, task)
    removed("bob")
    assert undecidable.tick() == 1
    with pytest.raises(Invalid, match="ann is already asked"):
        assignment.assign_task(olga, task.pk, "ann")
    assert again(task).undecidable_since
    assignment.assign_task(olga, task.pk, "cat", reason="bob has left")
    assert undecidable.tick() == 0
    assert decide(member("cat"), task).outcome == "approved"


def test_what_nobody_is_left_to_decide_is_found_though_all_who_can_have_agreed():
    ann, olga = member("ann"), member("olga", "operator")
    member("bob"), member("cat")
    task = asked(approval(candidates={"users": ["ann", "bob"]}, quorum={"need": "all"}))
    decide(ann, task)
    ManualTask.unsafe_all_tenants.filter(pk=task.pk).update(exclude=["bob"])
    assert undecidable.tick() == 1
    escalating.escalate_task(olga, task.pk, to={"users": ["cat"]}, reason="bob decided another step")
    assert decide(member("cat"), task).outcome == "approved"


def test_the_incident_leads_to_the_task_which_offers_who_could_decide_it(client):
    member("ann"), member("olga", "operator"), member("vic", "viewer")
    task = asked(approval(candidates={"users": ["ghost"]}))
    assert undecidable.tick() == 1
    client.force_login(make.a_user("olga"))
    assert f'href="/inbox/{task.pk}' in client.get(f"/inbox/{incidents()[0].pk}").text
    page = client.get(f"/inbox/{task.pk}").text
    assert page.count('<datalist id="delegates">') == 1
    assert '<option value="ann">' in page
    assert '<option value="vic">' not in page


def test_a_tenant_that_cannot_be_looked_at_keeps_nobody_elses_tasks_from_it(monkeypatch, caplog):
    ann, task = member("ann"), asked(approval(candidates={"users": ["ann"]}))
    removed("ann")
    look = undecidable.members_of

    def cannot(tenant):
        if tenant == -1:
            raise ValueError("no such tenant")
        return look(tenant)

    monkeypatch.setattr(undecidable, "members_of", cannot)
    monkeypatch.setattr(
        undecidable.statements, "next_open_tasks", lambda _: {-1: [], ann.tenant_id: [task.pk]}
    )
    assert undecidable.tick() == 1
    assert [one.step_id for one in incidents()] == [task.pk]
    assert "0 tasks of tenant -1 can't be looked at" in caplog.text


def test_operators_find_what_nobody_can_decide_and_others_do_not():
    member("ann")
    operator, bystander = member("op", "operator"), member("bob")
    task = asked(approval(candidates={"users": ["ann"]}))
    asked(approval(title="Fine", candidates={"users": ["bob"]}))
    removed("ann")
    undecidable.tick()

    def shown(who):
        one = identity.who_is(who)
        found = {row.pk for row in sources.tasks_of(one, view="undecidable")}
        in_parts = {row.pk for part in sources.parts_of(one, view="undecidable") for row in part}
        assert found == in_parts
        assert listing.counts(one).views["undecidable"] == len(found)
        return found

    assert (shown(operator), shown(bystander)) == ({task.pk}, set())
    folder = make.FolderFactory(tenant_id=task.tenant_id)
    Workflow.objects.for_tenant(task.tenant_id).filter(pk=task.workflow_id).update(folder=folder.pk)
    assert shown(member("op2", "operator")) == set()
    assert shown(member("boss", "admin")) == {task.pk}
    assignment.assign_task(member("boss", "admin"), task.pk, "bob")
    assert shown(member("boss", "admin")) == set()
