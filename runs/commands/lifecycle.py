"""What can be done to runs that exist, one function behind each door; plural is the real one."""

from collections.abc import Iterable
from typing import Any

from django.db import transaction

from engine.graph import UNDO
from engine.statuses import RunStatus, StepStatus
from runs.kernel import compensation, notices, wait_kinds
from runs.kernel.refused import RunRefused, had_alone, refusing, require_verb
from runs.kernel.reopen import reopen
from runs.kernel.wave import NOT_STARTED
from runs.models import Run
from runs.store import hot

Json = Any


def cancel_runs(
    tenant: int, runs: Iterable[str], *, by: str, reason: str = "", compensate: bool = False
) -> None:
    """Cancel open runs: what waits is cancelled at once, what runs is awaited (R-074, H-32).

    `compensate`: what was done is undone then (R-141). Raises RunRefused for one that has ended or is being undone
    already; then none is cancelled.
    """
    with transaction.atomic():
        locked = had_alone(tenant, runs)
        require_verb(locked, "cancel")
        payload = {"by": by, "reason": reason, "compensate": compensate}
        rows = [
            {"run_id": run, "status": RunStatus.CANCELLING, "undo": compensate, "payload": payload}
            for run in locked
        ]
        hot.close_runs(rows)
        hot.cancel_open_steps(locked, cause="cancelled", statuses=NOT_STARTED)
        hot.cancel_timers(locked)
        wait_kinds.left(locked)
        queues = compensation.close(locked)
    notices.after_commit(tenant, locked, queues)


def pause_runs(tenant: int, runs: Iterable[str], *, by: str, reason: str = "") -> None:
    """Pause RUNNING runs: nothing new starts, what runs goes on to its end, timers fire and signals are taken (R-075).

    Raises RunRefused for one that isn't RUNNING; then none is paused.
    """
    _pause(tenant, runs, "pause", {"by": by, "reason": reason})


def unpause_runs(tenant: int, runs: Iterable[str], *, by: str, reason: str = "") -> None:
    """Let PAUSED runs go on. Raises RunRefused for one that isn't PAUSED; then none goes on."""
    _pause(tenant, runs, "unpause", {"by": by, "reason": reason})


def _pause(tenant: int, runs: Iterable[str], verb: str, payload: dict[str, Json]) -> None:
    pause = verb == "pause"
    with transaction.atomic():
        locked = had_alone(tenant, runs)
        require_verb(locked, verb)
        queues = hot.pause_runs(locked, payload, pause=pause)
    notices.after_commit(tenant, locked, () if pause else queues)


def resume_runs(tenant: int, runs: Iterable[str], *, by: str, reason: str = "") -> None:
    """Reopen FAILED runs: failed steps and those that the failure cancelled run again, completed ones stay (R-051).

    Raises RunRefused for a run that isn't FAILED, that has undone something, or whose business key a newer run has;
    then none is resumed.
    """
    with refusing(), transaction.atomic():
        locked = had_alone(tenant, runs)
        queues = reopen(tenant, locked, {"by": by, "reason": reason})
    notices.after_commit(tenant, locked, queues)


def resolve_compensation(
    tenant: int,
    run: str,
    node: str,
    how: compensation.How,
    *,
    by: str,
    reason: str = "",
    via: str = "command",
    way: compensation.Way = "command",
) -> None:
    """Settle a compensation that failed for good, and go on with the next one (R-140).

    `node` is the step that was to be undone; `via` what they came, and in which `way`, is kept as evidence. Raises
    RunRefused where the run doesn't wait for that.
    """
    with transaction.atomic():
        locked = had_alone(tenant, [run])
        waits_for_it = locked[run].status == RunStatus.WAITING_FOR_MANUAL_ACTION
        settled = (
            compensation.resolve(run, f"{node}{UNDO}", how, by=by, reason=reason, via=via, way=way)
            if waits_for_it
            else None
        )
        if settled is None:
            message = f"No compensation of {node} waits for a person in this run."
            raise RunRefused("nothing_to_resolve", message, conflict=True)
        version = Run.objects.for_tenant(tenant).values_list("version_id", flat=True).get(pk=run)
        queues = {settled[1]} if settled[0] == StepStatus.QUEUED else compensation.go_on({run: version})
    notices.after_commit(tenant, [run], queues)
