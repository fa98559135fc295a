"""What operators do to one step of a run: try it again, with another input too, or skip it (R-075). Each is audited."""

from collections.abc import Mapping
from dataclasses import dataclass

from engine.catalogue import Json
from engine.outcomes import Completed, Failed
from engine.overrides import KeepResult, Overrides, RerunWith
from engine.statuses import StepStatus
from engine.verbs import UNDO_VERBS, changes_steps, is_redone, step_verbs, why_not_step
from runs.kernel import compensation, scopes, wait_kinds
from runs.kernel.graphs import compiled
from runs.kernel.plan import PASSED, plan
from runs.kernel.refused import RunRefused, storable
from runs.kernel.reopen import Apply, reopen
from runs.kernel.transition import Transition
from runs.kernel.unit_of_work import Change, changing
from runs.store import failing, hot, payloads
from runs.store.attempts import ClaimedStep, Errored, LockedRun, SkippedByOperator
from runs.store.rows import EndedBy
from steps.base import MAX_INPUT_BYTES, MAX_OUTPUT_BYTES


@dataclass(frozen=True, slots=True)
class _Target:
    """The step that an operator acts on, as it stands."""

    claim: ClaimedStep
    status: str
    cause: str | None
    has_output: bool
    asks: bool
    error: Mapping[str, Json] | None

    @property
    def has_failed(self) -> bool:
        """Whether it is what a resume would do again: it failed its run, or was cancelled by that."""
        return is_redone(self.status, self.cause, self.has_output)

    def allows(self, verb: str, run: LockedRun) -> bool:
        """Whether this may be done to it now."""
        return verb in step_verbs(
            run.status, self.status, redone=self.has_failed, undoes=self.is_undo, asks=self.asks
        )

    @property
    def is_undo(self) -> bool:
        """Whether it compensates another."""
        return self.claim.undoes is not None

    @property
    def begins_anew(self) -> bool:
        """Whether it failed before any worker had it: then it is entered again, and its row is another one."""
        return self.status == StepStatus.FAILED and self.claim.epoch == 0


def retry_step(
    tenant: int,
    run: str,
    node: str,
    *,
    override: RerunWith | None = None,
    by: str,
    reason: str = "",
    via: str = "command",
) -> None:
    """Try a failed step again with a fresh budget, and with another input where there is an `override`.

    In a FAILED run, which is resumed by it, or in one that goes on beside the failure; or at once where it waits for
    its next attempt. A compensation that failed for good goes on by it. Raises RunRefused.
    """
    payload = {"by": by, "reason": reason}
    with changing(tenant, [run]) as change:
        locked = change.locked
        step = _target_of(run, node)
        if override is not None:
            if step.is_undo:
                message = (
                    "A compensation always gets the input and output of the step it undoes: "
                    "it takes no other input."
                )
                raise RunRefused("invalid", message, field="input")
            storable(override.input, "input", max_bytes=MAX_INPUT_BYTES)
        if not step.allows("retry", locked[run]):
            _refuse(locked[run], step, "tried again")
        if step.is_undo and step.status == StepStatus.FAILED:
            change.queues |= _settle(locked[run], step, "retry", payload | {"via": via}, None)
        elif step.has_failed:
            overrides: Overrides = {node: override} if override is not None and step.begins_anew else {}
            apply = None if step.begins_anew else _requeuing(step, override, payload)
            reopen(change, payload, overrides={run: overrides}, apply=apply, while_open=True)
        else:
            change.queues |= _requeue(step.claim, override, payload)
            if step.asks:
                failing.settle_questions([run], [step.claim.id], resolution="redriven")


def leave_failed(tenant: int, run: str, node: str) -> bool:
    """Leave the failure of a step as it is that asks what becomes of it: it fails its run; gives whether it asked.

    Its dead letter is the caller's to resolve. Raises RunRefused for another tenant's run.
    """
    with changing(tenant, [run]) as change:
        return leave(change, run, node)


def leave(change: Change, run: str, node: str) -> bool:
    """The same in a unit of work that has the run alone."""
    step = _target_of(run, node)
    if not step.asks:
        return False
    scopes.load([step.claim])
    result = Errored(step.error or {}, left=True)
    planned = plan(step.claim, result, compiled(step.claim.version_id).graph, jitter=0.0)
    planned.row["by"] = EndedBy.WAIT
    change.transition.complete([planned], change.locked)
    return True


