"""The routes of a draft: whole, in parts, and the log of what was changed in it."""

from collections.abc import Sequence
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView
from accounts.roles import WORKFLOWS_READ, WORKFLOWS_WRITE
from engine.problems import Problem
from lib.api.pagination import keyset_page
from lib.api.schema import page_schema
from lib.api.serializers import PageQuery, body, query
from workflows import queries
from workflows.api import serializers as s
from workflows.api.etags import etag, expected_revisions, is_known
from workflows.drafts import changing, writing
from workflows.versions import lifecycle


def _etag_header(name: str, *, required: bool, description: str) -> OpenApiParameter:
    return OpenApiParameter(name, str, OpenApiParameter.HEADER, required=required, description=description)


_IF_MATCH = _etag_header(
    "If-Match", required=True, description="The ETag of the draft that you read, several, or `*` for any."
)
_IF_NONE_MATCH = _etag_header(
    "If-None-Match", required=False, description="The ETag of the draft that you have."
)


def problems_body(problems: Sequence[Problem]) -> dict[str, Any]:
    """The findings as every answer gives them."""
    return {"problems": [problem.as_dict() for problem in problems]}


class DraftView(ApiView):
    """The draft of a workflow."""

    scopes = {"GET": WORKFLOWS_READ, "PUT": WORKFLOWS_WRITE, "PATCH": WORKFLOWS_WRITE}

    @extend_schema(parameters=[_IF_NONE_MATCH], responses={200: s.DraftSerializer, 304: None})
    def get(self, request: Request, name: str) -> Response:
        """The draft with its ETag; 304 if you have it already."""
        revision = queries.draft_revision(self.principal.tenant_id, name)
        if revision is not None and is_known(request, revision):
            return Response(status=304, headers={"ETag": etag(revision)})
        workflow = queries.get_workflow(self.principal.tenant_id, name)
        return Response(s.DraftSerializer(workflow).data, headers={"ETag": etag(workflow.draft_revision)})

    @extend_schema(parameters=[_IF_MATCH], request=s.SaveDraft, responses=s.SavedDraftSerializer)
    def put(self, request: Request, name: str) -> Response:
        """Replaces the draft that has the ETag in `If-Match` (428 without, 412 if it was changed since; `*`: any)."""
        revisions = expected_revisions(request)
        draft = lifecycle.save_draft(
            self.principal, name, expected_revision=revisions, **body(s.SaveDraft, request)
        )
        answer = s.DraftSerializer(draft.workflow).data | problems_body(draft.problems)
        return Response(answer, headers={"ETag": etag(draft.workflow.draft_revision)})

    @extend_schema(request=s.ChangeDraft, responses=s.ChangedDraftSerializer)
    def patch(self, request: Request, name: str) -> Response:
        """Applies the groups of changes that fit to the draft as it is now, each whole or not at all."""
        result = changing.change_draft(self.principal, name, **body(s.ChangeDraft, request))
        answer = {
            "revision": result.revision,
            "applied": result.applied,
            "conflicts": [clash.as_dict() for clash in result.conflicts],
        }
        if result.draft is not None:
            answer["definition"], answer["layout"] = result.draft
        return Response(answer | problems_body(result.problems), headers={"ETag": etag(result.revision)})


class DraftChangesView(ApiView):
    """The log of a draft."""

    scopes = {"GET": WORKFLOWS_READ}

    @extend_schema(parameters=[PageQuery], responses=page_schema(s.DraftChangeSerializer))
    def get(self, request: Request, name: str) -> Response:
        """Who changed what in the draft, newest first; the last 1,000 entries."""
        params = query(PageQuery, request)
        rows = writing.draft_log(self.principal.tenant_id, name)
        page = keyset_page(rows, request, keys=("id",), limit=params["limit"], cursor=params.get("cursor"))
        return Response(page.answer(s.DraftChangeSerializer(page.rows, many=True).data))
