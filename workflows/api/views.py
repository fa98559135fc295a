"""The workflows' routes: read the request, call a service or a query, show what it gave."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView
from accounts.roles import WORKFLOWS_PUBLISH, WORKFLOWS_READ, WORKFLOWS_WRITE
from lib.api.pagination import keyset_page
from lib.api.schema import page_schema
from lib.api.serializers import PageQuery, Verb, body, query
from workflows import queries
from workflows.api import serializers as s
from workflows.api.drafts import problems_body
from workflows.api.etags import etag
from workflows.checking.check import check
from workflows.ports import open_runs
from workflows.readiness.checking import check_readiness, readiness_of
from workflows.versions import comparing, lifecycle, withdrawing


class WorkflowsView(ApiView):
    """Workflows."""

    scopes = {"GET": WORKFLOWS_READ, "POST": WORKFLOWS_WRITE}

    @extend_schema(parameters=[s.WorkflowListQuery], responses=page_schema(s.WorkflowSerializer))
    def get(self, request: Request) -> Response:
        """The workflows, newest first."""
        params = query(s.WorkflowListQuery, request)
        limit, cursor = params.pop("limit"), params.pop("cursor", None)
        rows = queries.list_workflows(self.principal, **params)
        page = keyset_page(rows, request, keys=("created_at", "id"), limit=limit, cursor=cursor)
        return Response(page.answer(s.WorkflowSerializer(page.rows, many=True).data))

    @extend_schema(request=s.CreateWorkflow, responses={201: s.DraftedWorkflowSerializer})
    def post(self, request: Request) -> Response:
        """Makes a workflow with its draft; 409 if the name is taken."""
        return drafted_response(lifecycle.create_workflow(self.principal, **body(s.CreateWorkflow, request)))


def drafted_response(draft: lifecycle.Drafted) -> Response:
    """The answer to what wrote a draft: 201 where the workflow is new."""
    answer = s.WorkflowSerializer(draft.workflow).data | problems_body(draft.problems)
    headers = {
        "Location": f"/api/v1/workflows/{draft.workflow.name}",
        "ETag": etag(draft.workflow.draft_revision),
    }
    return Response(answer, status=201 if draft.created else 200, headers=headers)


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
        workflow = lifecycle.update_workflow(self.principal, name, **body(s.ChangeWorkflow, request))
        return Response(s.WorkflowSerializer(workflow).data)

    @extend_schema(request=Verb, responses={204: None})
    def delete(self, request: Request, name: str) -> Response:
        """Archives the workflow: no new runs; versions and runs stay."""
        lifecycle.archive(self.principal, name, **body(Verb, request))
        return Response(status=204)


class ValidateView(ApiView):
    """Validation."""

    scopes = {"POST": WORKFLOWS_READ}
    takes_idempotency_key = False

    @extend_schema(request=s.ValidateDefinition, responses=s.ProblemsSerializer)
    def post(self, request: Request) -> Response:
        """All problems of a definition, in whatever dialect it is written."""
        definition = body(s.ValidateDefinition, request)["definition"]
        return Response(problems_body(check(definition, tenant=self.principal.tenant_id).problems))


class PublishView(ApiView):
    """Publishing."""

    scopes = {"POST": WORKFLOWS_PUBLISH}
    is_slow = True

    @extend_schema(request=s.Publish, responses={200: s.PublishedSerializer, 201: s.PublishedSerializer})
    def post(self, request: Request, name: str) -> Response:
        """Makes the draft the next version; 200 where it equals the latest one, 422 with its problems."""
        payload = body(s.Publish, request)
        revision = payload.pop("revision", None)
        publication = lifecycle.publish(self.principal, name, expected_revision=revision, **payload)
        readiness = readiness_of(self.principal, publication.version, publication.problems)
        answer = s.VersionSummarySerializer(publication.version).data | problems_body(publication.problems)
        answer["readiness"] = s.ReadinessSerializer(readiness).data
        return Response(answer, status=201 if publication.created else 200)


class ReadinessView(ApiView):
    """The check before publishing."""

    scopes = {"GET": WORKFLOWS_READ}

    @extend_schema(responses=s.ReadinessSerializer)
    def get(self, request: Request, name: str) -> Response:
        """What stands between the draft and its use, each with what mends it."""
        return Response(s.ReadinessSerializer(check_readiness(self.principal, name)).data)


class VersionsView(ApiView):
    """Versions."""

    scopes = {"GET": WORKFLOWS_READ}

    @extend_schema(parameters=[PageQuery], responses=page_schema(s.ListedVersionSerializer))
    def get(self, request: Request, name: str) -> Response:
        """The published versions, newest first."""
        params = query(PageQuery, request)
        workflow = queries.get_workflow(self.principal.tenant_id, name)
        rows, run_counts = queries.versions_of(workflow), open_runs(workflow)
        page = keyset_page(
            rows, request, keys=("number",), limit=params["limit"], cursor=params.get("cursor")
        )
        for version in page.rows:
            version.open_runs = run_counts[version.pk]
        return Response(page.answer(s.ListedVersionSerializer(page.rows, many=True).data))


class VersionView(ApiView):
    """One version."""

    scopes = {"GET": WORKFLOWS_READ}

    @extend_schema(responses=s.VersionSerializer)
    def get(self, request: Request, name: str, number: int) -> Response:
        """A published version with its definition."""
        version = queries.get_version(self.principal.tenant_id, name, number)
        return Response(s.VersionSerializer(version).data)


class WithdrawView(ApiView):
    """Withdrawing a version."""

    scopes = {"POST": WORKFLOWS_PUBLISH}

    @extend_schema(request=s.WithdrawVersion, responses=s.VersionSummarySerializer)
    def post(self, request: Request, name: str, number: int) -> Response:
        """No new runs are started with the version; open runs go on. A second time changes nothing."""
        version = withdrawing.withdraw(self.principal, name, number, **body(s.WithdrawVersion, request))
        return Response(s.VersionSummarySerializer(version).data)


class RestoreVersionView(ApiView):
    """Restoring a version."""

    scopes = {"POST": WORKFLOWS_PUBLISH}

    @extend_schema(request=s.WithdrawVersion, responses=s.VersionSummarySerializer)
    def post(self, request: Request, name: str, number: int) -> Response:
        """New runs may take a withdrawn version again. A second time changes nothing."""
        version = withdrawing.restore(self.principal, name, number, **body(s.WithdrawVersion, request))
        return Response(s.VersionSummarySerializer(version).data)


class DiffView(ApiView):
    """Comparing."""

    scopes = {"GET": WORKFLOWS_READ}

    @extend_schema(parameters=[s.DiffQuery], responses=s.DiffSerializer)
    def get(self, request: Request, name: str) -> Response:
        """What turns one version, or the draft, into another: as changes, by field, and in a sentence."""
        params = query(s.DiffQuery, request)
        tenant = self.principal.tenant_id
        before, after = (comparing.definition_of(tenant, name, params[side]) for side in ("from", "to"))
        comparison = comparing.compared(before, after)
        return Response(
            {
                "changes": [change.as_dict() for change in comparison.changes],
                "fields": [difference.as_dict() for difference in comparison.fields],
                "summary": comparison.summary(),
            }
        )
