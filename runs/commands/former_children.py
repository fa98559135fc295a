"""Child runs go on in place: a step that begins to wait once more waits for the run that it had before.

So what that run has done stays done, and what it does again has the idempotency key that it had. A child of which
something was undone is the exception: a new one begins.
"""

from collections.abc import Mapping, Sequence

from engine.catalogue import Json
from engine.statuses import RUN_CLOSING, RUN_ENDED, RunStatus
from runs.kernel import messages
from runs.kernel.refused import RunRefused
from runs.kernel.reopen import reopen
from runs.kernel.unit_of_work import changing
from runs.kernel.wait_kinds import Entered, Wait
from runs.store import child_runs
from runs.store.attempts import ClaimedStep
from runs.store.child_runs import Message
from runs.store.rows import FormerWaitRow
from workflows.unnumbered import version_of_part

AGAIN = "again"
"""What a wait says that is for a run which was there before: the newest of its chain."""

_REASON: Mapping[str, Json] = {"by": "handoff", "reason": "The run that began it was resumed."}


def prepare(entered: Entered) -> dict[str, Wait]:
    """By step, the waits that are for a run which the step, or the same item, had before."""
    waits = {step.id: wait for step, wait in entered if "input" in wait}
    steps = {step.id: step for step, _ in entered}
    runs = child_runs.runs_with_former_children({steps[id].run_id for id in waits}) if waits else set()
    rows = [
        _row(steps[id], wait)
        for id, wait in waits.items()
        if steps[id].run_id in runs or steps[id].attempt > 1
    ]
    children = child_runs.former_children(rows) if rows else []
    parts = {_container(steps[one.step]) for one in children if waits[one.step].get("part")}
    versions = {part: version_of_part(*part) for part in sorted(parts)}
    return {
        one.step: {**waits[one.step], "run": one.chain, AGAIN: one.run}
        for one in children
        # The steps of the container may be others by now: on another version of its workflow.
        if not waits[one.step].get("part") or one.version == versions[_container(steps[one.step])]
    }


def _container(step: ClaimedStep) -> tuple[int, str]:
    """The container that an item is of, in its version."""
    return step.version_id, step.node


def _row(step: ClaimedStep, wait: Wait) -> FormerWaitRow:
    return {
        "step_id": step.id,
        "run_id": step.run_id,
        "node": step.node,
        "index": step.index,
        "input": wait["input"],
        "part": bool(wait.get("part")),
        "workflow": wait.get("workflow"),
        "version": wait.get("version"),
    }


def resume_former(batch: Sequence[Message]) -> None:
    """Steps wait for runs that they had before: those that failed or were cancelled are resumed. One that can't be says
    how it stands.
    """
    for message in sorted(batch, key=lambda one: one.run):
        step = str((message.payload or {})["step"])
        try:
            _resume(message.tenant, message.run, step)
        except RunRefused:
            child_runs.tell_parent(message.run, step)


def _resume(tenant: int, run: str, step: str) -> None:
    with changing(tenant, [run]) as change:
        if not child_runs.belong_to_step(run, step):
            # Its parent may close meanwhile, and wait for it.
            child_runs.tell_parent(run, step)
            change.queues.add(messages.QUEUE)
            return
        status = change.locked[run].status
        if status in RUN_CLOSING:
            child_runs.resume_later(run, step)
        elif status in (RunStatus.FAILED, RunStatus.CANCELLED):
            reopen(change, _REASON, of_parent=True, told=True)
        elif status in RUN_ENDED:
            # It ended by itself, when nobody waited for it.
            child_runs.tell_parent(run, step)
