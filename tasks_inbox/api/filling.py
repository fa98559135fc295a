"""The routes of what somebody fills in before they decide: their draft, and files."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.roles import TASKS_READ
from lib.api import fields
from lib.api.pagination import keyset_page
from lib.api.parsers import BytesParser
from lib.api.schema import page_schema
from lib.api.serializers import PageQuery, Query, StrictSerializer, Verb, body, query
from lib.media import ANY
from runs.api.base import RunsApiView
from runs.files.limits import FILE_BYTES
from runs.files.sending import sent
from tasks_inbox.actions import drafts
from tasks_inbox.forms import files
from tasks_inbox.limits import DECISION_COMMENT_CHARACTERS
from tasks_inbox.store import queries


class SaveTaskDraft(StrictSerializer):
    """What was typed, right or wrong."""

    data = fields.JsonObject(required=False, help_text="As `complete` takes it; unchecked.")  # type: ignore[assignment]
    comment = fields.Text(required=False, allow_blank=True, max_length=DECISION_COMMENT_CHARACTERS)


class TaskDraftSerializer(serializers.Serializer[Any]):
    """What you have typed and not sent."""

    data = fields.JsonObject()  # type: ignore[assignment]
    comment = serializers.CharField(allow_blank=True)
    saved_at = serializers.DateTimeField()
    outdated = serializers.BooleanField(help_text="Whether the question has changed since you typed it.")


class TaskDraftView(RunsApiView):
    """Your draft."""

    scopes = {"GET": TASKS_READ, "PUT": TASKS_READ, "DELETE": TASKS_READ}

    @extend_schema(responses=TaskDraftSerializer)
    def get(self, request: Request, task_id: UUID) -> Response:
        """What you have typed to decide the task; nobody else ever sees it. 404 if there is none."""
        task = queries.task_of(self.principal.tenant_id, task_id)
        return Response(drafts.draft_row(self.principal, drafts.find_draft(self.principal, task_id), task))

    @extend_schema(request=SaveTaskDraft, responses=TaskDraftSerializer)
    def put(self, request: Request, task_id: UUID) -> Response:
        """Keeps what you have typed, unchecked, until you decide or the task ends; 409 if it has."""
        payload = body(SaveTaskDraft, request)
        draft = drafts.save_draft(
            self.principal, task_id, data=payload.get("data", {}), comment=payload.get("comment", "")
        )
        task = queries.task_of(self.principal.tenant_id, task_id)
        return Response(drafts.draft_row(self.principal, draft, task))

    @extend_schema(request=Verb, responses={204: None})
    def delete(self, request: Request, task_id: UUID) -> Response:
        """Deletes it; like everything about a draft, that leaves no trace."""
        body(Verb, request)
        drafts.drop_draft(self.principal, task_id)
        return Response(status=204)


class AttachQuery(Query):
    """What the file is called."""

    name = serializers.CharField(
        max_length=255, default="file", help_text="Its name; a leading path is left out."
    )
    reason = serializers.CharField(required=False, max_length=2000, help_text="Why this is done.")


class TaskFileQuery(Query):
    """How it is to come."""

    show = serializers.ChoiceField(
        choices=(("yes", "yes"),), required=False, help_text="Show it inline, if it is an image or a PDF."
    )


class TaskFileSerializer(serializers.Serializer[Any]):
    """A file of a task."""

    id = serializers.UUIDField(help_text="What a field of the form with `format: file` holds.")
    name = serializers.CharField()
    media_type = serializers.CharField(help_text="Detected from its bytes.")
    size = serializers.IntegerField()
    sha256 = serializers.CharField()
    by = serializers.CharField()
    at = serializers.DateTimeField()


class TaskFilesView(RunsApiView):
    """Files."""

    scopes = {"GET": TASKS_READ, "POST": TASKS_READ}
    max_body_bytes = FILE_BYTES
    is_slow = True

    def get_parsers(self) -> list[Any]:
        """A file comes as it is."""
        return [BytesParser()] if self.request and self.request.method == "POST" else super().get_parsers()

    @extend_schema(parameters=[PageQuery], responses=page_schema(TaskFileSerializer))
    def get(self, request: Request, task_id: UUID) -> Response:
        """The files of the task, oldest first."""
        rows = files.files_of(queries.task_of(self.principal.tenant_id, task_id))
        page = keyset_page(rows, request, keys=("id",), oldest_first=True, **query(PageQuery, request))
        return Response(page.answer([files.file_row(file) for file in page.rows]))

    @extend_schema(
        parameters=[AttachQuery],
        request={"application/octet-stream": OpenApiTypes.BINARY},
        responses={201: TaskFileSerializer},
    )
    def post(self, request: Request, task_id: UUID) -> Response:
        """Adds a file (the body), for whoever started the run or may decide tasks; 409 if the task is closed."""
        content: Any = request.data
        file = files.attach(self.principal, task_id, content=content, **query(AttachQuery, request))
        return Response(files.file_row(file), status=201)


class TaskFileView(RunsApiView):
    """One file."""

    scopes = {"GET": TASKS_READ, "DELETE": TASKS_READ}

    @extend_schema(parameters=[TaskFileQuery], responses={(200, ANY): OpenApiTypes.BINARY})
    def get(self, request: Request, task_id: UUID, file_id: UUID) -> HttpResponse:
        """A file of the task, or one that its run uses, as a download; an image or a PDF also inline."""
        params = query(TaskFileQuery, request)
        return sent(*files.readable_file(self.principal, task_id, file_id), is_shown="show" in params)

    @extend_schema(request=Verb, responses={204: None})
    def delete(self, request: Request, task_id: UUID, file_id: UUID) -> Response:
        """Withdraws a file that you have added; 409 if somebody has decided with it."""
        files.withdraw(self.principal, task_id, file_id, reason=body(Verb, request).get("reason"))
        return Response(status=204)
