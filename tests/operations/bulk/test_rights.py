"""A bulk job acts for whoever began it: who has left meanwhile, or may no more, has nothing more done."""

import pytest

from accounts import tokens
from accounts.models import ApiToken, FolderGrant, Membership, User
from accounts.services import acting_principal, authenticate_token
from operations.bulk import rights, service, work
from operations.bulk.aims import Aim
from operations.bulk.rights import Actors
from tests import factories as make
from tests.inbox.asking import member, task_of
from tests.operations.bulk.test_aims import asked, workflow_of
from tests.operations.bulk.test_jobs import ALL, NEW, counted, waiting

pytestmark = pytest.mark.django_db

GONE = "ops is no longer a member of this tenant."


def leaves():
    Membership.unsafe_all_tenants.filter(user__username="ops").delete()


def is_shut_out():
    User.objects.filter(username="ops").update(is_active=False)


def becomes_viewer():
    Membership.unsafe_all_tenants.filter(user__username="ops").update(role="viewer")


def loses_the_folder():
    FolderGrant.unsafe_all_tenants.all().delete()


@pytest.mark.parametrize(
    ("happens", "why"),
    [
        (leaves, GONE),
        (is_shut_out, GONE),
        (becomes_viewer, "It acts for ops, whose role (viewer) may not operate runs."),
        (loses_the_folder, "It acts for ops, who may not operate runs in the folder of this run."),
    ],
)
@pytest.mark.parametrize("verb", ["cancel", "migrate", "reassign"])
def test_nothing_more_is_done_for_who_may_no_more_and_the_job_says_so(verb, happens, why):
    ops = member("ops", "operator")
    member("ann", "approver", "Refunds")
    run_ids = asked(3) if verb == "reassign" else waiting(3)
    if verb == "migrate":
        make.newer(run_ids[0], NEW)
    aim = {"migrate": Aim(version=2), "reassign": Aim(assignee="ann")}.get(verb, Aim())
    dry = service.begin_verb(ops, verb, f"workflow:{workflow_of(run_ids[0])}", aim=aim, dry_run=True)
    work.work(ALL)
    assert counted(dry) == {"able": 3}
    job = service.go(ops, dry.pk, reason="")
    assert work._one(Actors())
    happens()

    work.work(ALL)

    done = {"migrate": "moved"}.get(verb, "done")
    assert counted(job) == {done: 1, "refused": 2}
    assert job.finished_at is not None
    assert [(one.message, one.count) for one in service.reasons_of(job)] == [(why, 2)]
    changed = {
        "cancel": lambda run: make.run(run).status == "CANCELLED",
        "migrate": lambda run: make.run(run).version.number == 2,
        "reassign": lambda run: task_of(run).assignee == "ann",
    }[verb]
    assert sum(map(changed, run_ids)) == 1


def test_a_dry_run_finds_nothing_able_for_who_has_left():
    waiting(2)
    job = service.begin_verb(member("ops", "operator"), "cancel", "status:open", dry_run=True)
    leaves()
    work.work(ALL)
    assert counted(job) == {"refused": 2}


def test_a_service_acts_as_long_as_it_has_a_token():
    boss, run_ids = member("boss", "admin"), waiting(2)
    _, text = tokens.make(boss, name="nightly", role="operator", service=True)
    job = service.begin_verb(authenticate_token(text), "cancel", "status:open")
    assert work._one(Actors())
    ApiToken.unsafe_all_tenants.update(revoked_at="2026-01-01T00:00:00Z")
    work.work(ALL)
    assert counted(job) == {"done": 1, "refused": 1}
    (reason,) = service.reasons_of(job)
    assert reason.message == f"{job.created_by} no longer has a valid token."
    assert sorted(make.run(run).status for run in run_ids) == ["CANCELLED", "RUNNING"]


def test_who_a_job_acts_for_is_asked_once_a_batch(monkeypatch):
    asked_for: list[str] = []

    def counting(tenant_id, username):
        asked_for.append(username)
        return acting_principal(tenant_id, username)

    monkeypatch.setattr(rights, "acting_principal", counting)
    waiting(3)
    service.begin_verb(member("ops", "operator"), "cancel", "status:open")
    work.work(ALL)
    work.work(ALL)
    assert asked_for == ["ops"]
