"""The routes of files: upload one for a start, read those of a run."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.principal import Principal
from accounts.roles import RUNS_READ, RUNS_START, TASKS_READ
from lib.api.parsers import BytesParser
from lib.api.serializers import Query, query
from lib.media import ANY
from lib.refusals import Missing
from runs.api.base import RunsApiView
from runs.files import trees, uploads
from runs.files.limits import FILE_BYTES
from runs.files.sending import sent
from runs.files.store import FileRow
from runs.reading.requests import is_filed_by, is_own


class UploadQuery(Query):
    """What the file is called."""

    name = serializers.CharField(
        max_length=255, default="file", help_text="Its name; a leading path is left out."
    )
    reason = serializers.CharField(required=False, max_length=2000, help_text="Why this is done.")


class FileQuery(Query):
    """How it is to come."""

    show = serializers.ChoiceField(
        choices=(("yes", "yes"),), required=False, help_text="Show it inline, if it is an image or a PDF."
    )


class FileSerializer(serializers.Serializer[Any]):
    """A file."""

    id = serializers.UUIDField(help_text="What a field with `format: file` holds.")
    name = serializers.CharField()
    media_type = serializers.CharField(help_text="Detected from its bytes.")
    size = serializers.IntegerField()
    sha256 = serializers.CharField()


class FilesView(RunsApiView):
    """Files for starts."""

    scopes = {"POST": RUNS_START}
    max_body_bytes = FILE_BYTES
    is_slow = True

    def get_parsers(self) -> list[Any]:
        """A file comes as it is."""
        return [BytesParser()]

    @extend_schema(
        parameters=[UploadQuery],
        request={"application/octet-stream": OpenApiTypes.BINARY},
        responses={201: FileSerializer},
    )
    def post(self, request: Request) -> Response:
        """Keeps a file (the body) for a day, for a start by you that names its id; then it belongs to that run."""
        content: Any = request.data
        row = uploads.upload(self.principal, content=content, **query(UploadQuery, request))
        return Response(file_row(row), status=201)


class FileContentView(RunsApiView):
    """A file that you have uploaded."""

    scopes = {"GET": RUNS_START}

    @extend_schema(parameters=[FileQuery], responses={(200, ANY): OpenApiTypes.BINARY})
    def get(self, request: Request, upload_id: UUID) -> HttpResponse:
        """The file, which no start has used yet, as a download; an image or a PDF also inline."""
        row, content = uploads.unused_file(self.principal, str(upload_id))
        return sent(row, content, is_shown="show" in query(FileQuery, request))


class RunFileView(RunsApiView):
    """A file of a run."""

    scopes = {"GET": RUNS_READ}

    @extend_schema(parameters=[FileQuery], responses={(200, ANY): OpenApiTypes.BINARY})
    def get(self, request: Request, run_id: UUID, file_id: UUID) -> HttpResponse:
        """A file that a run or its tree uses, as a download; an image or a PDF also inline."""
        params = query(FileQuery, request)
        return file_of_run(self.principal, run_id, file_id, is_shown="show" in params)


class RequestFileView(RunsApiView):
    """A file of a request."""

    scopes = {"GET": TASKS_READ}

    @extend_schema(parameters=[FileQuery], responses={(200, ANY): OpenApiTypes.BINARY})
    def get(self, request: Request, request_id: UUID, file_id: UUID) -> HttpResponse:
        """A file that your request uses, as a download; an image or a PDF also inline. Who filed the request for you
        reads the files that it was started with.
        """
        params = query(FileQuery, request)
        who, id = self.principal, str(file_id)
        if not is_own(who, request_id) and not (
            is_filed_by(who, request_id) and trees.is_of_start(who.tenant_id, request_id, id)
        ):
            raise Missing("There is no such file.")
        return file_of_run(self.principal, request_id, file_id, is_shown="show" in params)


def file_row(row: FileRow) -> dict[str, Any]:
    """A file as the API shows it."""
    return {key: row[key] for key in ("id", "name", "media_type", "size", "sha256")}


def file_of_run(principal: Principal, run_id: UUID, file_id: UUID, *, is_shown: bool) -> HttpResponse:
    """A file that a run may read. Raises Missing."""
    row = trees.files_of_run(principal.tenant_id, run_id, [str(file_id)]).get(str(file_id))
    content = row and trees.content_of(principal.tenant_id, str(file_id))
    if row is None or content is None:
        raise Missing("There is no such file.")
    return sent(row, content, is_shown=is_shown)
