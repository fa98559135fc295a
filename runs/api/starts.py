"""Starting runs through the API: the principal and a workflow's name become a tenant and a version."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from accounts.guards import note
from accounts.principal import Principal
from accounts.roles import RUNS_READ, RUNS_SIGNAL, RUNS_START
from lib.api.serializers import Parsed
from lib.trace_context import Trace
from runs.api.signals import answer_of, signal_of
from runs.commands.filing import filing_of, recorded_filing
from runs.commands.named_starts import start_workflow
from runs.commands.signals import Sent, send_signals
from runs.commands.starts import IfExists, NewRun, Started
from runs.kernel.refused import RunRefused
from runs.models import StartedFrom
from runs.reading.presentation import found_run
from workflows.access import guard_workflow, operates, scopes_for


def client_of(headers: Mapping[str, str]) -> StartedFrom:
    """Whether a REST request comes from one of our SDKs: each names itself in its `User-Agent`."""
    is_sdk = headers.get("User-Agent", "").startswith("handoff-sdk-")
    return StartedFrom.SDK if is_sdk else StartedFrom.REST


def start_one(
    principal: Principal, payload: Parsed, started_from: StartedFrom, trace: Trace | None = None
) -> tuple[dict[str, Any], bool]:
    """Starts a run, of this `trace`; the run as it is shown, and whether it is a new one.

    The run that exists already says `input_mismatch` where it was started with another input (H-12).
    Raises Missing, Conflict and RunRefused.
    """
    signal = signal_of(payload["signal"]) if "signal" in payload else None
    item = NewRun(payload["input"], payload.get("business_key"), signal=signal, trace=trace)
    (start,) = _start(
        principal, payload, [item], started_from, if_exists=payload["if_exists"], is_request=True
    )
    # A step that begins with the run finds its signal when it waits.
    sent = Sent(is_new=True, delivered=())
    if signal is not None and not start.created:
        principal.require(RUNS_SIGNAL)
        guard_workflow(principal, RUNS_SIGNAL, payload["workflow"])
        (sent,) = send_signals(principal.tenant_id, [(start.id, signal)], by=principal.username)
    row = _shown(principal, payload["workflow"], start)
    if signal is not None:
        row["signal"] = {"duplicate": not sent.is_new, **answer_of(sent)}
    if start.warnings:
        row["warnings"] = list(start.warnings)
    if start.input_mismatch:
        row["input_mismatch"] = True
    return row, start.created


def _shown(principal: Principal, workflow: str, start: Started) -> dict[str, Any]:
    """The run as it is; who may not read it is told which it is, and no more: it may be somebody else's."""
    if RUNS_READ in scopes_for(principal, workflow):
        note("name", RUNS_READ, workflow)
        return {**found_run(principal.tenant_id, start.id, who=principal)}
    return {
        "id": start.id,
        "workflow": workflow,
        "version": start.version,
        "business_key": start.business_key,
    }


def start_many(
    principal: Principal, payload: Parsed, started_from: StartedFrom, trace: Trace | None = None
) -> list[Started]:
    """Starts all items or none. Raises Missing, Conflict and RunRefused naming the item."""
    items = [NewRun(item["input"], item.get("business_key"), trace=trace) for item in payload["items"]]
    try:
        return _start(principal, payload, items, started_from)
    except RunRefused as refusal:
        if len(items) == 1 and refusal.field and not refusal.field.startswith("items"):
            refusal.field = f"items[0].{refusal.field}"
        raise


def _start(
    principal: Principal,
    payload: Parsed,
    items: list[NewRun],
    started_from: StartedFrom,
    if_exists: IfExists = "return",
    *,
    is_request: bool = False,
) -> list[Started]:
    """`is_request`: who starts it follows it, as they do what they start by a form; nobody follows a batch."""
    workflow = payload["workflow"]
    guard_workflow(principal, RUNS_START, workflow)
    filing = filing_of(principal, workflow, payload.get("on_behalf_of"))
    start = partial(
        start_workflow,
        principal.tenant_id,
        workflow,
        items,
        by=filing.by,
        started_from=started_from,
        acts_for=filing.acts_for,
        version=payload.get("version"),
        may_pin=lambda: all(operates(one, workflow) for one in (principal, *filing.others)),
        priority=payload.get("priority", 0),
        sla_seconds=payload.get("sla_seconds"),
        if_exists=if_exists,
        requested_by=filing.requested_by if is_request else None,
        filed_by=filing.filed_by,
    )
    return recorded_filing(principal, filing, start)
