"""A calendar that is deleted while a version that names it is published: one of both is refused (R-122)."""

import pytest
from django.db import transaction

from accounts.folders import create_folder
from lib.refusals import Conflict
from runs.calendars import calendars
from runs.models import Calendar
from tests.people import People
from tests.races.staging import Actor, blocked, me
from workflows.models import WorkflowVersion
from workflows.versions import lifecycle

WAIT = {"id": "w", "type": "wait", "params": {"duration": "1 business day", "calendar": "Office"}}


@pytest.fixture
def admin():
    who = People().principal("admin")
    lifecycle.create_workflow(who, name="pays", definition={"name": "pays", "nodes": [WAIT], "edges": []})
    calendars.create_calendar(who, name="Office")
    return who


def held(work):
    """An actor that has done `work`, and not committed it yet."""

    def act():
        with transaction.atomic():
            done = work()
            me().halt()
        return done

    return Actor(act).until_halted()


def test_who_deletes_it_waits_for_who_publishes_and_is_refused(admin):
    first = held(lambda: lifecycle.publish(admin, "pays"))
    second = blocked(lambda: calendars.delete_calendar(admin, "Office"))
    first.go()
    version = first.end().version
    with pytest.raises(Conflict, match="in use by the workflow pays"):
        second.end()
    assert version.calendars == {"Office": Calendar.unsafe_all_tenants.get().pk}


def test_who_publishes_waits_for_who_deletes_it_and_is_refused(admin):
    first = held(lambda: calendars.delete_calendar(admin, "Office"))
    second = blocked(lambda: lifecycle.publish(admin, "pays"))
    first.go()
    first.end()
    with pytest.raises(Conflict, match="deleted or moved meanwhile"):
        second.end()
    assert not WorkflowVersion.unsafe_all_tenants.exists()


def test_who_publishes_waits_for_who_moves_it_to_another_folder(admin):
    create_folder(admin, name="Finance", grants=[])
    first = held(lambda: calendars.change_calendar(admin, "Office", folder="Finance"))
    second = blocked(lambda: lifecycle.publish(admin, "pays"))
    first.go()
    first.end()
    with pytest.raises(Conflict, match="deleted or moved meanwhile"):
        second.end()
