"""Whom a task asks, by the folder of its workflow: who decides, what the folder grants and whom the step names, at each
door (docs/security.md, "Folders").
"""

from datetime import UTC, datetime, timedelta
from importlib import import_module
from itertools import product

import pytest
from django.apps import apps
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from accounts import folders
from accounts.folders import Grant
from accounts.models import User
from config.people_findings import of_tasks
from tasks_inbox.actions import absences
from tasks_inbox.design.narrowed import Narrowed, narrowed
from tasks_inbox.design.publishing import judge
from tasks_inbox.design.summary import forecast_deciders
from tasks_inbox.eligibility.electors import electors_of
from tasks_inbox.eligibility.undecidable import is_undecidable
from tasks_inbox.forms import files
from tasks_inbox.mail.notices import people_of
from tasks_inbox.models import ASKED
from tests import factories as make
from tests.inbox.asking import again, approval, asked, member, read, task_of
from tests.inbox.persons import Person
from workflows.models import Workflow, WorkflowVersion

pytestmark = pytest.mark.django_db

ROLES = {"approver": True, "viewer": False}
"""Roles, and whether they decide tasks."""
GRANTS = {"nothing": (), "read": ("read",), "decide": ("decide",)}
WHOM = {"everybody": {}, "named": {"users": ["ann"]}, "group": {"groups": ["Legal"]}}
CASES = [
    pytest.param(role, grant, whom, by_group, id=f"{role}, {grant}{' by group' if by_group else ''}, {whom}")
    for role, grant, whom, by_group in product(ROLES, GRANTS, WHOM, (False, True))
]


def lay(task, *grants):
    """The task's workflow lies in a folder of its own that grants this."""
    folder = folders.create_folder(member("boss", "admin"), "Apart", list(grants))
    Workflow.unsafe_all_tenants.filter(pk=task.workflow_id).update(folder=folder)
    return folder


def granting(grant, role, *, by_group=False):
    """What lets Ann do this there: as one of her role, or of her group."""
    to = {"group": "Legal"} if by_group else {"role": role}
    return [Grant(GRANTS[grant], **to)] if GRANTS[grant] else []


def ids(answer):
    return [row["id"] for row in answer.json()["results"]]


def statuses(ann, task, file):
    """What each door says to Ann that changes nothing: whether it lets her see the task."""
    page, key = Client(), str(task.pk)
    page.force_login(User.objects.get(username="ann"))
    return {
        "detail": ann.get(f"tasks/{key}").status_code == 200,
        "comments": ann.get(f"tasks/{key}/comments").status_code == 200,
        "files": ann.get(f"tasks/{key}/files").status_code == 200,
        "file": ann.get(f"tasks/{key}/files/{file}").status_code == 200,
        "page": page.get(f"/inbox/{key}").status_code == 200,
        "live page": page.get(f"/inbox/{key}/state").status_code == 200,
        "all": key in ids(ann.get("tasks")),
        "search of all": key in ids(ann.get("tasks?q=refund")),
    }


def offers(ann, task):
    """Where the task is offered to Ann to be decided."""
    key = str(task.pk)
    return {
        "teams": key in ids(ann.get("tasks?view=teams")),
        "open": key in ids(ann.get("tasks?view=open")),
        "search": key in ids(ann.get("tasks?view=open&filter=refund")),
        "counts": ann.get("tasks/counts").json()["teams"] == 1,
        "may decide": ann.get(f"tasks/{key}").json().get("may_decide", False),
        "mail": "ann" in people_of(again(task), ASKED, None),
        "electors": "ann" in [one.key for one in electors_of(again(task))],
    }


def acts(ann, task):
    """What Ann may do with the task; the last ends it."""
    key, seen = task.pk, read(ann.principal, task)
    return {
        "comment": ann.post(f"tasks/{key}/comments", {"text": "Well."}).status_code == 201,
        "claim": ann.post(f"tasks/{key}/claim").status_code == 200,
        "unclaim": ann.post(f"tasks/{key}/unclaim").status_code == 200,
        "decide": ann.sends(f"tasks/{key}/complete", {"outcome": "approved", "seen": seen}).status_code
        == 200,
    }


@pytest.mark.parametrize(("role", "grant", "whom", "by_group"), CASES)
def test_a_task_asks_whom_the_folder_lets_read_or_decide_or_who_is_named(role, grant, whom, by_group):
    ann = Person("ann", role, "Legal")
    task = asked(approval(candidates=WHOM[whom]) if WHOM[whom] else approval())
    file = files.attach(member("boss", "admin"), task.pk, name="a.txt", content=b"Yes.")
    lay(task, *granting(grant, role, by_group=by_group))
    is_asked = ROLES[role] and (whom != "everybody" or grant != "nothing")
    sees = is_asked or grant == "read"
    assert set(statuses(ann, task, file.pk).values()) == {sees}, statuses(ann, task, file.pk)
    assert set(offers(ann, task).values()) == {is_asked}, offers(ann, task)
    # What decides only does not read the run.
    assert (ann.get(f"runs/{task.run_id}").status_code == 200) == (grant == "read")
    assert (ann.get("workflows").json()["results"] != []) == (grant == "read")
    done = acts(ann, task)
    assert set(done.values()) == {is_asked}, done
    assert again(task).status == ("COMPLETED" if is_asked else "OPEN")


