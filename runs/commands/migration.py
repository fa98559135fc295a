"""Open runs go on with another version of their workflow, where they fit it (R-010)."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.catalogue import Json
from engine.migrating import InHand, Misfit, Standing, Version, Walked, misfits
from engine.overrides import KeepResult
from engine.statuses import STEP_OPEN, RunStatus, StepStatus
from engine.verbs import why_not
from lib.uuid7 import uuid7
from runs.commands.kept import KeptStep, kept_steps, refuse_test, walk_anew
from runs.kernel import scopes
from runs.kernel.graphs import Compiled, compiled
from runs.kernel.plan import Anchor
from runs.kernel.refused import RunRefused, fitting, refuse_parts
from runs.kernel.unit_of_work import Change, changing
from runs.kernel.working_time import CountedTimer, arm, boundary_timers
from runs.models import Run, StepExecution
from runs.store import hot, moving, payloads
from runs.store.rows import QueuedRow
from steps.schema import problem_of
from workflows.models import WorkflowVersion


@dataclass(frozen=True, slots=True)
class Checked:
    """Whether a run fits a version: what stands against it, or which steps would begin at once."""

    problems: Sequence[Misfit]
    begins: Sequence[str] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing stands against it."""
        return not self.problems


@dataclass(frozen=True, slots=True)
class _Stand:
    """A run as it stands: its rows, and what a walk takes of them."""

    run: Run
    steps: Sequence[KeptStep]
    standing: Standing


def check_run(tenant: int, run: str, version: int) -> Checked:
    """Whether an open run fits another version (its id) as it stands now; changes nothing.

    Raises RunRefused for another tenant's run, and for a version that doesn't compile here.
    """
    with fitting():
        run_row = Run.objects.for_tenant(tenant).filter(pk=run).first()
        if run_row is None:
            raise RunRefused("unknown_run", "There is no such run.")
        if (why := _why_not(run_row, version)) is not None:
            return Checked([Misfit(why.code, None, why.message)])
        problems, walked = _compare(_stand_of(run_row), version)
        return Checked(problems, walked.begins)


def migrate_run(tenant: int, run: str, version: int, *, by: str, reason: str = "", job: str = "") -> None:
    """Have an open run go on with another version of its workflow (its id): what was done stays, the rest follows it.

    `job`: the bulk job that does it. Raises RunRefused: `does_not_fit` with all that stands against it as `problems`.
    """
    with changing(tenant, [run]) as change:
        moving.lock_steps(run)
        run_row = Run.objects.for_tenant(tenant).get(pk=run)
        if (why := _why_not(run_row, version)) is not None:
            raise why
        stand = _stand_of(run_row)
        problems, _ = _compare(stand, version)
        if problems:
            raise refusal_of(problems)
        payload: dict[str, Json] = {"by": by, "reason": reason}
        _move(change, stand, version, payload | ({"job": job} if job else {}))


def refusal_of(problems: Sequence[Misfit]) -> RunRefused:
    """The refusal that tells of these problems, the first one in words."""
    first = problems[0]
    details = {
        "node": first.node,
        "problems": [{"code": one.code, "node": one.node, "message": one.message} for one in problems],
    }
    return RunRefused("does_not_fit", first.message, field="version", conflict=True, details=details)


def first_of(refusal: RunRefused) -> tuple[str, str | None]:
    """What stands first against a run in a refusal: its code, and the step that it is about."""
    problems = refusal.details.get("problems")
    if not isinstance(problems, list) or not problems:
        return refusal.code, None
    return problems[0]["code"], problems[0]["node"]


def _why_not(run: Run, version: int) -> RunRefused | None:
    """What of the run itself stands against it, whatever its steps."""
    if why := why_not(run.status, "migrate"):
        return RunRefused(why.code, why.sentence, conflict=True)
    if run.version_id == version:
        return RunRefused("same_version", "The run is already on this version.", conflict=True)
    target = WorkflowVersion.objects.for_tenant(run.tenant_id).filter(pk=version)
    if target.values_list("workflow_id", flat=True).first() != run.workflow_id:
        return RunRefused("unknown_version", "The workflow of the run has no such version.", field="version")
    try:
        refuse_test(run)
        refuse_parts(run.tenant_id, [str(run.pk)])
    except RunRefused as refusal:
        return refusal
    return None


