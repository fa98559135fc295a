"""The workflows' routes: read the request, call a service or a query, show what it gave."""

from collections.abc import Sequence
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView
from accounts.roles import WORKFLOWS_PUBLISH, WORKFLOWS_READ, WORKFLOWS_WRITE
from engine.problems import Problem
from lib.api.pagination import keyset_page
from lib.api.schema import page_schema
from lib.api.serializers import PageQuery, Verb, body, query
from workflows import queries, services
from workflows.api import serializers as s
from workflows.api.etags import etag, expected_revision
from workflows.checking import check

_IF_MATCH = OpenApiParameter(
    "If-Match",
    str,
    OpenApiParameter.HEADER,
    required=True,
    description="The ETag of the draft that you read.",
)


def _found(problems: Sequence[Problem]) -> dict[str, Any]:
    return {"problems": [problem.as_dict() for problem in problems]}


class WorkflowsView(ApiView):
    """Workflows."""

    scopes = {"GET": WORKFLOWS_READ, "POST": WORKFLOWS_WRITE}

    @extend_schema(parameters=[s.WorkflowListQuery], responses=page_schema(s.WorkflowSerializer))
    def get(self, request: Request) -> Response:
        """The workflows, newest first."""
        asked = query(s.WorkflowListQuery, request)
        limit, cursor = asked.pop("limit"), asked.pop("cursor", None)
        rows = queries.list_workflows(self.principal.tenant_id, **asked)
        page = keyset_page(rows, request, keys=("created_at", "id"), limit=limit, cursor=cursor)
        return Response(page.answer(s.WorkflowSerializer(page.rows, many=True).data))

    @extend_schema(request=s.CreateWorkflow, responses={201: s.DraftedWorkflowSerializer})
    def post(self, request: Request) -> Response:
        """Makes a workflow with its draft; 409 if the name is taken."""
        drafted = services.create_workflow(self.principal, **body(s.CreateWorkflow, request))
        return _drafted(drafted)


def _drafted(drafted: services.Drafted) -> Response:
    answer = s.WorkflowSerializer(drafted.workflow).data | _found(drafted.problems)
    headers = {
        "Location": f"/api/v1/workflows/{drafted.workflow.name}",
        "ETag": etag(drafted.workflow.draft_revision),
    }
    return Response(answer, status=201 if drafted.created else 200, headers=headers)


class WorkflowView(ApiView):
    """One workflow."""

    scopes = {"GET": WORKFLOWS_READ, "PATCH": WORKFLOWS_WRITE, "DELETE": WORKFLOWS_WRITE}

    @extend_schema(responses=s.WorkflowSerializer)
    def get(self, request: Request, name: str) -> Response:
        """The workflow."""
        return Response(s.WorkflowSerializer(queries.get_workflow(self.principal.tenant_id, name)).data)

    @extend_schema(request=s.ChangeWorkflow, responses=s.WorkflowSerializer)
    def patch(self, request: Request, name: str) -> Response:
        """Changes title or description; `archived: false` brings an archived one back."""
        workflow = services.update_workflow(self.principal, name, **body(s.ChangeWorkflow, request))
        return Response(s.WorkflowSerializer(workflow).data)

    @extend_schema(request=Verb, responses={204: None})
    def delete(self, request: Request, name: str) -> Response:
        """Archives the workflow: no new runs; versions and runs stay."""
        services.archive(self.principal, name, **body(Verb, request))
        return Response(status=204)


class ValidateView(ApiView):
    """Validation."""

    scopes = {"POST": WORKFLOWS_READ}

    @extend_schema(request=s.ValidateDefinition, responses=s.ProblemsSerializer)
    def post(self, request: Request) -> Response:
        """All problems of a definition, in whatever dialect it is written."""
        return Response(_found(check(body(s.ValidateDefinition, request)["definition"]).problems))


class ImportView(ApiView):
    """Import."""

    scopes = {"POST": WORKFLOWS_WRITE}

    @extend_schema(
        request=s.ImportDefinition,
        responses={200: s.DraftedWorkflowSerializer, 201: s.DraftedWorkflowSerializer},
    )
    def post(self, request: Request) -> Response:
        """Makes a document of any dialect the draft of the workflow that it names; 201 if that is new."""
        return _drafted(services.import_definition(self.principal, **body(s.ImportDefinition, request)))


class ExportView(ApiView):
    """Export."""

    scopes = {"GET": WORKFLOWS_READ}

    @extend_schema(parameters=[s.ExportQuery], responses={200: dict})
    def get(self, request: Request, name: str) -> Response:
        """The definition of the latest version (the draft before the first), as import takes it."""
        definition = services.export(self.principal, name, **query(s.ExportQuery, request))
        return Response(definition, headers={"Content-Disposition": f'attachment; filename="{name}.json"'})


class DraftView(ApiView):
    """The draft of a workflow."""

    scopes = {"GET": WORKFLOWS_READ, "PUT": WORKFLOWS_WRITE}

    @extend_schema(responses=s.DraftSerializer)
    def get(self, request: Request, name: str) -> Response:
        """The draft with its ETag."""
        workflow = queries.get_workflow(self.principal.tenant_id, name)
        return Response(s.DraftSerializer(workflow).data, headers={"ETag": etag(workflow.draft_revision)})

    @extend_schema(parameters=[_IF_MATCH], request=s.SaveDraft, responses=s.SavedDraftSerializer)
    def put(self, request: Request, name: str) -> Response:
        """Replaces the draft that has the ETag in `If-Match` (428 without, 412 if it was changed since)."""
        revision = expected_revision(request)
        drafted = services.save_draft(
            self.principal, name, expected_revision=revision, **body(s.SaveDraft, request)
        )
        answer = s.DraftSerializer(drafted.workflow).data | _found(drafted.problems)
        return Response(answer, headers={"ETag": etag(drafted.workflow.draft_revision)})


class PublishView(ApiView):
    """Publishing."""

    scopes = {"POST": WORKFLOWS_PUBLISH}

    @extend_schema(request=s.Publish, responses={200: s.PublishedSerializer, 201: s.PublishedSerializer})
    def post(self, request: Request, name: str) -> Response:
        """Makes the draft the next version; 200 where it equals the latest one, 422 with its problems."""
        published = services.publish(self.principal, name, **body(s.Publish, request))
        answer = s.VersionSummarySerializer(published.version).data | _found(published.problems)
        return Response(answer, status=201 if published.created else 200)


class VersionsView(ApiView):
    """Versions."""

    scopes = {"GET": WORKFLOWS_READ}

    @extend_schema(parameters=[PageQuery], responses=page_schema(s.VersionSummarySerializer))
    def get(self, request: Request, name: str) -> Response:
        """The published versions, newest first."""
        asked = query(PageQuery, request)
        rows = queries.list_versions(self.principal.tenant_id, name)
        page = keyset_page(rows, request, keys=("number",), limit=asked["limit"], cursor=asked.get("cursor"))
        return Response(page.answer(s.VersionSummarySerializer(page.rows, many=True).data))


class VersionView(ApiView):
    """One version."""

    scopes = {"GET": WORKFLOWS_READ}

    @extend_schema(responses=s.VersionSerializer)
    def get(self, request: Request, name: str, number: int) -> Response:
        """A published version with its definition."""
        version = queries.get_version(self.principal.tenant_id, name, number)
        return Response(s.VersionSerializer(version).data)
