"""The routes of runs."""

from collections.abc import Callable
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.roles import RUNS_OPERATE, RUNS_READ, RUNS_START
from lib.api.pagination import keyset_page
from lib.api.schema import page_schema
from lib.api.serializers import Verb, body, query
from lib.refusals import Missing
from lib.trace_context import of_headers
from runs.access import readable_runs
from runs.api import search_serializers as listed
from runs.api import serializers as s
from runs.api.base import RunsApiView
from runs.api.run_calls import cancel
from runs.api.run_lists import filters_of
from runs.api.starts import client_of, start_many, start_one
from runs.commands import lifecycle
from runs.limits import PAGE_STEPS
from runs.reading import queries
from runs.reading.children import children_of
from runs.reading.filters import filters_of_search
from runs.reading.lists import page_of_runs
from runs.reading.presentation import run_rows, step_rows, steps_shown


class RunsView(RunsApiView):
    """Runs."""

    scopes = {"GET": RUNS_READ, "POST": RUNS_START}

    @extend_schema(parameters=[listed.RunListQuery], responses=listed.RunPageSerializer)
    def get(self, request: Request) -> Response:
        """The matching runs, newest first unless `order` says otherwise; payloads over 4 KiB are left out.

        With `q` those that are found by their key or id come first. A page that stops searching before it is full,
        even empty, leads on by `next`, and `searched` says how far it went; without it the answer is complete.
        """
        params = query(listed.RunListQuery, request)
        names = [name for name in ("query", "q", "filter") if name in params]
        if text := " ".join(params.pop(name) for name in names):
            params = filters_of_search(text, self.principal.username, names[0]) | params
        limit, cursor, order = params.pop("limit"), params.pop("cursor", None), params.pop("order")
        tenant = self.principal.tenant_id
        # Among those that they may read: what looks through the newest only must not be filled with others.
        mine = readable_runs(self.principal)
        page, searched = page_of_runs(
            tenant,
            request,
            filters_of(params, self.principal),
            mine,
            order=order,
            limit=limit,
            cursor=cursor,
            weight=lambda run: steps_shown(run.version_id),
            most=PAGE_STEPS,
        )
        more = {} if searched is None else {"searched": searched.answer()}
        rows = run_rows(tenant, [run.id for run in page.rows], who=self.principal)
        return Response(page.answer(rows) | more)

    @extend_schema(request=s.StartRun, responses={200: s.StartedRunSerializer, 201: s.StartedRunSerializer})
    def post(self, request: Request) -> Response:
        """Starts a run: 201; the same business key again: 200 and the run that exists."""
        run, created = start_one(
            self.principal, body(s.StartRun, request), client_of(request.headers), of_headers(request.headers)
        )
        return Response(
            run, status=201 if created else 200, headers={"Location": f"/api/v1/runs/{run['id']}"}
        )


class RunBatchView(RunsApiView):
    """Many runs at once."""

    scopes = {"POST": RUNS_START}

    @extend_schema(request=s.StartBatch, responses={201: s.BatchSerializer})
    def post(self, request: Request) -> Response:
        """Starts up to 1,000 runs of a workflow in one transaction, all or none."""
        started = start_many(
            self.principal,
            body(s.StartBatch, request),
            client_of(request.headers),
            of_headers(request.headers),
        )
        rows = [
            {"id": run.id, "business_key": run.business_key, "created": run.created}
            | ({"input_mismatch": True} if run.input_mismatch else {})
            | ({"warnings": list(run.warnings)} if run.warnings else {})
            for run in started
        ]
        return Response({"runs": rows}, status=201)


class RunView(RunsApiView):
    """One run."""

    scopes = {"GET": RUNS_READ}

    @extend_schema(responses=s.RunSerializer)
    def get(self, request: Request, run_id: UUID) -> Response:
        """The run with its steps: one for each node, those without a row yet too; large payloads are left out."""
        return Response(self.shown(run_id))


