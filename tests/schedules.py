"""Schedules of tests: made as their owners make them, and what they did."""

from accounts.principal import EVERYWHERE, Principal
from accounts.roles import ADMIN, SCOPES
from runs.models import Run
from tests import factories as make
from triggers.schedules.models import ScheduleEntry
from triggers.schedules.service import create_schedule

HOLD = {"id": "hold", "type": "signal", "params": {"name": "go", "timeout_seconds": 864_000}}
"""A step that keeps a run open."""


def an_owner(owned, username="owner"):
    """An admin of the tenant of a version or workflow, as they come to services."""
    user = make.a_member(username, "admin")
    return Principal(
        owned.tenant_id, "default", user.pk, username, ADMIN, SCOPES, "command", reach=EVERYWHERE
    )


def holding():
    """A workflow whose runs stay open."""
    return make.a_version(make.graph([HOLD], []))


def a_schedule(version, name="nightly", **values):
    """A schedule of every minute, unless the values say otherwise."""
    if not {"cron", "every_seconds", "at"} & values.keys():
        values["every_seconds"] = 60
    owner = an_owner(version)
    return create_schedule(owner, name=name, workflow=version.workflow.name, **values)


def entries(schedule):
    """What it did, the oldest first: status and reason of each."""
    rows = ScheduleEntry.unsafe_all_tenants.filter(schedule=schedule.pk).order_by("due_at")
    return [(row.status, row.reason) for row in rows]


def runs_of(schedule):
    """The runs that it started, the oldest first."""
    return list(Run.unsafe_all_tenants.filter(created_by=f"schedule {schedule.name}").order_by("id"))
