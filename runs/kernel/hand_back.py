"""Steps that a worker gives back unstarted, or that a lost one had: queued again, unless their run is closing."""

from collections.abc import Sequence

from django.db import transaction

from engine.statuses import RUN_CLOSING, RunStatus, StepStatus
from runs.kernel import compensation, dispatch, live
from runs.store import hot
from runs.store.attempts import ClaimedStep
from runs.store.rows import EndedRow, ReturnedRow


def hand_back(steps: Sequence[ClaimedStep], *, lost: bool = False) -> list[str]:
    """Queue steps again that were not started, without using up their attempt; gives the queues that have work now.

    In a run that is failing or being cancelled nothing starts any more: there they are over, and it waits no longer.
    `lost`: they were not handed back by their holder, their lease is over; from then on they run alone.
    """
    if not steps:
        return []
    with transaction.atomic():
        statuses = hot.lock_light_unless_busy({step.run_id for step in steps}) if lost else _shared(steps)
        rows: list[ReturnedRow] = [
            {"id": step.id, "epoch": step.epoch, "held": statuses[step.run_id] == RunStatus.PAUSED}
            for step in sorted(steps, key=lambda step: step.id)
            if step.run_id in statuses and statuses[step.run_id] not in RUN_CLOSING
        ]
        queues = hot.hand_back(rows, lost=lost) if rows else []
    live.tell_steps(steps)
    if closing := [step for step in steps if not lost and statuses.get(step.run_id) in RUN_CLOSING]:
        _never_started(closing)
    return queues


def _never_started(steps: Sequence[ClaimedStep]) -> None:
    """End steps that were given back to closing runs; a later resume queues those that a failure took."""
    with transaction.atomic():
        locked = hot.lock_heavy({step.run_id for step in steps})
        rows: list[EndedRow] = [
            {
                "id": step.id,
                "epoch": step.epoch,
                "status": StepStatus.CANCELLED,
                "cause": "failure" if locked[step.run_id].status == RunStatus.FAILING else "cancelled",
                "sinks": 0,
            }
            for step in steps
            if step.run_id in locked and locked[step.run_id].status in RUN_CLOSING
        ]
        hot.advance(worker=None, ended=rows, anchors=[], steps=[], arrivals=[])
        queues = compensation.close(locked)
    dispatch.wake(queues)
    live.tell(live.Change(step.tenant_id, step.run_id) for step in steps)


def _shared(steps: Sequence[ClaimedStep]) -> dict[str, str]:
    locked = hot.lock_light({step.run_id for step in steps})
    return {run: row.status for run, row in locked.items()}
