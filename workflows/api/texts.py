"""The routes of definitions as texts and in other dialects: import, export, reading and writing without saving."""

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView
from accounts.roles import WORKFLOWS_READ, WORKFLOWS_WRITE
from engine.dialects import DialectError, detect
from lib.api.serializers import body, query
from lib.json import Json
from workflows.api import serializers as s
from workflows.api.drafts import problems_body
from workflows.api.views import drafted_response
from workflows.checking.check import check
from workflows.document import texts
from workflows.versions import lifecycle


class ImportView(ApiView):
    """Import."""

    scopes = {"POST": WORKFLOWS_WRITE}

    @extend_schema(
        request=s.ImportDefinition,
        responses={200: s.DraftedWorkflowSerializer, 201: s.DraftedWorkflowSerializer},
    )
    def post(self, request: Request) -> Response:
        """Imports a document in any dialect as the draft of the workflow that it names; 201 if that is new."""
        return drafted_response(
            lifecycle.import_definition(self.principal, **body(s.ImportDefinition, request))
        )


class ReadView(ApiView):
    """Reading a text."""

    scopes = {"POST": WORKFLOWS_READ}
    takes_idempotency_key = False

    @extend_schema(request=s.ReadText, responses=s.ReadTextSerializer)
    def post(self, request: Request) -> Response:
        """Reads a text, JSON or YAML, into our own dialect, with its problems; 422 if it is neither."""
        payload = body(s.ReadText, request)
        text = texts.read_text(payload["text"], field="text")
        checked = check(text.document, name=payload.get("name"), tenant=self.principal.tenant_id)
        answer = {"definition": checked.native, "dialect": _dialect(text.document), "format": text.format}
        return Response(answer | problems_body(checked.problems))


def _dialect(document: dict[str, Json]) -> str | None:
    try:
        return detect(document)
    except DialectError:
        return None


class WriteView(ApiView):
    """Writing a text."""

    scopes = {"POST": WORKFLOWS_READ}
    takes_idempotency_key = False

    @extend_schema(
        request=s.WriteText, responses={200: {"type": "object", "properties": {"text": {"type": "string"}}}}
    )
    def post(self, request: Request) -> Response:
        """A definition as JSON or YAML, with its keys in the order in which people look for them."""
        payload = body(s.WriteText, request)
        return Response({"text": texts.written(texts.arranged(payload["definition"]), payload["format"])})


class ExportView(ApiView):
    """Export."""

    scopes = {"GET": WORKFLOWS_READ}

    @extend_schema(
        parameters=[s.ExportQuery],
        responses={
            (200, "application/json"): dict,
            (200, "application/yaml"): OpenApiTypes.STR,
            (200, "text/x-python"): OpenApiTypes.STR,
        },
    )
    def get(self, request: Request, name: str) -> HttpResponse:
        """The definition of the latest version (the draft before the first), as import takes it, or as Python."""
        params = query(s.ExportQuery, request)
        file_format = params.pop("format")
        definition = lifecycle.export(self.principal, name, **params)
        file = f"{name}.{texts.ENDINGS[file_format]}"
        return HttpResponse(
            texts.exported(definition, file_format),
            content_type=texts.TYPES[file_format],
            headers={"Content-Disposition": f'attachment; filename="{file}"'},
        )
