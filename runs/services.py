"""What can be done to runs that exist, one function behind each door; plural is the real one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from django.db import transaction

from engine.decide import fire
from engine.graph import UNDO
from engine.statuses import RUN_ENDED, RUN_UNDOING, RunStatus, StepStatus
from lib.uuid7 import uuid7
from runs import dispatch, live, saga, scopes, store, waiting_store, waits
from runs.claimed import Done, Locked
from runs.graphs import BrokenVersion, graph_of
from runs.models import Run
from runs.plan import Anchor, boundary_timers, plan
from runs.refused import RunRefused, had_alone, refusing
from runs.wave import NOT_STARTED, Wave

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
        for status, _ in locked.values():
            if status in RUN_ENDED:
                raise RunRefused("run_ended", f"The run is {status} already.", conflict=True)
            if status in RUN_UNDOING:
                message = f"The run is {status}: what it did is being undone, which a cancel doesn't stop."
                raise RunRefused("compensating", message, conflict=True)
        payload = {"by": by, "reason": reason, "compensate": compensate}
        rows = [
            {"run_id": run, "status": RunStatus.CANCELLING, "undo": compensate, "payload": payload}
            for run in locked
        ]
        store.close_runs(rows)
        store.cancel_open_steps(locked, cause="cancelled", statuses=NOT_STARTED)
        store.cancel_timers(locked)
        waits.left(locked)
        queues = saga.close(locked)
    dispatch.wake(queues)
    live.tell_runs(tenant, locked)


def pause_runs(tenant: int, runs: Iterable[str], *, by: str, reason: str = "") -> None:
    """Pause RUNNING runs: nothing new starts, what runs goes on to its end, timers fire and signals are taken (R-075).

    Raises RunRefused for one that isn't RUNNING; then none is paused.
    """
    _pause(tenant, runs, RunStatus.RUNNING, {"by": by, "reason": reason})


def unpause_runs(tenant: int, runs: Iterable[str], *, by: str, reason: str = "") -> None:
    """Let PAUSED runs go on. Raises RunRefused for one that isn't PAUSED; then none goes on."""
    _pause(tenant, runs, RunStatus.PAUSED, {"by": by, "reason": reason})


def _pause(tenant: int, runs: Iterable[str], now: RunStatus, payload: dict[str, Json]) -> None:
    pause = now == RunStatus.RUNNING
    with transaction.atomic():
        locked = had_alone(tenant, runs)
        for status, _ in locked.values():
            if status != now:
                verb = "paused" if pause else "unpaused"
                message = f"Only a {now} run can be {verb}; this one is {status}."
                raise RunRefused(f"not_{now.lower()}", message, conflict=True)
        queues = store.pause_runs(locked, payload, pause=pause)
    if not pause:
        dispatch.wake(queues)
    live.tell_runs(tenant, locked)


def resume_runs(tenant: int, runs: Iterable[str], *, by: str, reason: str = "") -> None:
    """Reopen FAILED runs: failed steps and those that the failure cancelled run again, completed ones stay (R-051).

    Raises RunRefused for a run that isn't FAILED, that has undone something, or whose business key a newer run has;
    then none is resumed.
    """
    wave = Wave()
    with refusing(), transaction.atomic():
        locked = had_alone(tenant, runs)
        for status, _ in locked.values():
            if status != RunStatus.FAILED:
                raise RunRefused(
                    "not_failed", f"Only a FAILED run can be resumed; this one is {status}.", conflict=True
                )
        if saga.began(locked):
            message = "What the run did was undone, at least in part: start it again instead."
            raise RunRefused("compensated", message, conflict=True)
        for key, other in store.lock_keys_of(locked):
            message = (
                f"The business key {key!r} stands for a newer run, {other}: only that one can be resumed."
            )
            raise RunRefused("key_taken", message, conflict=True)
        reopened = store.reopen_runs(locked, {"by": by, "reason": reason})
        for run_id, _, shard, version, priority, open_sinks in reopened["runs"]:
            wave.anchors[run_id] = Anchor("", run_id, tenant, shard, version, priority)
            if open_sinks <= 0:
                # It failed after its last step: what failed is to compute its output.
                wave.sunk.add(run_id)
        try:
            _arm_again(wave, reopened["queued"])
            _resolve_pending(wave, locked)
            _enter_again(wave, reopened["entered"])
            wave.decide_joins(reopened["joins"])
            wave.finish()
        except BrokenVersion as error:
            raise RunRefused("broken_version", str(error), conflict=True) from error
        wave.fail()
    dispatch.wake(wave.result.wake.union(reopened["queues"]))
    live.tell_runs(tenant, locked)