def _stand_of(run: Run) -> _Stand:
    steps = kept_steps(run.tenant_id, str(run.pk))
    rows = StepExecution.objects.for_tenant(run.tenant_id).filter(run_id=run.pk)
    waiting = dict(rows.filter(status=StepStatus.WAITING, index=None).values_list("node", "waiting__kind"))
    busy = set(rows.filter(status=StepStatus.RUNNING).values_list("node", flat=True))
    done: dict[str, KeepResult] = {}
    in_hand: dict[str, InHand] = {}
    unclear: dict[str, str] = {}
    for step in steps:
        if step.status in STEP_OPEN:
            in_hand[step.node] = InHand(
                step.status, waiting.get(step.node), step.carried, busy=step.node in busy
            )
        elif (outcome := step.outcome) is not None:
            done[step.node] = step.kept(outcome, here=True)
        elif step.status != StepStatus.SKIPPED:
            unclear[step.node] = step.status
    return _Stand(run, steps, Standing(payloads.whole(run.tenant_id, run.input), done, in_hand, unclear))


def _compare(stand: _Stand, version: int) -> tuple[list[Misfit], Walked]:
    run_id, old, new = str(stand.run.pk), stand.run.version_id, compiled(version)
    definitions = dict(
        WorkflowVersion.objects.for_tenant(stand.run.tenant_id)
        .filter(pk__in=[old, version])
        .values_list("pk", "definition")
    )
    facts, outputs = scopes.read([scopes.wanted(run_id, scopes.EVERYTHING)])[run_id]
    scope = scopes.scope_of(new, run_id, facts, outputs)
    return misfits(
        Version(compiled(old).graph, definitions[old]),
        Version(new.graph, definitions[version]),
        stand.standing,
        scope,
        problem_of,
    )


def _move(change: Change, stand: _Stand, version: int, payload: dict[str, Json]) -> None:
    """Put the run, which the caller has alone, on the version, and follow its graph as far as it goes."""
    run, old, new = stand.run, compiled(stand.run.version_id), compiled(version)
    run_id, standing = str(run.pk), stand.standing
    stay = [step for step in stand.steps if step.node in standing.done or step.node in standing.in_hand]
    queued = [step for step in stay if step.status == StepStatus.QUEUED]
    shard, priority = moving.migrate_run(
        run=run_id,
        steps=[step.id for step in stay],
        queued=[_queued_row(step, new) for step in queued],
        facts={"version": version, "sinks": len(new.graph.sinks)},
        payload=payload | {"from": old.number, "version": new.number},
    )
    is_paused = run.status == RunStatus.PAUSED
    anchor = Anchor(uuid7(), run_id, run.tenant_id, shard, version, priority, held=is_paused)
    transition = change.transition
    transition.overrides[run_id] = standing.overrides
    walk_anew(transition, new, anchor)
    for name in [*standing.done, *standing.in_hand]:
        if (run_id, name) not in transition.kept:
            message = f"{name} stays, but this version would not have reached it yet."
            raise refusal_of([Misfit("not_reached", name, message)])
    edges = {node: targets for (_, node), targets in transition.kept.items() if node in standing.done}
    if edges:
        hot.walked_again(run=run_id, edges=edges)
    if timers := [timer for step in stay for timer in _new_timers(step, standing, old, new)]:
        arm(timers, {step.id: run.tenant_id for step in stay})
    if not is_paused:
        change.queues |= {new.graph.nodes[step.node].queue for step in queued}


def _queued_row(step: KeptStep, on: Compiled) -> QueuedRow:
    node = on.graph.nodes[step.node]
    return {
        "id": step.id,
        "queue": node.queue,
        "priority": node.priority,
        "lease_seconds": node.lease_seconds,
        "timeout_seconds": node.timeout_seconds,
    }


def _new_timers(step: KeptStep, standing: Standing, old: Compiled, new: Compiled) -> Sequence[CountedTimer]:
    """The timers that the version has beside a step in hand and the former one had not: they count from now."""
    if step.node not in standing.in_hand:
        return []
    had = {
        (one["target"], one["interrupting"]) for one in boundary_timers(old.graph.nodes[step.node], step.id)
    }
    return [
        timer
        for timer in boundary_timers(new.graph.nodes[step.node], step.id, step.fired)
        if (timer["target"], timer["interrupting"]) not in had
        and (timer["target"] is not None or step.status == StepStatus.QUEUED)
    ]
