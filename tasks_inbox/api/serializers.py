"""The bodies, queries and answers of tasks."""

from typing import Any

from rest_framework import serializers

from accounts.limits import PASSWORD_CHARACTERS
from lib.api import fields
from lib.api.serializers import PageQuery, Query, StrictSerializer, Verb
from runs.api.run_ids import RunId
from tasks_inbox.api.covered_serializers import ApprovesSerializer
from tasks_inbox.eligibility import identity
from tasks_inbox.evidence.exports import FORMATS
from tasks_inbox.lifecycle.compensations import RESOLUTIONS
from tasks_inbox.limits import DECISION_COMMENT_CHARACTERS, SEARCH_CHARACTERS, TASK_COMMENT_CHARACTERS
from tasks_inbox.models import ANSWERED, ASKED, KINDS, MEANINGS, SAID, SENT_AGAIN, SENT_BACK, STATUSES
from tasks_inbox.reading.sources import VIEWS

TASK_STATUSES = [(status, status) for status in STATUSES]
TASK_KINDS = [(kind, kind) for kind in KINDS]
EVIDENCE_FORMATS = [(one, one) for one in FORMATS]


class TaskListQuery(PageQuery):
    """Which tasks."""

    view = serializers.ChoiceField(
        choices=VIEWS,
        required=False,
        help_text="mine: claimed by you or assigned to you; teams: open to you and unclaimed; due: those of both "
        "overdue or due within 24 hours; none of these shows what you have snoozed. snoozed; delegated: by you; "
        "done: decided by you; watching; undecidable by anybody; open: like teams, with what you have snoozed.",
    )
    sort = serializers.CharField(
        default="newest",
        max_length=120,
        help_text="One of sla (overdue first, then by due time, priority and age), due, priority, risk (whose run most "
        "likely misses its deadline), newest, oldest; or a value of tasks, `data.amount`, descending "
        "`-data.amount`: tasks without it come last.",
    )
    query = serializers.CharField(
        required=False,
        max_length=SEARCH_CHARACTERS,
        help_text="Like the search of the inbox: `workflow:refunds due:<2d -is:overdue group:Legal or group:Tax "
        "data.amount>1000 data.country:DE text`; other words stand in the title, or begin the business key.",
    )
    filter = serializers.CharField(
        required=False, max_length=SEARCH_CHARACTERS, help_text="The same as `query`."
    )
    workflow = serializers.CharField(required=False)
    run = RunId(required=False)
    assignee = serializers.CharField(required=False)
    due_before = fields.Moment(required=False, help_text="Open ones that are due before this time.")
    q = serializers.CharField(required=False, max_length=200, help_text="The same as `query`.")


class CountsSerializer(serializers.Serializer[Any]):
    """How many tasks there are in each view; 10,000 means as many or more."""

    mine = serializers.IntegerField()
    teams = serializers.IntegerField()
    due = serializers.IntegerField()
    snoozed = serializers.IntegerField()
    delegated = serializers.IntegerField()
    done = serializers.IntegerField()
    watching = serializers.IntegerField()
    undecidable = serializers.IntegerField(help_text="For those with `tasks:assign`; otherwise 0.")


class SnoozeTask(Verb):
    """Until when."""

    until = fields.Moment(required=False, help_text="A future time; without it the task comes back at once.")


class EvidenceQuery(Query):
    """As what."""

    format = serializers.ChoiceField(
        choices=EVIDENCE_FORMATS,
        default="json",
        help_text="html and pdf are for reading; zip has all three, and a script that checks the JSON offline.",
    )


class AssignTask(Verb):
    """To whom."""

    assignee = fields.Text(max_length=150, help_text="A username; the task must ask them.")


class DelegateTask(Verb):
    """To whom."""

    to = fields.Text(max_length=150, help_text="The username of another member who may decide tasks.")


class AddComment(Verb):
    """Something to say."""

    text = fields.Text(
        help_text=f"1 to {TASK_COMMENT_CHARACTERS:,} characters, without leading and trailing spaces."
    )


class WhomSerializer(StrictSerializer):
    """People to ask."""

    users = serializers.ListField(child=fields.Text(max_length=150), required=False, max_length=50)
    groups = serializers.ListField(child=fields.Text(max_length=150), required=False, max_length=50)
    roles = serializers.ListField(
        child=serializers.ChoiceField(choices=identity.DECIDING_ROLES), required=False
    )


