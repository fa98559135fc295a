"""The routes of signals."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.principal import Principal
from accounts.roles import RUNS_READ, RUNS_SIGNAL
from lib.api.pagination import keyset_page
from lib.api.schema import page_schema
from lib.api.serializers import Parsed, body, query
from lib.refusals import Missing
from runs.api import signal_serializers as s
from runs.api.base import RunsApiView
from runs.commands.broadcast import Concerned, broadcast
from runs.commands.signals import NewSignal, Sent, send_signal
from runs.limits import LISTED_SIGNAL_BYTES
from runs.reading import queries, run_signals
from workflows.access import guard_workflow


def signal_of(payload: Parsed) -> NewSignal:
    """A signal as a body names it."""
    child = payload.get("child")
    return NewSignal(
        payload["signal_id"],
        payload["name"],
        payload.get("payload"),
        child=None if child is None else str(child),
        index=payload.get("index"),
        to_all=payload.get("all", False),
    )


def send(principal: Principal, run: str, payload: Parsed) -> dict[str, Any]:
    """Send a signal to a run that the principal's tenant has. Raises RunRefused and Missing."""
    sent = send_signal(principal.tenant_id, run, signal_of(payload), by=principal.username)
    return {"run_id": run, "duplicate": not sent.is_new, **answer_of(sent)}


def answer_of(sent: Sent) -> dict[str, Any]:
    """Where a signal went, as its sender is told."""
    delivered = [{"run": run, "node": node, "index": item} for run, node, item in sent.delivered]
    return {"delivered": delivered, "kept": sent.is_kept}


class _SignallingView(RunsApiView):
    scopes = {"POST": RUNS_SIGNAL}

    def send(self, run: str, payload: Parsed) -> Response:
        """Send it to this run of the tenant."""
        row = send(self.principal, run, payload)
        return Response(row, status=200 if row["duplicate"] else 202)


class RunSignalsView(_SignallingView):
    """Signals to a run."""

    scopes = {"GET": RUNS_READ, "POST": RUNS_SIGNAL}

    @extend_schema(parameters=[s.SignalListQuery], responses=page_schema(s.ReceivedSignalSerializer))
    def get(self, request: Request, run_id: UUID) -> Response:
        """The signals that the run has received, that are kept for it, or that its steps have taken, newest first; the
        run at the root of a tree keeps those that are sent to the runs below it.
        """
        params = query(s.SignalListQuery, request)
        run = self.find_run(run_id)
        signals = run_signals.signals_of(run)
        most: int | None = LISTED_SIGNAL_BYTES
        if (processed := params.pop("processed", None)) is not None:
            signals = signals.filter(consumed_at__isnull=not processed)
        if name := params.pop("name", None):
            signals = signals.filter(name=name)
        if signal_id := params.pop("signal_id", None):
            signals, most = signals.filter(signal_id=signal_id), None
        page = keyset_page(run_signals.with_payloads(signals, most), request, keys=("id",), **params)
        return Response(page.answer(run_signals.signal_rows(run.tenant_id, page.rows, most)))

    @extend_schema(request=s.SendSignal, responses={200: s.SignalSerializer, 202: s.SignalSerializer})
    def post(self, request: Request, run_id: UUID) -> Response:
        """Sends the run a signal: 202. The same `signal_id` again is dropped: 200; a new one to an ended run: 409.

        It goes to the oldest open wait of its name in the run and the runs below it; `delivered` says where it went.
        """
        run = self.find_run(run_id)
        return self.send(str(run.id), body(s.SendSignal, request))


class SignalsView(_SignallingView):
    """Signals to the run that a business key stands for."""

    @extend_schema(request=s.SendSignalByKey, responses={200: s.SignalSerializer, 202: s.SignalSerializer})
    def post(self, request: Request) -> Response:
        """Sends a signal to the run that has this business key in the workflow; answers as above."""
        payload = body(s.SendSignalByKey, request)
        guard_workflow(self.principal, RUNS_SIGNAL, payload["workflow"])
        run = queries.run_with_key(self.principal.tenant_id, payload["workflow"], payload["business_key"])
        if run is None:
            raise Missing("No run of this workflow has this business key.", field="business_key")
        return self.send(run, payload)


class BroadcastView(RunsApiView):
    """Signals to many runs."""

    scopes = {"POST": RUNS_SIGNAL}

    @extend_schema(request=s.BroadcastSignal, responses=s.BroadcastSerializer)
    def post(self, request: Request) -> Response:
        """Sends a signal to every open run of a workflow, with a business key, or whose input has these values; up to
        1,000 in one call, the oldest first. Sent again with the same `signal_id` it reaches no run twice.
        """
        payload = body(s.BroadcastSignal, request)
        concerned = Concerned(*(payload.get(name) for name in ("workflow", "business_key", "input")))
        more = {"after": payload.get("after"), "reason": payload.get("reason")}
        became = broadcast(self.principal, signal_of(payload), concerned, **more)
        refused = [
            {"run_id": run, "code": why.code, "message": why.message} for run, why in became.refused.items()
        ]
        counts = {"sent": len(became.sent), "duplicates": len(became.duplicates)}
        return Response({**counts, "refused": refused, "next": became.next})