def resolve_compensation(
    tenant: int, run: str, node: str, how: Literal["retry", "done", "abandon"], *, by: str, reason: str = ""
) -> None:
    """Settle a compensation that failed for good, and go on with the next one (R-140).

    `node` is the step that was to be undone. Raises RunRefused where the run doesn't wait for that.
    """
    with transaction.atomic():
        locked = had_alone(tenant, [run])
        payload = {"by": by, "reason": reason}
        waits_for_it = locked[run].status == RunStatus.WAITING_FOR_MANUAL_ACTION
        settled = saga.resolve(run, f"{node}{UNDO}", how, payload) if waits_for_it else None
        if settled is None:
            message = f"No compensation of {node} waits for a person in this run."
            raise RunRefused("nothing_to_resolve", message, conflict=True)
        version = Run.objects.for_tenant(tenant).values_list("version_id", flat=True).get(pk=run)
        queues = {settled[1]} if settled[0] == StepStatus.QUEUED else saga.go_on({run: version})
    dispatch.wake(queues)
    live.tell_runs(tenant, [run])


def _arm_again(wave: Wave, queued: Sequence[tuple[str, str, str, list[str]]]) -> None:
    """Start the boundary timers of steps that are queued again, but for those that have fired."""
    timers = []
    for step, run_id, name, fired in queued:
        node = graph_of(wave.anchors[run_id].version_id).nodes[name]
        timers += boundary_timers(node, step, fired)
    if timers:
        waiting_store.arm_timers(timers)


def _resolve_pending(wave: Wave, locked: Mapping[str, Locked]) -> None:
    """Resolve the edges of steps that completed while their run was failing.

    Where that fails the run, the step stays completed and its edges pending: it must never be done twice.
    """
    pending = store.pending_edges(locked)
    if not pending:
        return
    scopes.load(step for step, _ in pending)
    plans = []
    for step, output in pending:
        planned = plan(step, Done(output), graph_of(step.version_id), luck=0.0)
        failure = planned.effects.failure if planned.effects else None
        if failure and failure[0] == step.node:
            wave.failures.setdefault(step.run_id, failure)
            wave.letters.append(step.id)
        else:
            planned.row["reopened"] = True
            plans.append(planned)
    wave.end(plans, {run: found._replace(status=RunStatus.RUNNING) for run, found in locked.items()})


def _enter_again(wave: Wave, entered: Sequence[tuple[str, str, Json]]) -> None:
    """Start steps once more that failed when they were started: their input is made anew, by the same rules."""
    known = scopes.load_for_joins(
        (run_id, wave.anchors[run_id].version_id, node) for run_id, node, _ in entered
    )
    causes = []
    for run_id, name, given in entered:
        anchor = replace(wave.anchors[run_id], id=uuid7())
        node = graph_of(anchor.version_id).nodes[name]
        scope = {"vars": {}} | ({} if node.predecessors else {"input": given}) | known.get((run_id, name), {})
        outputs = dict.fromkeys(node.predecessors, given)
        causes.append((anchor, fire(graph_of(anchor.version_id), node, outputs, scope, run=True)))
    if causes:
        wave.hang(causes)
