"""Calendars of folders and of the tenant: who sees, uses and changes them; versions keep theirs (R-122)."""

import importlib

import pytest
from django.db import connection

from accounts.folders import delete_folder
from accounts.principal import Forbidden
from lib.refusals import Conflict, Invalid, Missing, Unprocessable
from runs.calendars import calendars
from runs.calendars.judging import judge
from runs.calendars.uses import uses_of
from runs.models import Calendar, StepExecution
from runs.reading.presentation import run_row
from tests import factories as make
from tests.inbox.asking import member
from tests.runs.folder_calendars import (
    WEEKEND,
    admin,
    begun,
    ends,
    finance,
    fiona,
    friday,
    office,
    outsider,
    published,
    published_again,
    refused_delete,
    schedule,
    waits,
)
from tests.schedules import an_owner
from triggers.schedules.service import change_schedule
from workflows.models import WorkflowVersion
from workflows.versions import lifecycle

__all__ = ["admin", "finance", "fiona", "friday", "outsider"]
pytestmark = pytest.mark.django_db


def test_an_outsider_neither_sees_nor_changes_nor_deletes_a_calendar_of_a_folder(fiona, outsider):
    office(fiona)
    run_id = begun(published(fiona, waits()))
    for act in (
        lambda: calendars.get_calendar(outsider, "Office"),
        lambda: calendars.change_calendar(outsider, "Office", **WEEKEND),
        lambda: calendars.preview_change(outsider, "Office", **WEEKEND),
        lambda: calendars.delete_calendar(outsider, "Office"),
    ):
        with pytest.raises(Missing):
            act()
    assert list(calendars.readable_calendars(outsider)) == []
    assert ends(run_id) == "01-06 09:00"


def test_who_reads_there_sees_it_and_who_edits_there_changes_it(finance, fiona):
    reader = member("rita", "viewer", "Readers")
    make.GrantFactory(
        folder=finance, group=make.GroupFactory(tenant=make.a_tenant(), name="Readers"), verbs=["read"]
    )
    reader = member("rob", "author", "Readers")
    office(fiona)
    assert calendars.get_calendar(reader, "Office").folder == finance
    with pytest.raises(Forbidden, match="in its folder"):
        calendars.change_calendar(reader, "Office", **WEEKEND)
    assert calendars.change_calendar(fiona, "Office", **WEEKEND).revision == 2


def test_a_calendar_of_the_tenant_is_for_all_and_changed_by_admins(admin, fiona, outsider):
    with pytest.raises(Forbidden, match="by admins"):
        calendars.create_calendar(outsider, name="Plant")
    calendars.create_calendar(admin, name="Plant")
    assert [one.name for one in calendars.readable_calendars(outsider)] == ["Plant"]
    for act in (
        lambda: calendars.change_calendar(outsider, "Plant", **WEEKEND),
        lambda: calendars.delete_calendar(fiona, "Plant"),
        lambda: calendars.change_calendar(fiona, "Plant", folder="Finance"),
    ):
        with pytest.raises(Forbidden):
            act()
    version = published(fiona, waits(calendar="Plant"))
    assert version.calendars == {"Plant": Calendar.unsafe_all_tenants.get().pk}


def test_nobody_makes_one_in_a_folder_where_they_do_not_edit(outsider, fiona):
    for folder in ("Finance", "Nowhere"):
        with pytest.raises(Invalid) as refused:
            office(outsider, folder=folder)
        assert refused.value.field == "folder"
    office(fiona)
    with pytest.raises(Conflict) as taken:
        office(outsider, folder="General")
    assert taken.value.code == "name_taken"


def test_a_workflow_of_another_folder_can_not_be_published_with_it(fiona, outsider):
    office(fiona)
    lifecycle.create_workflow(outsider, name="other", definition=waits("other"), folder="General")
    with pytest.raises(Unprocessable) as refused:
        lifecycle.publish(outsider, "other")
    [problem] = refused.value.details["problems"]
    assert (problem["code"], problem["field"]) == ("calendar_elsewhere", "nodes[0].params.calendar")
    assert judge(make.a_tenant().pk, [waits("nobody has made it yet")]) == [[]]


def test_a_definition_that_was_written_past_validation_does_not_use_it_either(fiona, outsider):
    office(fiona, weekdays=[7])
    run_id = begun(make.a_version(waits()))
    assert "there is no calendar Office" in run_row(make.a_tenant().pk, run_id)["waiting_for"]


def test_one_that_is_called_default_counts_for_all_only_if_it_is_the_tenants(admin, fiona):
    unnamed = make.graph([{"id": "w", "type": "wait", "params": {"duration": "1 business day"}}], [])
    office(fiona, "default", weekdays=[7])
    assert "of Monday to Friday" in run_row(make.a_tenant().pk, begun(make.a_version(unnamed)))["waiting_for"]
    calendars.create_calendar(admin, name="Plant")
    assert "of Plant" in run_row(make.a_tenant().pk, begun(make.a_version(unnamed)))["waiting_for"]


def test_a_version_keeps_its_calendar_when_that_is_renamed_and_another_one_gets_the_name(fiona):
    office(fiona)
    version = published(fiona, waits())
    calendars.change_calendar(fiona, "Office", name="Old office")
    office(fiona, weekdays=[7])
    run_id = begun(version)
    assert ends(run_id) == "01-06 09:00"
    words = run_row(make.a_tenant().pk, run_id)["waiting_for"]
    assert words.endswith("1 working day of Old office (UTC)")
    again = lifecycle.publish(fiona, "pays")
    assert again.created
    assert ends(begun(again.version)) == "01-05 09:00"
    assert not lifecycle.publish(fiona, "pays").created