def test_what_was_granted_and_is_no_more_asks_nobody_at_once():
    ann, task = Person("ann"), asked(approval())
    folder = lay(task, Grant(("decide",), "approver"))
    assert offers(ann, task)["teams"]
    assert not is_undecidable(again(task))
    folders.change_folder(member("boss", "admin"), folder.pk, grants=[])
    assert not any(offers(ann, task).values())
    assert ann.post(f"tasks/{task.pk}/complete", {"outcome": "approved"}).status_code == 404


def test_where_the_folder_lets_nobody_decide_nobody_can():
    member("ann")
    task = asked(approval(exclude=["boss"]))
    lay(task)
    assert is_undecidable(again(task))


def test_all_of_everybody_are_those_of_the_folder():
    member("ann", "approver", "Legal")
    member("bob")
    boss = member("boss", "admin")
    folder = folders.create_folder(boss, "Apart", [Grant(("decide",), group="Legal")])
    version = make.a_version(approval(quorum={"need": "all"}))
    Workflow.unsafe_all_tenants.filter(pk=version.workflow_id).update(folder=folder)
    (run,) = make.start_version(version, {"amount": 40})
    make.work()
    assert sorted(one["name"] for one in task_of(run).named) == ["ann", "boss"]


def test_who_stands_in_for_somebody_gets_what_the_folder_lets_that_person_decide():
    ann, bob = Person("ann", "approver", "Legal"), Person("bob")
    now = datetime.now(UTC)
    absences.add_rule(
        ann.principal, "bob", starts_at=now - timedelta(days=1), ends_at=now + timedelta(days=1)
    )
    task = asked(approval())
    lay(task, Grant(("decide",), group="Legal"))
    assert offers(ann, task)["teams"]
    rows = bob.get("tasks?view=teams").json()["results"]
    assert [(row["id"], row["stands_in_for"]) for row in rows] == [(str(task.pk), "ann")]
    assert bob.post(f"tasks/{task.pk}/complete", {"outcome": "approved"}).status_code == 200


def test_publishing_warns_of_people_who_are_named_and_whom_the_folder_lets_do_nothing():
    for name in ("ann", "bob"):
        member(name)
    member("cat", "approver", "Legal")
    task = asked(approval(candidates={"users": ["ann", "bob", "cat"]}, due_seconds=60, on_timeout="rejected"))
    folder = lay(task, Grant(("decide",), group="Legal"))
    version = WorkflowVersion.unsafe_all_tenants.get(workflow=task.workflow_id)
    native = version.definition | {"name": version.workflow.name}
    (problems,) = judge(task.tenant_id, [native])
    (one,) = [problem for problem in problems if problem.code == "asks_outside_folder"]
    assert one.severity == "warning"
    assert one.message.startswith(
        "`ask` asks 3 people. The folder of this workflow lets ann, bob neither read"
    )
    told = forecast_deciders(task.tenant_id, {}, folder.pk)
    assert (told.level, told.people) == ("enough", 2)
    assert forecast_deciders(task.tenant_id, {"exclude": ["boss", "cat"]}, folder.pk).level == "nobody"


def test_what_is_older_than_the_rule_and_asks_fewer_is_listed_until_it_is_published_anew():
    member("ann")
    member("bob", "approver", "Legal")
    task, named = asked(approval()), asked(approval(candidates={"users": ["ann"]}))
    folder = lay(task, Grant(("decide",), group="Legal"))
    Workflow.unsafe_all_tenants.filter(pk=named.workflow_id).update(folder=folder)
    assert narrowed() == []
    rule = MigrationRecorder.Migration.objects.filter(app="accounts", name="0010_decide")
    rule.update(applied=datetime.now(UTC) + timedelta(minutes=1))
    name = Workflow.unsafe_all_tenants.get(pk=task.workflow_id).name
    assert narrowed() == [Narrowed(task.tenant_id, name, "Apart", 2, 3, 1, True)]
    (finding,) = of_tasks()
    assert (finding.level, "ask 2 of the 3 people" in finding.text) == ("warn", True)
    folders.change_folder(member("boss", "admin"), folder.pk, grants=[Grant(("decide",), "approver")])
    assert narrowed() == []


def test_the_upgrade_lets_those_decide_in_the_default_folder_who_could_until_now(capsys):
    tenant = make.a_tenant()
    default = folders.default_folder(tenant.pk)
    other = folders.create_folder(member("boss", "admin"), "Apart", [Grant(("read",), "viewer")])
    migration = import_module("accounts.migrations.0002_release_0_2")
    with connection.cursor() as cursor:
        cursor.execute(migration.TAKE_BACK)
        before = {(one.role, one.group): set(one.verbs) for one in folders.grants_of(default)}
        assert not any("decide" in verbs for verbs in before.values())
        cursor.execute(migration.GRANT)
    migration.say_who_decides(apps, None)
    assert "So far nobody is granted decide in: Apart (default)." in capsys.readouterr().out
    after = {(one.role, one.group): set(one.verbs) for one in folders.grants_of(default)}
    deciding = {(role, ""): {"decide"} for role in ("operator", "requester", "approver")}
    assert after == before | {key: before.get(key, set()) | verbs for key, verbs in deciding.items()}
    assert [one.verbs for one in folders.grants_of(other)] == [("read",)]
