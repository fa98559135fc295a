"""A schedule of somebody who may no longer start its workflow stops, says why, and does not resume by itself."""

import logging

import pytest

from accounts import members
from accounts.models import FolderGrant, GroupMember, Membership, User
from config import people_findings
from tests import factories as make
from tests.people import People
from tests.schedules import a_schedule, an_owner, entries, holding, runs_of
from triggers.schedules import firing
from triggers.schedules.reading import get_schedule
from triggers.schedules.service import change_schedule, create_schedule
from workflows.models import Workflow

PLAIN = make.chain("noop")
GONE = "It acts for owner, who is no longer an active member."


def of_now(schedule):
    return get_schedule(schedule.tenant_id, "nightly")


def is_on(schedule):
    row = of_now(schedule)
    return row.enabled, row.off_reason


@pytest.fixture
def boss(clock):
    return People().principal("admin", "default")


def test_it_stops_with_its_owners_deactivation_and_starts_no_run_by_itself_afterwards(clock, boss, caplog):
    schedule = a_schedule(make.a_version(PLAIN))
    with caplog.at_level(logging.INFO, "handoff.audit"):
        members.set_active(boss, "owner", False, reason="left")
    assert is_on(schedule) == (False, GONE)
    assert f"schedule.stop nightly by the server in {schedule.tenant_id}: {GONE!r}" in caplog.text
    members.set_active(boss, "owner", True)
    clock.advance(600)
    assert (firing.stop_orphans(), firing.fire(), runs_of(schedule)) == (0, 0, [])
    change_schedule(an_owner(schedule.workflow), "nightly", enabled=True)
    assert is_on(schedule) == (True, "")
    firing.fire()
    # What passed meanwhile is a row of its history and no run.
    assert entries(schedule) == [("skipped", "paused")]
    assert schedule.entries.get().message == f"It was switched off. {GONE}"
    clock.advance(60)
    firing.fire()
    assert len(runs_of(schedule)) == 1


@pytest.mark.parametrize(
    "goes", [lambda boss: members.remove_member(boss, "owner"),
             lambda boss: members.change_member(boss, "owner", role="viewer")]
)  # fmt: skip
def test_it_stops_with_the_membership_and_the_role(boss, goes):
    schedule = a_schedule(make.a_version(PLAIN))
    goes(boss)
    assert of_now(schedule).enabled is False


def test_it_goes_on_where_the_new_role_may_start_it_or_another_person_left(boss):
    version = make.a_version(PLAIN)
    schedule = a_schedule(version)
    FolderGrant.unsafe_all_tenants.all().delete()
    make.GrantFactory(folder=version.workflow.folder, role="author", verbs=["start"])
    make.a_member("other", "author")
    members.change_member(boss, "owner", role="author")
    members.remove_member(boss, "other")
    assert (is_on(schedule), firing.stop_orphans()) == ((True, ""), 0)


def of_a_group():
    """A schedule of somebody who may start its workflow by being in a group."""
    version = make.a_version(PLAIN)
    folder, group = make.FolderFactory(name="Pay"), make.GroupFactory(name="Ops")
    Workflow.unsafe_all_tenants.filter(pk=version.workflow_id).update(folder=folder)
    make.GrantFactory(folder=folder, group=group, verbs=["read", "start"])
    schedule = a_schedule(version)
    Membership.unsafe_all_tenants.filter(user__username="owner").update(role="operator")
    make.GroupMemberFactory(membership__user__username="owner", membership__role="operator", group=group)
    return schedule


@pytest.mark.parametrize("lost", [GroupMember, FolderGrant])
def test_the_duty_stops_it_where_a_group_or_a_grant_is_lost(boss, lost):
    schedule = of_a_group()
    assert (firing.stop_orphans(), of_now(schedule).enabled) == (0, True)
    lost.unsafe_all_tenants.all().delete()
    assert firing.stop_orphans() == 1
    assert is_on(schedule) == (
        False, "It acts for owner, who may not start runs in the folder Pay."
    )  # fmt: skip
    assert firing.stop_orphans() == 0


def test_a_due_time_that_waited_is_dropped_with_the_reason(clock, boss):
    schedule = a_schedule(holding(), overlap="buffer_one")
    for _ in range(2):
        clock.advance(60)
        firing.fire()
    User.objects.filter(username="owner").update(is_active=False)
    assert firing.stop_orphans() == 1
    assert entries(schedule) == [("started", ""), ("skipped", "not_allowed")]
    assert of_now(schedule).buffered_due_at is None


def test_who_pauses_it_by_hand_makes_that_the_reason(boss):
    schedule = a_schedule(make.a_version(PLAIN))
    members.set_active(boss, "owner", False, reason="left")
    change_schedule(boss, "nightly", enabled=False, note="It is not needed.")
    row = of_now(schedule)
    assert (row.enabled, row.off_reason, row.note) == (False, "", "It is not needed.")


def test_one_that_is_over_does_not_stop(clock, boss):
    version = make.a_version(PLAIN)
    schedule = create_schedule(
        an_owner(version), name="nightly", workflow=version.workflow.name, at=clock.now.replace(year=2032)
    )
    clock.advance(2 * 366 * 86_400)
    firing.fire()
    members.set_active(boss, "owner", False, reason="left")
    assert is_on(schedule) == (True, "")


def test_the_doctor_and_the_page_of_the_workflow_say_that_it_was_stopped(boss, client):
    schedule = a_schedule(make.a_version(PLAIN))
    assert list(people_findings.of_tasks()) == []
    members.remove_member(boss, "owner")
    [finding] = people_findings.of_tasks()
    assert (finding.level, "1 schedule stopped" in finding.text) == ("problem", True)
    client.force_login(make.a_user("admin-of-default"))
    page = client.get(f"/workflows/{schedule.workflow.name}/").text
    assert ("Stopped <time" in page, GONE in page) == (True, True)