def test_what_a_container_does_for_its_items_keeps_the_calendar_of_the_version(fiona):
    office(fiona)
    wait = waits()["nodes"][0]
    each = {
        "id": "m",
        "type": "map",
        "params": {"items": [1], "body": {"steps": [wait, {"id": "n", "type": "noop"}]}},
    }
    definition = {"name": "pays", "nodes": [each], "edges": []}
    version = published(fiona, definition)
    calendars.change_calendar(fiona, "Office", name="Old office")
    office(fiona, weekdays=[7])
    newer = published_again(fiona, definition)
    for one, end in ((version, "01-06 09:00"), (newer, "01-05 09:00")):
        [part] = make.children_of(begun(one))
        assert ends(str(part.pk)) == end


def test_a_schedule_keeps_it_too_and_is_of_its_folder(admin, fiona, outsider):
    office(fiona)
    published(fiona, {"name": "pays", "nodes": [{"id": "n", "type": "noop"}], "edges": []})
    schedule(fiona, "morning", "pays")
    assert refused_delete(fiona).details["schedules"] == ["morning"]
    published(outsider, {"name": "other", "nodes": [{"id": "n", "type": "noop"}], "edges": []}, "General")
    for who in (outsider, admin):
        with pytest.raises(Invalid) as refused:
            schedule(who, "evening", "other")
        assert refused.value.field == "calendar"
    with pytest.raises(Invalid) as refused:
        change_schedule(admin, "morning", workflow="other")
    assert refused.value.field == "calendar"
    change_schedule(admin, "morning", workflow="other", calendar=None)


def test_it_does_not_leave_the_folder_of_workflows_that_use_it(admin, fiona):
    office(fiona)
    published(fiona, waits())
    with pytest.raises(Conflict) as refused:
        calendars.change_calendar(admin, "Office", folder="General")
    assert (refused.value.code, refused.value.field) == ("in_use", "folder")
    assert calendars.change_calendar(admin, "Office", folder=None).folder is None
    assert calendars.change_calendar(admin, "Office", folder="Finance").folder.name == "Finance"


def test_a_workflow_that_is_moved_goes_on_with_it_until_it_is_published_again(admin, fiona):
    calendar = office(fiona)
    version = published(fiona, waits())
    make.FolderFactory(tenant=make.a_tenant(), name="Legal")
    lifecycle.update_workflow(admin, "pays", folder="Legal")
    assert ends(begun(version)) == "01-06 09:00"
    assert [one.workflow for one in uses_of(admin, calendar).workflows] == ["pays"]
    assert uses_of(fiona, calendar).other_workflows == 1
    with pytest.raises(Unprocessable):
        lifecycle.publish(admin, "pays")
    with pytest.raises(Conflict, match="others"):
        calendars.delete_calendar(fiona, "Office")


def test_a_folder_with_a_calendar_in_it_is_not_deleted(admin, finance, fiona):
    office(fiona)
    with pytest.raises(Conflict, match="1 calendar lies in Finance"):
        delete_folder(admin, finance.pk)


def test_two_tenants_have_calendars_of_one_name_and_know_nothing_of_each_other(fiona):
    office(fiona)
    published(fiona, waits())
    other = make.a_tenant("other")
    make.CalendarFactory(tenant_id=other.pk, name="Office", weekdays=[7])
    theirs = an_owner(make.a_version(make.chain("noop"), tenant=other), "theirs")
    assert uses_of(theirs, calendars.get_calendar(theirs, "Office")).workflows == []
    calendars.delete_calendar(theirs, "Office")
    assert Calendar.unsafe_all_tenants.get().tenant_id == fiona.tenant_id


def test_a_run_that_is_moved_to_another_version_counts_by_what_that_names(admin, fiona):
    office(fiona)
    office(fiona, "Plant", weekdays=[7])
    run_id = begun(published(fiona, waits()))
    version = published_again(fiona, waits(calendar="Plant"))
    make.migrate(run_id, version)
    assert ends(run_id) == "01-05 09:00"
    waiting = StepExecution.unsafe_all_tenants.get(run_id=run_id).waiting
    assert waiting["calendar"] == {"id": version.calendars["Plant"], "revision": 1}


def test_existing_calendars_are_the_tenants_and_existing_versions_get_their_ids():
    plant = make.CalendarFactory(name="Plant")
    make.CalendarFactory(name="Plant", tenant_id=make.a_tenant("other").pk)
    inner = {"steps": [waits(calendar="Plant")["nodes"][0]]}
    each = {"id": "m", "type": "map", "params": {"items": [1], "body": inner}}
    versions = [
        make.a_version(make.graph([each], [])),
        make.a_version(
            make.graph([{"id": "n", "type": "noop"}], [], sla_working_days=1, sla_calendar="Plant")
        ),
        make.a_version(make.chain("noop")),
    ]
    migration = importlib.import_module("runs.migrations.0002_release_0_2")
    with connection.cursor() as cursor:
        cursor.execute(migration.PIN)
    pins = dict(WorkflowVersion.unsafe_all_tenants.values_list("pk", "calendars"))
    assert [pins[one.pk] for one in versions] == [{"Plant": plant.pk}, {"Plant": plant.pk}, {}]
    assert plant.folder is None