def skip_step(
    tenant: int, run: str, node: str, output: Json, *, by: str, reason: str = "", via: str = "command"
) -> None:
    """Skip a step that failed, waits or is queued: it counts as done with `output`, and its edges follow from that.

    A FAILED run is resumed by it, and what else failed of one that goes on is done again; a compensation counts as done
    by hand. Raises RunRefused, also where the output leads nowhere.
    """
    payload = {"by": by, "reason": reason}
    with changing(tenant, [run]) as change:
        locked = change.locked
        step = _target_of(run, node)
        storable(output, "output", max_bytes=MAX_OUTPUT_BYTES)
        history = payload | {"was": step.status}
        if not step.allows("skip", locked[run]):
            _refuse(locked[run], step, "skipped")
        if step.is_undo:
            change.queues |= _settle(locked[run], step, "done", payload | {"via": via}, output)
        elif step.has_failed:
            if step.begins_anew:
                result = KeepResult(
                    Completed(output),
                    status=StepStatus.SKIPPED,
                    input=payloads.whole(tenant, step.claim.input),
                    own=True,
                    cause=PASSED,
                    said=history,
                )
                reopen(change, payload, overrides={run: {node: result}}, while_open=True)
            else:
                reopen(change, payload, apply=_passing(run, node, output, history), while_open=True)
        else:
            _passing(run, node, output, history)(change.transition, locked)
            wait_kinds.waits_ended([run])


def _target_of(run: str, node: str) -> _Target:
    row = hot.step_to_change(run=run, node=node)
    if row is not None:
        return _Target(*row)
    message = f"The run has not reached {node} yet, or has no such step."
    raise RunRefused("not_begun", message, field="node", conflict=True)


def _settle(
    run: LockedRun, step: _Target, how: compensation.How, payload: Mapping[str, str], output: Json
) -> set[str]:
    """Go on behind a compensation that failed, or instead of one that is queued or waits; gives the queues."""
    claim = step.claim
    output = payloads.fitted_value(claim.tenant_id, claim.run_id, output)
    verb = "retry" if how == "retry" else "skip"
    statuses = tuple(
        StepStatus(status) for (of, status), verbs in UNDO_VERBS.items() if of == run.status and verb in verbs
    )
    outcome = compensation.resolve(
        claim.run_id, str(claim.undoes), how, way="step", statuses=statuses, output=output, **payload
    )
    if outcome is None:
        raise _moved()
    return {outcome[1]} if how == "retry" else compensation.compensate_next([claim.run_id])


def _requeuing(step: _Target, override: RerunWith | None, payload: Mapping[str, Json]) -> Apply:
    def change(transition: Transition, _: Mapping[str, LockedRun]) -> None:
        transition.result.wake |= _requeue(step.claim, override, payload)

    return change


def _requeue(step: ClaimedStep, override: RerunWith | None, payload: Mapping[str, Json]) -> set[str]:
    value = override and payloads.fitted_value(step.tenant_id, step.run_id, override.input)
    queues = hot.requeue_step(step=step.id, edited=override is not None, value=value, payload=payload)
    if not queues:
        raise _moved()
    return set(queues)


def _passing(run: str, node: str, output: Json, payload: Mapping[str, Json]) -> Apply:
    """End the step as skipped; it is read anew, since its row may have been queued again."""

    def change(transition: Transition, locked: Mapping[str, LockedRun]) -> None:
        claim = _target_of(run, node).claim
        scopes.load([claim])
        graph = compiled(claim.version_id).graph
        skipped = payloads.fitted_result(claim, SkippedByOperator(output, payload))
        planned = plan(claim, skipped, graph, jitter=0.0)
        if planned.effects is not None and isinstance(planned.effects.outcome, Failed):
            message = str(planned.effects.outcome.error["message"])
            raise RunRefused("leads_nowhere", message, field="output")
        transition.complete([planned], locked)
        if planned.anchor not in transition.alive:
            raise _moved()

    return change


def _moved() -> RunRefused:
    return RunRefused("step_moved", "A worker took the step just now: nothing was changed.", conflict=True)


def _refuse(run: LockedRun, step: _Target, verb: str) -> None:
    """Raises RunRefused with what stands against it."""
    if not changes_steps(run.status, undoes=step.is_undo):
        message = f"The run is {run.status}: its steps can't be {verb} now."
        raise RunRefused("run_ended", message, conflict=True)
    why = why_not_step(step.status, undoes=step.is_undo)
    message = f"The step is {step.status} and can't be {verb}: {why}."
    raise RunRefused("step_is_" + step.status.lower(), message, conflict=True)
