"""The route by which one thing is done with many tasks."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView
from accounts.roles import TASKS_DECIDE
from lib.api import fields
from lib.api.serializers import Verb, body
from lib.refusals import Invalid
from tasks_inbox.actions import bulk
from tasks_inbox.limits import BULK_TASKS, DECISION_COMMENT_CHARACTERS, SEARCH_CHARACTERS
from tasks_inbox.reading import sources

BULK_ACTIONS = [(one, one) for one in bulk.ACTIONS]
BULK_RESULTS = [(bulk.DONE, bulk.DONE), (bulk.REFUSED, bulk.REFUSED)]


class BulkTasks(Verb):
    """What to do, and with which tasks: `ids`, or what a `filter` finds in a `view`."""

    action = serializers.ChoiceField(choices=BULK_ACTIONS)
    ids = fields.Items(child=serializers.UUIDField(), required=False, max_length=BULK_TASKS)
    view = serializers.ChoiceField(choices=sources.VIEWS, required=False, help_text="Default: `teams`.")
    filter = fields.Text(required=False, allow_blank=True, max_length=SEARCH_CHARACTERS)
    assignee = fields.Text(required=False, max_length=150, help_text="For `assign`: a username.")
    until = fields.Moment(required=False, help_text="For `snooze`; without it the tasks come back at once.")
    outcome = fields.Text(required=False, max_length=64, help_text="For `decide`.")
    comment = fields.Text(
        required=False, allow_blank=True, max_length=DECISION_COMMENT_CHARACTERS, help_text="For `decide`."
    )
    seen = fields.JsonObject(
        required=False, help_text="For `decide`, needed: each task's `shown_hash` by its id."
    )
    undoable = serializers.BooleanField(
        default=False,
        help_text="For `decide`: hold back each decision that can be undone; the others count at once.",
    )


class BulkResultSerializer(serializers.Serializer[object]):
    """The result for one task."""

    id = serializers.UUIDField()
    title = serializers.CharField(allow_blank=True)
    result = serializers.ChoiceField(choices=BULK_RESULTS)
    code = serializers.CharField(allow_null=True, help_text="Why it was refused, as for this task alone.")
    message = serializers.CharField(allow_blank=True)
    held_until = serializers.DateTimeField(
        allow_null=True, help_text="When a decision that was held back counts; until then it can be undone."
    )


class BulkSerializer(serializers.Serializer[object]):
    """The results, in the order of `ids`."""

    results = BulkResultSerializer(many=True)
    bulk_job = serializers.UUIDField(
        allow_null=True,
        help_text="Keeps these results, of more than one task: `GET /tasks/bulk-jobs/{bulk_id}`.",
    )


class TasksBulkView(ApiView):
    """Many tasks."""

    scopes = {"POST": TASKS_DECIDE}

    @extend_schema(request=BulkTasks, responses=BulkSerializer)
    def post(self, request: Request) -> Response:
        """Claims, assigns, snoozes or decides up to 200 tasks, or undoes what you decided `undoable`, each by itself.

        200 with a result for each.
        """
        payload = body(BulkTasks, request)
        ids, view, text = payload.pop("ids", None), payload.pop("view", "teams"), payload.pop("filter", None)
        if (ids is None) == (text is None) or (ids is None and payload["action"] == bulk.DECIDE):
            raise Invalid(
                "Name `ids`, or, to do anything but decide, a `filter`.", code="required", field="ids"
            )
        ids = bulk.found_by(self.principal, view, text) if ids is None else ids
        command = bulk.BulkCommand(**payload)
        results = bulk.act(self.principal, ids, command) if ids else []
        return Response({"results": results, "bulk_job": bulk.recorded(self.principal, command, results)})