class EscalateTask(Verb):
    """Whom else to ask; needs a `reason`."""

    to = WhomSerializer(required=False, help_text="Default: those named by the next level of its escalation.")


class HeldSerializer(serializers.Serializer[Any]):
    """A decision that can still be undone."""

    by = serializers.CharField()
    outcome = serializers.CharField()
    until = serializers.DateTimeField(help_text="When it counts.")


class ReturnTask(Verb):
    """What to change."""

    comment = fields.Text(help_text=f"What to change, and why: 1 to {TASK_COMMENT_CHARACTERS:,} characters.")
    to = fields.Text(
        required=False,
        max_length=150,
        help_text="The username of a member other than whoever started the run.",
    )
    seen = fields.Text(
        required=False,
        max_length=64,
        help_text="The task's `shown_hash` as you read it: 400 `required` without it, 409 `task_changed` if it has "
        "changed.",
    )


class ResubmitTask(Verb):
    """The next round."""

    facts = fields.JsonObject(required=False, help_text="Corrections: new values by the label of the fact.")
    comment = fields.Text(required=False, allow_blank=True, max_length=TASK_COMMENT_CHARACTERS)


class CommentSerializer(serializers.Serializer[Any]):
    """A comment."""

    id = serializers.UUIDField()
    kind = serializers.ChoiceField(
        choices=(SAID, ASKED, ANSWERED, SENT_BACK, SENT_AGAIN),
        help_text="asked: the task waits for its answer; answered: this is one; returned: for changes; "
        "resubmitted: sent again.",
    )
    text = serializers.CharField()
    by = serializers.CharField()
    at = serializers.DateTimeField()


class CompleteTask(Verb):
    """A decision."""

    outcome = fields.Text(max_length=64, help_text="One of the task's outcomes.")
    seen = fields.Text(
        required=False,
        max_length=64,
        help_text="The task's `shown_hash` as you read it: 400 `required` without it, 409 `task_changed` if it has "
        "changed.",
    )
    password = fields.Text(
        required=False,
        max_length=PASSWORD_CHARACTERS,
        help_text="Your password again, where the outcome is signed.",
    )
    data = fields.JsonObject(required=False, help_text="What the form asks for.")  # type: ignore[assignment]
    comment = fields.Text(required=False, allow_blank=True, max_length=DECISION_COMMENT_CHARACTERS)
    undoable = serializers.BooleanField(
        default=False,
        help_text="Hold it back for as long as the task allows undo (409 `no_undo` if it doesn't): the task "
        "has `held` then, and is decided at its `until`.",
    )


class ResolveTask(Verb):
    """How to settle a failed compensation."""

    resolution = serializers.ChoiceField(
        choices=RESOLUTIONS,
        help_text="retry: it runs once more; done: it was done by hand; abandon: it is left, and the run ends FAILED. "
        "For an incident: retry or abandon what failed, or done: it was dealt with.",
    )


class OutcomeSerializer(serializers.Serializer[Any]):
    """An outcome to choose."""

    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    require_comment = serializers.BooleanField()
    meaning = serializers.ChoiceField(
        MEANINGS,
        required=False,
        help_text="What it means to whoever asked, if its author set it; otherwise its name decides.",
    )
    require = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Fields of the form that this outcome needs."
    )
    sign = serializers.BooleanField(required=False, help_text="Whether it needs your password again.")


class CandidatesSerializer(serializers.Serializer[Any]):
    """Whom a task asks; if nobody is named, everybody who may decide in the folder."""

    users = serializers.ListField(child=serializers.CharField())
    groups = serializers.ListField(child=serializers.CharField())
    roles = serializers.ListField(child=serializers.CharField())


class ProxySerializer(serializers.Serializer[Any]):
    """Who has handed their vote to whom."""

    by = serializers.CharField()
    to = serializers.CharField()


class QuorumSerializer(serializers.Serializer[Any]):
    """How many must agree."""

    need = fields.JsonValue(required=False, help_text="A number, `all`, or a share such as `50%`.")
    groups = fields.JsonObject(
        required=False, help_text="How many of each group; one person counts for one group."
    )
    rule = serializers.ChoiceField(
        choices=("veto", "majority"),
        required=False,
        help_text="veto: one vote for any outcome but the first decides at once; majority: the first outcome with "
        "enough votes wins.",
    )


class UndecidableSerializer(serializers.Serializer[Any]):
    """Why nobody, or not enough people, can decide a task."""

    since = serializers.DateTimeField(help_text="When it was found.")
    why = serializers.ListField(child=serializers.CharField(), help_text="Sentences.")
    do = serializers.CharField(help_text="What helps.")