class RunStepsView(RunsApiView):
    """The steps of a run."""

    scopes = {"GET": RUNS_READ}

    @extend_schema(parameters=[s.StepListQuery], responses=page_schema(s.StepSerializer))
    def get(self, request: Request, run_id: UUID) -> Response:
        """The steps in the order of the graph, on one page; with `node` payloads are complete. `items` counts those of
        a map or loop, which `GET /runs/{run_id}/items` lists.
        """
        params = query(s.StepListQuery, request)
        node = params.get("node")
        rows = step_rows(self.principal.tenant_id, run_id, node)
        if rows is None:
            raise Missing("There is no such run.")
        if node is not None and not rows:
            raise Missing(f"The run has no node {node}.", field="node")
        if status := params.get("status"):
            rows = [row for row in rows if row["status"] == status]
        return Response({"results": rows, "next": None, "previous": None})


class RunHistoryView(RunsApiView):
    """The history of a run."""

    scopes = {"GET": RUNS_READ}

    @extend_schema(parameters=[s.HistoryQuery], responses=page_schema(s.EventSerializer))
    def get(self, request: Request, run_id: UUID) -> Response:
        """What happened, newest first unless `order=asc`."""
        params = query(s.HistoryQuery, request)
        oldest_first = params.pop("order") == "asc"
        events = queries.history_of(self.find_run(run_id))
        page = keyset_page(events, request, keys=("id",), oldest_first=oldest_first, **params)
        return Response(page.answer([queries.history_row(event) for event in page.rows]))


class RunChildrenView(RunsApiView):
    """The runs that a run began."""

    scopes = {"GET": RUNS_READ}

    @extend_schema(parameters=[s.ChildrenQuery], responses=listed.RunPageSerializer)
    def get(self, request: Request, run_id: UUID) -> Response:
        """The runs that steps of a run started, oldest first; with `status` only those."""
        params = query(s.ChildrenQuery, request)
        self.find_run(run_id)
        runs = children_of(self.principal, run_id)
        if status := params.pop("status", None):
            runs = runs.filter(status=status)
        page = keyset_page(
            runs.only("id", "version_id"),
            request,
            keys=("id",),
            oldest_first=True,
            weight=lambda run: steps_shown(run.version_id),
            most=PAGE_STEPS,
            **params,
        )
        return Response(
            page.answer(run_rows(self.principal.tenant_id, [run.id for run in page.rows], who=self.principal))
        )


class RunCancelView(RunsApiView):
    """Cancelling."""

    scopes = {"POST": RUNS_OPERATE}

    @extend_schema(request=s.CancelRun, responses=s.RunSerializer)
    def post(self, request: Request, run_id: UUID) -> Response:
        """Cancels an open run: waiting steps at once, running ones are awaited; 409 if it has ended."""
        return Response(cancel(self.principal, run_id, body(s.CancelRun, request)))


class _VerbView(RunsApiView):
    scopes = {"POST": RUNS_OPERATE}

    def done(self, request: Request, run_id: UUID, verb: Callable[..., None]) -> Response:
        """Do this to the tenant's run, with the reason that the body gives; the run as it stands then."""
        reason = body(Verb, request).get("reason", "")
        run = self.find_run(run_id)
        verb(run.tenant_id, [str(run.id)], by=self.principal.username, reason=reason)
        return Response(self.shown(run_id))


class RunPauseView(_VerbView):
    """Pausing."""

    @extend_schema(request=Verb, responses=s.RunSerializer)
    def post(self, request: Request, run_id: UUID) -> Response:
        """Pauses a RUNNING run: nothing new starts, running steps finish; 409 for any other."""
        return self.done(request, run_id, lifecycle.pause_runs)


class RunUnpauseView(_VerbView):
    """Going on after a pause."""

    @extend_schema(request=Verb, responses=s.RunSerializer)
    def post(self, request: Request, run_id: UUID) -> Response:
        """Lets a PAUSED run go on; 409 for any other."""
        return self.done(request, run_id, lifecycle.unpause_runs)
