"""Schedules, and what was done when they were due."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from accounts.scoping import TenantOwned
from lib.stored_json import StoredJson
from runs.models.base import HotRow
from runs.models.calendars import Calendar

OVERLAPS = ("skip", "buffer_one", "allow", "cancel_previous")
STARTED, SKIPPED, BUFFERED = "started", "skipped", "buffered"


class Schedule(TenantOwned):
    """Starts runs of a workflow at times (R-122): by `cron`, `every_seconds` counted from `anchor_at`, or once, `at`.

    It acts for `acts_for`, who made it or last said what it does. `next_due_at` is the first due time that nothing was
    done about yet, null where there is none or it is off; `fire_at` is when, jitter included. `buffered_due_at`: a due
    time whose run starts when those before it have ended. `off_reason`: why it was stopped, but by hand.
    """

    id = models.UUIDField(primary_key=True)
    name = models.TextField()
    workflow = models.ForeignKey("workflows.Workflow", on_delete=models.PROTECT, related_name="+")
    input = StoredJson()
    cron = models.TextField(null=True)
    every_seconds = models.IntegerField(null=True)
    at = models.DateTimeField(null=True)
    anchor_at = models.DateTimeField()
    timezone = models.TextField()
    calendar = models.ForeignKey(Calendar, on_delete=models.PROTECT, null=True, related_name="+")
    overlap = models.TextField(choices=[(each, each) for each in OVERLAPS])
    catchup_seconds = models.IntegerField()
    jitter_seconds = models.IntegerField(default=0)
    enabled = models.BooleanField(default=True)
    note = models.TextField(blank=True)
    off_reason = models.TextField(blank=True, db_default="")
    paused_at = models.DateTimeField(null=True)
    acts_for = models.TextField()
    created_by = models.TextField()
    created_at = models.DateTimeField(db_default=Now())
    next_due_at = models.DateTimeField(null=True)
    fire_at = models.DateTimeField(null=True)
    buffered_due_at = models.DateTimeField(null=True)

    class Meta(TenantOwned.Meta):
        db_table = "runs_schedule"
        constraints = [
            models.UniqueConstraint(fields=["tenant", "name"], name="schedule_name_once"),
            models.CheckConstraint(
                name="schedule_one_timing",
                condition=Q(cron__isnull=False, every_seconds__isnull=True, at__isnull=True)
                | Q(cron__isnull=True, every_seconds__isnull=False, at__isnull=True)
                | Q(cron__isnull=True, every_seconds__isnull=True, at__isnull=False),
            ),
        ]
        indexes = [
            models.Index(fields=["fire_at", "id"], name="schedule_due", condition=Q(fire_at__isnull=False)),
            models.Index(
                fields=["buffered_due_at", "id"],
                name="schedule_buffered",
                condition=Q(buffered_due_at__isnull=False),
            ),
        ]


class ScheduleEntry(HotRow):
    """What was done about a due time, or by hand (`is_manual`): each due time of a schedule is dealt with once.

    One row may stand for several due times in a row that were skipped for one reason: `due_count` of them, the last at
    `last_due_at`. `cancelled`: the runs that were cancelled for it. `run_id` of one that was skipped: the run that was
    in its way.
    """

    schedule = models.ForeignKey(Schedule, on_delete=models.CASCADE, db_index=False, related_name="entries")
    due_at = models.DateTimeField()
    last_due_at = models.DateTimeField()
    due_count = models.IntegerField(default=1)
    done_at = models.DateTimeField()
    status = models.TextField(choices=[(each, each) for each in (STARTED, SKIPPED, BUFFERED)])
    reason = models.TextField(blank=True)
    message = models.TextField(blank=True)
    run_id = models.UUIDField(null=True)
    cancelled = StoredJson(default=list)
    is_manual = models.BooleanField(default=False)
    by = models.TextField(blank=True)

    class Meta(HotRow.Meta):
        db_table = "runs_scheduleentry"
        constraints = [
            models.UniqueConstraint(
                fields=["schedule", "due_at"], name="schedule_due_once", condition=Q(is_manual=False)
            ),
        ]
        indexes = [
            models.Index(fields=["schedule", "-id"], name="entry_list"),
            models.Index(fields=["schedule", "-id"], name="entry_started", condition=Q(status=STARTED)),
            models.Index(fields=["done_at"], name="entry_age"),
        ]
