"""The routes of what somebody fills in before they decide."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.roles import TASKS_DECIDE
from lib.api import fields
from lib.api.serializers import StrictSerializer, body
from runs.api.base import RunsApiView
from tasks_inbox import drafts, queries


class SaveTaskDraft(StrictSerializer):
    """What was typed, right or wrong."""

    data = fields.JsonObject(required=False, help_text="As `complete` takes it; unchecked.")  # type: ignore[assignment]
    comment = fields.Text(required=False, allow_blank=True, max_length=drafts.MAX_COMMENT)


class TaskDraftSerializer(serializers.Serializer[Any]):
    """What you have typed and not sent."""

    data = fields.JsonObject()  # type: ignore[assignment]
    comment = serializers.CharField(allow_blank=True)
    saved_at = serializers.DateTimeField()
    outdated = serializers.BooleanField(
        help_text="Whether something else is asked now than when you typed it."
    )


class TaskDraftView(RunsApiView):
    """Your draft."""

    scopes = {"GET": TASKS_DECIDE, "PUT": TASKS_DECIDE, "DELETE": TASKS_DECIDE}

    @extend_schema(responses=TaskDraftSerializer)
    def get(self, request: Request, task_id: UUID) -> Response:
        """What you have typed to decide the task; nobody else is ever shown it. 404 where there is nothing."""
        task = queries.task_of(self.principal.tenant_id, task_id)
        return Response(drafts.draft_row(drafts.find_draft(self.principal, task_id), task))

    @extend_schema(request=SaveTaskDraft, responses=TaskDraftSerializer)
    def put(self, request: Request, task_id: UUID) -> Response:
        """Keeps what you have typed, unchecked, until you decide or the task ends; 409 if it has."""
        asked = body(SaveTaskDraft, request)
        draft = drafts.save_draft(
            self.principal, task_id, data=asked.get("data", {}), comment=asked.get("comment", "")
        )
        return Response(drafts.draft_row(draft, queries.task_of(self.principal.tenant_id, task_id)))

    @extend_schema(responses={204: None})
    def delete(self, request: Request, task_id: UUID) -> Response:
        """Forgets it."""
        drafts.drop_draft(self.principal, task_id)
        return Response(status=204)
