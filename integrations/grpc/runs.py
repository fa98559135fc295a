"""`handoff.v1.Runs`, but for its stream: each is what the route of the REST API does."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from accounts.roles import RUNS_OPERATE, RUNS_READ, RUNS_SIGNAL, RUNS_START
from integrations.grpc.calls import Do, NativeRequest, require_run
from lib.api.serializers import validated
from lib.trace_context import of_headers
from runs.api import serializers as s
from runs.api import signal_serializers, signals
from runs.api.run_calls import cancel, find_run, shown
from runs.api.starts import start_one
from runs.models import StartedFrom

NO_RUN = "There is no such run."


def start(request: NativeRequest) -> Mapping[str, Any]:
    """A run is started, or was before."""
    run, created = start_one(
        request.principal,
        validated(s.StartRun, request.payload),
        StartedFrom.GRPC,
        of_headers(request.call.metadata),
    )
    return {
        "run": run,
        "created": created,
        "input_mismatch": run.get("input_mismatch", False),
        "warnings": run.get("warnings", []),
    }


def get(request: NativeRequest) -> Mapping[str, Any]:
    """The run with its steps."""
    return shown(request.principal, _run(request, RUNS_READ))


def cancel_run(request: NativeRequest) -> Mapping[str, Any]:
    """An open run is cancelled."""
    run_id = _run(request, RUNS_OPERATE)
    return cancel(request.principal, run_id, validated(s.CancelRun, request.payload))


def signal(request: NativeRequest) -> Mapping[str, Any]:
    """The run is sent a signal."""
    run_id = _run(request, RUNS_SIGNAL)
    run = find_run(request.principal, run_id)
    return signals.send(
        request.principal, str(run.id), validated(signal_serializers.SendSignal, request.payload)
    )


def _run(request: NativeRequest, scope: str) -> UUID:
    run_id = request.take_id("run_id", NO_RUN)
    require_run(request.principal, scope, run_id)
    return run_id


CALLS: Final[Mapping[str, tuple[str, Do]]] = {
    "StartRun": (RUNS_START, start),
    "GetRun": (RUNS_READ, get),
    "CancelRun": (RUNS_OPERATE, cancel_run),
    "SignalRun": (RUNS_SIGNAL, signal),
}
