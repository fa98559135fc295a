"""The step that an operator acts on, as it stands, and what is done to it in a unit of work that has its run."""

from collections.abc import Mapping
from dataclasses import dataclass

from engine.catalogue import Json
from engine.outcomes import Failed
from engine.overrides import RerunWith
from engine.statuses import StepStatus
from engine.verbs import is_redone, step_verbs
from runs.kernel import scopes
from runs.kernel.graphs import compiled
from runs.kernel.plan import plan
from runs.kernel.refused import RunRefused
from runs.kernel.reopen import Apply
from runs.kernel.transition import Transition
from runs.store import hot, payloads
from runs.store.attempts import ClaimedStep, LockedRun, SkippedByOperator


@dataclass(frozen=True, slots=True)
class ItemPlace:
    """An item of a container, or where `index` is None a step."""

    run: str
    node: str
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """The step that an operator acts on, as it stands."""

    claim: ClaimedStep
    status: str
    cause: str | None
    has_output: bool
    asks: bool
    error: Mapping[str, Json] | None
    is_unknown: bool
    """Whether nobody knows what an attempt did with the input that it has now."""

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


def target_of(run: str, node: str, index: int | None = None) -> Target:
    """The step, or the item of a container, of a run that is held. Raises RunRefused where it has not begun."""
    row = hot.step_to_change(run=run, node=node, index=index)
    if row is not None:
        return Target(*row)
    if index is None:
        message = f"The run has not reached {node} yet, or has no such step."
        raise RunRefused("not_begun", message, field="node", conflict=True)
    message = f"The item {index} of {node} has not begun, or is about to begin again."
    raise RunRefused("not_begun", message, field="index", conflict=True)


def requeue(step: ClaimedStep, override: RerunWith | None, payload: Mapping[str, Json]) -> set[str]:
    """Try a step again at once; gives its queue. Raises RunRefused where a worker has it."""
    value = override and payloads.fitted_value(step.tenant_id, step.run_id, override.input)
    queues = hot.requeue_step(step=step.id, edited=override is not None, value=value, payload=payload)
    if not queues:
        raise moved()
    return set(queues)


def passing(
    run: str, node: str, output: Json, payload: Mapping[str, Json], index: int | None = None
) -> Apply:
    """End the step as skipped; it is read anew, since its row may have been queued again."""

    def change(transition: Transition, locked: Mapping[str, LockedRun]) -> None:
        claim = target_of(run, node, index).claim
        scopes.load([claim])
        graph = compiled(claim.version_id).graph
        skipped = payloads.fitted_result(claim, SkippedByOperator(output, payload))
        planned = plan(claim, skipped, graph, jitter=0.0)
        if planned.effects is not None and isinstance(planned.effects.outcome, Failed):
            message = str(planned.effects.outcome.error["message"])
            raise RunRefused("leads_nowhere", message, field="output")
        transition.complete([planned], locked)
        if planned.anchor not in transition.alive:
            raise moved()

    return change


def moved() -> RunRefused:
    """What is said where a worker was first."""
    return RunRefused("step_moved", "A worker took the step just now: nothing was changed.", conflict=True)