class TaskSummarySerializer(serializers.Serializer[Any]):
    """A task in a list."""

    id = serializers.UUIDField()
    run_id = serializers.UUIDField()
    workflow = serializers.CharField()
    node = serializers.CharField()
    kind = serializers.ChoiceField(choices=TASK_KINDS)
    title = serializers.CharField()
    status = serializers.ChoiceField(choices=TASK_STATUSES)
    priority = serializers.IntegerField()
    candidates = CandidatesSerializer()
    exclude = serializers.ListField(child=serializers.CharField())
    assignee = serializers.CharField(allow_null=True)
    stands_in_for = serializers.CharField(
        allow_null=True, help_text="The absent person in whose place you would decide it."
    )
    delegated_by = serializers.CharField(
        allow_null=True, help_text="Who handed it to its assignee, who decides on their behalf."
    )
    due_at = serializers.DateTimeField(allow_null=True)
    follow_up_at = serializers.DateTimeField(
        allow_null=True, help_text="When somebody should follow up on it."
    )
    outcomes = OutcomeSerializer(many=True)
    outcome = serializers.CharField(allow_null=True)
    decided_by = serializers.CharField(allow_null=True)
    decided_for = serializers.CharField(allow_null=True, help_text="On whose behalf it was decided.")
    decided_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()
    asked_at = serializers.DateTimeField(
        allow_null=True, help_text="Since when a question is open; its clock is stopped meanwhile."
    )
    asked_by = serializers.CharField(allow_null=True, help_text="Who has asked.")
    asked_of = serializers.CharField(
        allow_null=True, help_text="Who should answer: whoever started the run. It is in their `mine`."
    )
    returned_to = serializers.CharField(
        allow_null=True, help_text="Who should change something; its clock is stopped meanwhile."
    )
    returned_by = serializers.CharField(allow_null=True, help_text="Who returned it for changes.")
    quorum = QuorumSerializer()
    proxies = ProxySerializer(many=True, help_text="Where several decide: who has handed their vote to whom.")
    round = serializers.IntegerField(
        help_text="The number of the round; decisions of earlier rounds don't count."
    )
    test = serializers.BooleanField(help_text="Whether a test run asks it.")
    may_decide = serializers.BooleanField(help_text="Whether you may decide it now.")
    undecidable = UndecidableSerializer(
        allow_null=True,
        help_text="For those with `tasks:assign`, if nobody, or not enough people, can decide it.",
    )


class FactSerializer(serializers.Serializer[Any]):
    """What the decider needs to see."""

    label = serializers.CharField()  # type: ignore[assignment]
    value = fields.JsonValue()
    may_change = serializers.BooleanField(
        required=False, help_text="Whether it can be corrected when the task is returned."
    )
    type = fields.JsonObject(
        required=False,
        help_text="How the value reads, as a reduced JSON Schema: format, x-currency, titles of choices.",
    )


class ChangeSerializer(serializers.Serializer[Any]):
    """A fact that differs from the round before."""

    label = serializers.CharField()  # type: ignore[assignment]
    before = fields.JsonValue()
    after = fields.JsonValue()
    type = fields.JsonObject(required=False, help_text="As of the fact.")


class TaskSerializer(TaskSummarySerializer):
    """A task."""

    instructions = serializers.CharField(allow_blank=True, help_text="Markdown, as it was written.")
    facts = FactSerializer(many=True)
    changed = ChangeSerializer(many=True, help_text="What was corrected since the round before.")
    approves = ApprovesSerializer(
        allow_null=True,
        help_text="What the steps that an outcome leads to would do; null where it covers none.",
    )
    form = fields.JsonObject(allow_null=True)
    data = fields.JsonValue()  # type: ignore[assignment]
    comment = serializers.CharField(allow_blank=True)
    comments = serializers.IntegerField(help_text="How many there are.")
    snoozed_until = serializers.DateTimeField(
        allow_null=True,
        help_text="Until when it is kept out of your own lists; a past time has no effect.",
    )
    watching = serializers.BooleanField(help_text="Whether you watch it.")
    held = HeldSerializer(allow_null=True, help_text="A decision that can still be undone.")
    shown_hash = serializers.CharField(
        help_text="SHA-256 of what you are shown: the question, the files that others added, and what it `approves`; "
        "see `seen`."
    )
