"""People, folders and workflows of tests of working calendars."""

from datetime import UTC, datetime

import pytest

from accounts.folders import default_folder
from lib.refusals import Conflict
from runs.calendars import calendars
from runs.models import Timer
from tests import factories as make
from tests.inbox.asking import member
from triggers.schedules.service import create_schedule
from workflows.models import Workflow
from workflows.versions import lifecycle

FRIDAY = datetime(2031, 1, 3, 9, tzinfo=UTC)
WEEKEND = {"weekdays": [6, 7]}


@pytest.fixture(autouse=True)
def friday(clock):
    clock.set(FRIDAY)


@pytest.fixture
def admin():
    return member("ada", "admin")


@pytest.fixture
def finance():
    """A folder in which only the group Finance edits, publishes and starts."""
    folder = make.FolderFactory(tenant=make.a_tenant(), name="Finance")
    group = make.GroupFactory(tenant=make.a_tenant(), name="Finance")
    make.GrantFactory(folder=folder, group=group, verbs=["read", "start", "edit", "publish"])
    return folder


@pytest.fixture
def fiona(finance):
    return member("fiona", "author", "Finance")


@pytest.fixture
def outsider(finance):
    """An author of the default folder, who sees nothing of Finance."""
    default_folder(make.a_tenant().pk)
    return member("otto", "author")


def office(who, name="Office", folder="Finance", **values):
    return calendars.create_calendar(who, name=name, folder=folder, **values)


def waits(name="pays", calendar="Office"):
    wait = {"id": "w", "type": "wait", "params": {"duration": "1 business day", "calendar": calendar}}
    return {"name": name, "nodes": [wait], "edges": []}


def published(who, definition, folder="Finance"):
    lifecycle.create_workflow(who, name=definition["name"], definition=definition, folder=folder)
    return lifecycle.publish(who, definition["name"]).version


def begun(version):
    [run_id] = make.start_version(version, {})
    make.work()
    return run_id


def ends(run_id):
    (timer,) = Timer.unsafe_all_tenants.filter(run_id=run_id, status="PENDING")
    return f"{timer.fire_at.astimezone(UTC):%m-%d %H:%M}"


def published_again(who, definition):
    revision = Workflow.unsafe_all_tenants.get(name=definition["name"]).draft_revision
    lifecycle.save_draft(who, definition["name"], definition=definition, expected_revision=revision)
    return lifecycle.publish(who, definition["name"]).version


def schedule(who, name, workflow, **values):
    return create_schedule(who, name=name, workflow=workflow, cron="0 18 * * *", calendar="Office", **values)


def refused_delete(who):
    with pytest.raises(Conflict) as refused:
        calendars.delete_calendar(who, "Office")
    return refused.value
