"""The routes of what is done with many runs at once, and of searches in their list that people keep."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.principal import Principal
from accounts.roles import RUNS_OPERATE, RUNS_READ
from lib.api.pagination import keyset_page
from lib.api.schema import page_schema
from lib.api.serializers import Verb, body, query
from lib.refusals import Invalid
from runs.api import search_serializers as s
from runs.api.base import RunsApiView
from runs.commands import bulk, saved
from runs.limits import BULK_RUNS
from runs.models import SavedSearch
from runs.ports import BulkResult, record_bulk
from runs.reading.filters import fault_of
from runs.reading.queries import starter
from runs.reading.run_view import FILTERED


def filters_of(params: Mapping[str, Any], who: Principal) -> dict[str, Any]:
    """What a list of runs is asked for, as `queries.runs_of` takes it."""
    filters = dict(params)
    if by := filters.pop("by", None):
        filters |= starter(by, who.username)
    if values := {name: filters.pop(name) for name in FILTERED if name in filters}:
        filters["values"] = values
    return filters


class RunsBulkView(RunsApiView):
    """Many runs."""

    scopes = {"POST": RUNS_OPERATE}

    @extend_schema(request=s.BulkRuns, responses=s.BulkRunsSerializer)
    def post(self, request: Request) -> Response:
        """Cancels, pauses, unpauses or resumes up to 1,000 runs, each by itself: 200 with a result for each."""
        payload = body(s.BulkRuns, request)
        filters, verb = payload.get("filter"), payload["action"]
        if ("ids" in payload) == (filters is not None):
            raise Invalid("Name `ids`, or a `filter`.", code="required", field="ids")
        ids = [str(run) for run in payload.get("ids") or ()]
        if filters is not None:
            ids = bulk.newest_able(self.principal, verb, **filters_of(filters, self.principal))
        batch = ids[:BULK_RUNS]
        if payload["dry_run"]:
            became, word = bulk.review(self.principal, batch, verb), s.ABLE
        else:
            more = {"reason": payload.get("reason") or "", "compensate": payload["compensate"]}
            became, word = bulk.act(self.principal, batch, verb, **more), s.DONE
        rows = [_row(run, became, word) for run in dict.fromkeys(batch)]
        results = [
            BulkResult(one["id"], None, one["result"], one["code"] or "", one["message"]) for one in rows
        ]
        recorded = None
        if not payload["dry_run"]:
            recorded = record_bulk(self.principal, verb, results, reason=payload.get("reason") or "")
        return Response({"results": rows, "more": len(ids) > len(batch), "bulk_job": recorded})


def _row(run: str, became: bulk.Sorted, word: str) -> dict[str, Any]:
    why = became.refused.get(run)
    if why is None:
        return {"id": run, "result": word, "code": None, "message": ""}
    return {"id": run, "result": s.REFUSED, "code": why.code, "message": why.message}


class RunSearchesView(RunsApiView):
    """Saved searches."""

    scopes = {"GET": RUNS_READ, "POST": RUNS_READ}

    @extend_schema(parameters=[s.RunSearchQuery], responses=page_schema(s.RunSearchSerializer))
    def get(self, request: Request) -> Response:
        """Your saved searches in the list of runs and those shared with your groups, newest first."""
        rows = saved.searches_for(self.principal)
        page = keyset_page(rows, request, keys=("id",), **query(s.RunSearchQuery, request))
        return Response(page.answer([_search_row(one, self.principal) for one in page.rows]))

    @extend_schema(request=s.AddRunSearch, responses={201: s.RunSearchSerializer})
    def post(self, request: Request) -> Response:
        """Saves a search under a name: 201; 409 `name_taken` if you already have one of that name."""
        payload = {"query": ""} | body(s.AddRunSearch, request)
        search = saved.keep_search(self.principal, **payload)
        location = f"/api/v1/run-searches/{search.pk}"
        return Response(_search_row(search, self.principal), status=201, headers={"Location": location})


class RunSearchView(RunsApiView):
    """One saved search."""

    scopes = {"GET": RUNS_READ, "PATCH": RUNS_READ, "DELETE": RUNS_READ}

    @extend_schema(responses=s.RunSearchSerializer)
    def get(self, request: Request, view_id: int) -> Response:
        """A saved search."""
        return Response(_search_row(saved.search_of(self.principal, view_id), self.principal))

    @extend_schema(request=s.ChangeRunSearch, responses=s.RunSearchSerializer)
    def patch(self, request: Request, view_id: int) -> Response:
        """Changes your search: its name, its query, or with whom it is shared."""
        was = saved.search_of(self.principal, view_id)
        stays = {"name": was.name, "group": was.group.name if was.group else ""}
        payload = stays | body(s.ChangeRunSearch, request)
        return Response(_search_row(saved.change_search(self.principal, view_id, **payload), self.principal))

    @extend_schema(request=Verb, responses={204: None})
    def delete(self, request: Request, view_id: int) -> Response:
        """Deletes your search, or with `members:manage` a shared one of others."""
        saved.delete_search(self.principal, view_id, **body(Verb, request))
        return Response(status=204)


def _search_row(search: SavedSearch, who: Principal) -> dict[str, Any]:
    return {
        "id": search.pk,
        "name": search.name,
        "query": search.query,
        "group": search.group.name if search.group else None,
        "owner": search.owner,
        "is_own": search.owner == who.username,
        "created_at": search.created_at,
        "fault": fault_of(search.query) or None,
    }
