"""The lease sweep: what a dead or hanging worker held goes back to its queue, or fails that attempt.

A lease lost in company costs no attempt: nobody knows which step of the batch took the worker down. Such a step runs
alone from then on, and only there a lost lease counts (docs/engine.md, "Poison pills"), unless its policy allows for
more of them (`retry.lost_leases`). Ids are read without locks;
every write asks the clock again, so a heartbeat that comes in between wins.
"""

from collections.abc import Sequence

from engine.catalogue import Json
from engine.statuses import RUN_CLOSING
from lib.batches import in_bounded_batches
from lib.clock import now_or_none
from runs.kernel import dispatch, scopes
from runs.kernel.advance import advance
from runs.kernel.graphs import compiled_or_none
from runs.kernel.hand_back import hand_back
from runs.store import hot
from runs.store.attempts import AttemptResult, ClaimedStep, Errored
from runs.store.leases import lost_leases

BATCH = 500
SWEEP_SECONDS = 0.8


def sweep(seconds: float = SWEEP_SECONDS) -> int:
    """Take back expired leases in bounded batches for at most `seconds`; gives how many were found."""
    return in_bounded_batches(_take_back, BATCH, seconds)


def lose(workers: Sequence[str]) -> int:
    """End the leases of workers of ours that are known to be dead, and sweep; gives how many leases were found."""
    hot.SQL.execute("end_leases", {"workers": list(workers), "now": now_or_none()})
    return sweep()


def _take_back(limit: int) -> int:
    batch = hot.expired(limit)
    if not batch:
        return 0
    lost = [step for step, timed_out, status in batch if not (timed_out or status in RUN_CLOSING)]
    company = [step for step in lost if not step.solo]
    company += _free([step for step in lost if step.solo])
    ids = {step.id for step in company}
    endings: list[tuple[ClaimedStep, AttemptResult]] = [
        (step, Errored(_error(timed_out), retryable=True, expired=True))
        for step, timed_out, _ in batch
        if step.id not in ids
    ]
    queues = set(hand_back(company, lost=True))
    if endings:
        scopes.load(step for step, _ in endings)
        queues |= advance(endings).wake
    dispatch.wake(queues, even_if_awake=True)
    return len(batch)


def _free(steps: Sequence[ClaimedStep]) -> list[ClaimedStep]:
    """Those of the steps whose policy lets them lose another lease without using up an attempt."""
    allowances = {step.id: allowance for step in steps if (allowance := _allowance(step))}
    lost = lost_leases(allowances)
    free = {step: sum(not is_counted for is_counted in epochs.values()) for step, epochs in lost.items()}
    return [step for step in steps if free.get(step.id, 0) < allowances.get(step.id, 0)]


def _allowance(step: ClaimedStep) -> int:
    """How many lost leases its policy allows for; none where this host can't compile its version, so that the loss
    counts, and the leases of others are taken back all the same.
    """
    version = compiled_or_none(step.version_id)
    return 0 if version is None else version.graph.step(step.node, step.index).retry.lost_leases


def _error(timed_out: bool) -> dict[str, Json]:
    if timed_out:
        message = "The attempt took longer than its timeout allows."
        return {"code": "Timeout", "message": message, "retryable": True}
    message = "The worker was lost: its lease ran out without a heartbeat."
    return {"code": "LeaseLost", "message": message, "retryable": True}
