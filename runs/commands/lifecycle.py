"""What can be done to runs that exist, one function behind each door; plural is the real one."""

from collections.abc import Iterable
from uuid import UUID

from engine.catalogue import Json
from engine.statuses import RunStatus, StepStatus
from runs.commands.human_skips import check_cancel
from runs.kernel import compensation, messages, wait_kinds
from runs.kernel.refused import RunRefused, require_unpaused_above, require_verb
from runs.kernel.reopen import reopen
from runs.kernel.transition import NOT_STARTED
from runs.kernel.unit_of_work import changing
from runs.models import StepExecution
from runs.store import child_runs, hot, waits
from runs.store.approvals import mark_changed
from runs.store.rows import ClosingRow


def cancel_runs(
    tenant: int,
    runs: Iterable[str],
    *,
    by: str,
    reason: str = "",
    compensate: bool = False,
    of_parent: bool = False,
) -> None:
    """Cancel open runs: what waits is cancelled at once, what runs is awaited (R-074, H-32).

    `compensate`: what was done is undone then (R-141). `of_parent`: the runs above want no more of them. Raises
    RunRefused for one that has ended or is being undone already, and as `human_skips.check_cancel`; then none is
    cancelled.
    """
    with changing(tenant, runs) as change:
        locked = change.locked
        require_verb(locked, "cancel")
        if not of_parent and (children := [run for run, row in locked.items() if row.tree]):
            check_cancel(tenant, by, children)
            mark_changed(children)
        payload = {"by": by, "reason": reason, "compensate": compensate}
        rows: list[ClosingRow] = [
            {"run_id": run, "status": RunStatus.CANCELLING, "undo": compensate, "payload": payload}
            for run in locked
        ]
        hot.close_runs(rows)
        hot.cancel_open_steps(locked, cause="cancelled", statuses=NOT_STARTED)
        hot.cancel_timers(locked)
        wait_kinds.waits_ended(locked)
        change.queues |= compensation.close(locked)


def pause_runs(tenant: int, runs: Iterable[str], *, by: str, reason: str = "") -> None:
    """Pause RUNNING runs: nothing new starts, what runs goes on to its end, timers fire and signals are taken (R-075).

    Raises RunRefused for one that isn't RUNNING; then none is paused.
    """
    _pause(tenant, runs, "pause", {"by": by, "reason": reason})


def unpause_runs(tenant: int, runs: Iterable[str], *, by: str, reason: str = "") -> None:
    """Let PAUSED runs go on. Raises RunRefused for one that isn't PAUSED, or below one that is; then none goes on."""
    _pause(tenant, runs, "unpause", {"by": by, "reason": reason})


def _pause(tenant: int, runs: Iterable[str], verb: str, payload: dict[str, Json]) -> None:
    pause = verb == "pause"
    with changing(tenant, runs) as change:
        require_verb(change.locked, verb)
        if not pause:
            require_unpaused_above(change.locked, verb)
        if pause:
            waits.count_sla_waits(change.locked)
        queues = hot.pause_runs(change.locked, payload, pause=pause)
        change.queues |= set() if pause else set(queues)
        if child_runs.tell_children(change.locked, verb, payload):
            change.queues.add(messages.QUEUE)


def resume_runs(tenant: int, runs: Iterable[str], *, by: str, reason: str = "") -> None:
    """Reopen FAILED runs: failed steps and those that the failure cancelled run again, completed ones stay (R-051).

    Raises RunRefused for a run that isn't FAILED, that has undone something, or whose business key a newer run has;
    then none is resumed.
    """
    with changing(tenant, runs) as change:
        reopen(change, {"by": by, "reason": reason})


def redo_failed(tenant: int, runs: Iterable[str], *, by: str, reason: str = "") -> None:
    """Do again what has failed of runs: FAILED ones are resumed, those that go on beside a failure just do it.

    Raises RunRefused as `resume_runs` does, also for an open run of which nothing has failed.
    """
    with changing(tenant, runs) as change:
        reopen(change, {"by": by, "reason": reason}, while_open=True)


def resolve_compensation(
    tenant: int,
    run: str,
    step: UUID,
    how: compensation.How,
    *,
    by: str,
    reason: str = "",
    via: str = "command",
    way: compensation.Way = "command",
) -> None:
    """Settle a compensation that failed for good, and go on with the next one (R-140).

    `step` is the compensation; `via` what they came, and in which `way`, is kept as evidence. Raises RunRefused where
    the run doesn't wait for that.
    """
    with changing(tenant, [run]) as change:
        waits_for_it = change.locked[run].status == RunStatus.WAITING_FOR_MANUAL_ACTION
        steps = StepExecution.objects.for_tenant(tenant).filter(pk=step, run_id=run)
        node = steps.values_list("undoes", flat=True).first()
        resolution = (
            compensation.resolve(run, node, how, by=by, reason=reason, via=via, way=way)
            if waits_for_it and node is not None
            else None
        )
        if resolution is None:
            message = f"No compensation of {node or 'this step'} waits for a person in this run."
            raise RunRefused("nothing_to_resolve", message, conflict=True)
        is_queued = resolution[0] == StepStatus.QUEUED
        change.queues |= {resolution[1]} if is_queued else compensation.compensate_next([run])
