"""What the routes of bulk jobs take and give."""

from typing import Any

from rest_framework import serializers

from engine.limits import WORKFLOW_NAME_CHARACTERS
from lib.api import fields
from lib.api.serializers import PageQuery, Verb
from operations.bulk import aims
from operations.bulk.models import BULK_RESULTS, LETTER_VERBS
from runs.limits import COLUMN_INTEGER, FILTER_CHARACTERS
from tasks_inbox.actions import bulk_items
from tasks_inbox.limits import ASSIGNEE_CHARACTERS, DECISION_COMMENT_CHARACTERS, SEARCH_CHARACTERS
from tasks_inbox.reading import sources


class BeginBulkJob(Verb):
    """What to do to which runs or dead letters."""

    verb = fields.OneOf([*aims.VERBS, *LETTER_VERBS])
    query = fields.Text(
        max_length=FILTER_CHARACTERS,
        required=False,
        allow_blank=True,
        default="",
        help_text="As the search of the list has it: `workflow:claims status:failed waiting:>2d input.amount>1000`. "
        "`retry` and `discard` search dead letters, all open ones without it; the other verbs need it.",
    )
    compensate = fields.Flag(required=False, default=False, help_text="For `cancel`: undo what was done.")
    version = fields.Whole(
        required=False,
        min_value=1,
        max_value=COLUMN_INTEGER,
        help_text="For `migrate`: the number of the version of the query’s `workflow:` with which the runs go on.",
    )
    assignee = fields.Text(
        required=False,
        max_length=150,
        help_text="For `reassign`: the username of the person who gets the open tasks.",
    )
    group = fields.Text(
        required=False,
        max_length=150,
        help_text="For `reassign`, in place of `assignee`: the group to which the open tasks are left.",
    )
    dry_run = fields.Flag(required=False, default=False, help_text="Only find out for which it is possible.")


class BeginTaskJob(Verb):
    """What to do to which tasks."""

    verb = fields.OneOf(list(bulk_items.VERBS))
    view = serializers.ChoiceField(
        choices=sources.VIEWS, default="teams", help_text="Whose tasks: a view of yours."
    )
    query = fields.Text(
        max_length=SEARCH_CHARACTERS,
        required=False,
        allow_blank=True,
        default="",
        help_text="As the search of the inbox has it: `workflow:refunds is:overdue data.amount<100`.",
    )
    assignee = fields.Text(
        required=False, max_length=ASSIGNEE_CHARACTERS, help_text="For `assign`: a member."
    )
    until = fields.Moment(required=False, help_text="For `snooze`.")
    outcome = fields.Text(required=False, max_length=64, help_text="For `decide`.")
    comment = fields.Text(
        required=False, allow_blank=True, max_length=DECISION_COMMENT_CHARACTERS, help_text="For `decide`."
    )
    dry_run = fields.Flag(
        required=False, default=False, help_text="Only find out for which it is possible. `decide` begins so."
    )


class ItemQuery(PageQuery):
    """Which of the results."""

    result = serializers.ChoiceField(BULK_RESULTS, required=False)


class ItemSerializer(serializers.Serializer[Any]):
    """The result for one run, dead letter or task."""

    run = serializers.UUIDField(help_text="The run, or that of the dead letter or task.")
    letter = serializers.UUIDField(allow_null=True, help_text="The dead letter, in a job of these.")
    task = serializers.UUIDField(allow_null=True, help_text="The task, in a job of these.")
    result = serializers.ChoiceField(
        BULK_RESULTS,
        help_text="able: it is possible (`dry_run`); moved: to the other version; done: by any other verb.",
    )
    code = serializers.CharField(allow_blank=True, help_text="Why it was refused.")
    node = serializers.CharField(allow_null=True, help_text="The step that it is about.")
    message = serializers.CharField(allow_blank=True)
    done_at = serializers.DateTimeField(allow_null=True)


class BulkJobsQuery(PageQuery):
    """Which of the bulk jobs."""

    workflow = serializers.CharField(required=False, max_length=WORKFLOW_NAME_CHARACTERS)


class BulkJobRow(serializers.Serializer[Any]):
    """A bulk job as it is listed."""

    id = serializers.UUIDField()
    verb = serializers.CharField(
        help_text="What is done: cancel, pause, unpause, resume, migrate or reassign runs; retry or discard dead "
        "letters; claim, assign, snooze, decide or undo tasks."
    )
    query = serializers.CharField(allow_blank=True, help_text="The search; empty where items were named.")
    workflow = serializers.CharField(
        allow_null=True,
        help_text="null: the search names none; such a job is visible to whoever began it and to admins.",
    )
    to = serializers.IntegerField(allow_null=True)
    assignee = serializers.CharField(allow_blank=True, help_text="Who gets the tasks.")
    group = serializers.CharField(allow_blank=True, help_text="The group to which tasks are left.")
    dry_run = serializers.BooleanField()
    reason = serializers.CharField(allow_blank=True)
    created_by = serializers.CharField()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    stopped_by = serializers.CharField(allow_blank=True)
    total = serializers.IntegerField(help_text="How many items it has: fixed when it began.")

    def get_fields(self) -> dict[str, Any]:
        """With `from`, which is no name in Python."""
        return {"from": serializers.IntegerField(allow_null=True), **super().get_fields()}


class CountedBulkJob(BulkJobRow):
    """A bulk job: `total` is the sum of the seven counts, always."""

    pending = serializers.IntegerField()
    able = serializers.IntegerField()
    moved = serializers.IntegerField()
    done = serializers.IntegerField()
    refused = serializers.IntegerField()
    ended = serializers.IntegerField(help_text="Those that ended before their turn came.")
    stopped = serializers.IntegerField(help_text="Those that remained when somebody stopped the job.")


class BulkJobSerializer(CountedBulkJob):
    """A bulk job with a page of its results."""

    results = ItemSerializer(many=True)
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)


class MigrateRuns(Verb):
    """The version to move from, and the one to move to."""

    to = fields.Whole(min_value=1, max_value=COLUMN_INTEGER)
    dry_run = fields.Flag(required=False, default=False, help_text="Only find out what would happen to each.")

    def get_fields(self) -> dict[str, Any]:
        """With `from`, which is no name in Python."""
        return {"from": fields.Whole(min_value=1, max_value=COLUMN_INTEGER), **super().get_fields()}
