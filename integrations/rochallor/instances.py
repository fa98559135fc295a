"""Runs as rochallor's instances: starting, reading, cancelling them (R-045)."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from operator import attrgetter
from typing import Final
from uuid import UUID

from django.db.models import QuerySet

from accounts.principal import Principal
from accounts.roles import RUNS_OPERATE, RUNS_READ, RUNS_START
from engine.catalogue import Json
from engine.dialects.rochallor import failure_reason
from engine.events import EventType
from engine.statuses import STEP_OPEN, RunStatus, StepStatus
from integrations.rochallor.errors import (
    BAD_REQUEST,
    CONFLICT,
    RochallorError,
    in_rochallor_words,
    no_instance,
)
from integrations.rochallor.limits import INSTANCE_ROWS, REASON_CHARACTERS
from integrations.rochallor.naming import names_of
from integrations.rochallor.paging import bounds_of, count_of
from integrations.rochallor.values import (
    ACTIVE,
    CANCELLED,
    COMPLETED,
    FAILED,
    RUNNING,
    WAITING,
    Instance,
    Page,
    StepRecord,
)
from lib.trace_context import Trace
from lib.uuid7 import moment_of
from runs.access import guard_run, readable_runs
from runs.api.run_ids import run_named
from runs.commands import lifecycle
from runs.commands.named_starts import start_workflow
from runs.commands.starts import NewRun
from runs.models import HistoryEvent, Run, StartedFrom
from runs.reading import queries, run_view
from runs.reading.stored import NOTHING, ONE_RUN, Bounds, RunRead, StepRead, read_run, read_runs
from workflows.access import guard_workflow, operates

LISTED: Final = Bounds(4 * 1024, 0, 0)
_ERROR, _OUTPUT, _INPUT = 1, 2, 3
_STATUS_OF: Mapping[str, str] = {
    RunStatus.RUNNING: ACTIVE,
    RunStatus.PAUSED: ACTIVE,
    RunStatus.COMPENSATING: ACTIVE,
    RunStatus.WAITING_FOR_MANUAL_ACTION: ACTIVE,
    RunStatus.COMPLETED: COMPLETED,
    RunStatus.CONTINUED: COMPLETED,
    # Nothing begins any more: it is so for whoever asks, while what runs is awaited.
    RunStatus.FAILING: FAILED,
    RunStatus.FAILED: FAILED,
    RunStatus.COMPENSATED: FAILED,
    RunStatus.CANCELLING: CANCELLED,
    RunStatus.CANCELLED: CANCELLED,
}
_STEP_STATUS: Mapping[str, str] = {
    StepStatus.QUEUED: RUNNING,
    StepStatus.RUNNING: RUNNING,
    StepStatus.WAITING: RUNNING,
    StepStatus.COMPLETED: COMPLETED,
    StepStatus.FAILED: FAILED,
    # It was interrupted, or the run ended beside it: rochallor has no word of its own for that.
    StepStatus.CANCELLED: FAILED,
}
_WHY_CANCELLED = "the step was cancelled: it was interrupted, or the instance ended beside it"


@in_rochallor_words
def start_instance(
    principal: Principal,
    definition_id: str,
    *,
    version: int | None = None,
    variables: Mapping[str, Json] | None = None,
    business_key: str | None = None,
    trace: Trace | None = None,
) -> Instance:
    """Start an instance of a definition's version, of the latest where none is named (None or 0).

    Each start gives a new one, also with a business key that others have. Raises RochallorError: not-found,
    bad-request, conflict.
    """
    principal.require(RUNS_START)
    if not definition_id:
        raise RochallorError(BAD_REQUEST, "definitionId is required")
    scopes = guard_workflow(principal, RUNS_START, definition_id)
    run_input = dict(variables or {})
    [started] = start_workflow(
        principal.tenant_id,
        definition_id,
        [NewRun(run_input, business_key or None, trace=trace)],
        by=principal.username,
        started_from=StartedFrom.ROCHALLOR,
        acts_for=principal.acts_for,
        version=version or None,
        may_pin=partial(operates, principal, definition_id),
        if_exists="another",
    )
    if RUNS_READ in scopes:
        return _found(principal, UUID(started.id))
    begun = moment_of(UUID(started.id))
    number = started.version or 0
    return Instance(
        started.id, definition_id, number, ACTIVE, [], None, begun, business_key=business_key or None
    )


@in_rochallor_words
def get_instance(principal: Principal, instance_id: str | UUID) -> Instance:
    """An instance with its variables. Raises RochallorError: not-found, also for what is no id of ours."""
    principal.require(RUNS_READ)
    run_id = run_id_of(instance_id)
    guard_run(principal, RUNS_READ, run_id)
    return _found(principal, run_id)


@in_rochallor_words
def list_instances(
    principal: Principal,
    *,
    definition_id: str = "",
    status: str = "",
    business_key: str = "",
    page: int = 0,
    page_size: int = 0,
) -> Page[Instance]:
    """Instances, newest first, without their variables; those that fit what is not empty. Pages count from 0; a size
    of 0 is 20. A status that there isn't is nobody's.
    """
    principal.require(RUNS_READ)
    tenant = principal.tenant_id
    first, last = bounds_of(page, page_size, INSTANCE_ROWS)
    runs = queries.runs_of(
        tenant,
        workflow=definition_id.replace("\x00", "") or None,
        business_key=business_key.replace("\x00", "") or None,
        within=readable_runs(principal),
    )
    if status:
        runs = _with_status(runs, tenant, status)
    ids = list(runs.order_by("-id").values_list("pk", flat=True)[first:last])
    by_id = {run.id: run for run in read_runs(tenant, ids, LISTED)}
    rows = [by_id[str(run_id)] for run_id in ids if str(run_id) in by_id]
    reasons = _reasons_of_cancels(tenant, rows)
    items = [_instance(run, reasons.get(run.id), variables=False) for run in rows]
    return Page(items, count_of(runs))


@in_rochallor_words
def history(principal: Principal, instance_id: str | UUID) -> list[StepRecord] | None:
    """The entries into steps of an instance, by their start; None where there is no such instance."""
    principal.require(RUNS_READ)
    run_id = run_id_of(instance_id)
    guard_run(principal, RUNS_READ, run_id)
    run = read_run(principal.tenant_id, str(run_id), ONE_RUN)
    if run is None:
        return None
    names = names_of(run.version_id)
    records = [
        _record(run, step, names.step_of[step.node], names.type_of[step.node])
        for step in run.steps
        if step.status in _STEP_STATUS and step.node in names.step_of
    ]
    return sorted(records, key=attrgetter("started_at", "id"))


@in_rochallor_words
def cancel_instance(principal: Principal, instance_id: str | UUID, reason: str = "") -> Instance:
    """Cancel an instance: it is CANCELLED for whoever asks from now on, whatever its steps still do.

    Raises RochallorError: not-found, conflict where it has ended, or was cancelled before.
    """
    principal.require(RUNS_OPERATE)
    run_id = run_id_of(instance_id)
    guard_run(principal, RUNS_OPERATE, run_id)
    if len(reason) > REASON_CHARACTERS:
        raise RochallorError(BAD_REQUEST, f"reason has at most {REASON_CHARACTERS} characters")
    _, status = standing(principal, run_id)
    if status not in (ACTIVE, WAITING):
        raise RochallorError(CONFLICT, f"workflow instance is {status}")
    lifecycle.cancel_runs(principal.tenant_id, [str(run_id)], by=principal.username, reason=reason)
    return _found(principal, run_id)


def run_id_of(instance_id: str | UUID) -> UUID:
    """The run that the id of an instance names. Raises RochallorError: not-found for what is no id of ours."""
    if isinstance(instance_id, UUID):
        return instance_id
    try:
        return run_named(instance_id) or UUID(instance_id)
    except ValueError:
        raise no_instance() from None


def standing(principal: Principal, instance_id: str | UUID) -> tuple[RunRead, str]:
    """A run without its payloads, and its status as rochallor has it. Raises RochallorError: not-found."""
    run = read_run(principal.tenant_id, str(run_id_of(instance_id)), NOTHING)
    if run is None or run.is_test:
        raise no_instance()
    return run, status_of(run)


def status_of(run: RunRead) -> str:
    """The status of a run as rochallor has it: WAITING while all that is open waits."""
    if run.status == RunStatus.RUNNING:
        still_open = {step.status for step in run.steps if step.status in STEP_OPEN}
        return WAITING if still_open == {StepStatus.WAITING} else ACTIVE
    return _STATUS_OF[run.status]


def _found(principal: Principal, run_id: UUID) -> Instance:
    run = read_run(principal.tenant_id, str(run_id), ONE_RUN)
    if run is None or run.is_test:
        raise no_instance()
    return _instance(run, _reasons_of_cancels(principal.tenant_id, [run]).get(run.id), variables=True)


def _with_status(runs: QuerySet[Run], tenant: int, status: str) -> QuerySet[Run]:
    waiting = queries.runs_of(tenant, status=run_view.WAITING, within=runs)
    if status == WAITING:
        return waiting
    statuses = [ours for ours, theirs in _STATUS_OF.items() if theirs == status]
    runs = runs.filter(status__in=statuses)
    return runs.exclude(pk__in=waiting.values("pk")) if status == ACTIVE else runs


def _reasons_of_cancels(tenant: int, runs: Iterable[RunRead]) -> dict[str, str]:
    """Why these runs were cancelled, as whoever did so said; no statement where none was."""
    ids = [run.id for run in runs if _STATUS_OF.get(run.status) == CANCELLED]
    if not ids:
        return {}
    events = HistoryEvent.objects.for_tenant(tenant).filter(run_id__in=ids, type=EventType.RUN_CANCELLING)
    rows = events.order_by("id").values_list("run_id", "payload")
    return {str(run): str((payload or {}).get("reason") or "") for run, payload in rows}


def _instance(run: RunRead, reason: str | None, *, variables: bool) -> Instance:
    names, values = names_of(run.version_id), _values(run.payloads)
    status, error = status_of(run), values.get(_ERROR)
    if status == FAILED and error:
        reason = failure_reason(error)
    is_open = status in (ACTIVE, WAITING)
    steps = [names.step_of.get(step.node) for step in run.steps if is_open and step.status in STEP_OPEN]
    return Instance(
        id=run.id,
        definition_id=names.workflow,
        definition_version=names.number,
        status=status,
        current_step_ids=[*dict.fromkeys(step for step in steps if step)],
        variables=_variables(run, values.get(_INPUT)) if variables else None,
        started_at=_time(run.created_at),
        completed_at=None if run.completed_at is None else _time(run.completed_at),
        failure_reason=reason or None,
        business_key=run.business_key,
    )


def _variables(run: RunRead, run_input: Json) -> dict[str, Json]:
    """The input of the run with its variables over it; those behind the first MiB of them are left out."""
    of_run = {name: value for name, value, size, *_ in run.variables or () if size is None}
    return {**(run_input if isinstance(run_input, dict) else {}), **of_run}


def _record(run: RunRead, step: StepRead, step_id: str, step_type: str) -> StepRecord:
    values = _values(step.payloads)
    error = values.get(_ERROR)
    reason = failure_reason(error) if isinstance(error, dict) else None
    if reason is None and step.status == StepStatus.CANCELLED:
        reason = _WHY_CANCELLED
    # One that is to be tried again has the error of the attempt before.
    is_failed = _STEP_STATUS[step.status] == FAILED
    return StepRecord(
        id=step.id,
        instance_id=run.id,
        step_id=step_id,
        step_type=step_type,
        attempt_number=max(step.attempt, 1),
        status=_STEP_STATUS[step.status],
        started_at=_time(step.queued_at),
        ended_at=None if step.completed_at is None else _time(step.completed_at),
        input_snapshot=values.get(_INPUT),
        output_snapshot=values.get(_OUTPUT),
        failure_reason=reason if is_failed else None,
    )


def _values(payloads: Sequence[Sequence[Json]]) -> dict[int, Json]:
    """The payloads of a run or a step by their rank; of one that is too large to be shown nothing."""
    return {rank: value for rank, value, *_ in payloads}


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
