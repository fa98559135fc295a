"""One open run and another version: how it stands, what stands against the version, and the move itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine.catalogue import Json
from engine.migrating import InHand, Misfit, Standing, Version, Walked, misfits
from engine.overrides import KeepResult
from engine.statuses import STEP_OPEN, RunStatus, StepStatus
from lib.uuid7 import uuid7
from runs.commands import approved
from runs.commands.kept import KeptStep, kept_steps, walk_anew
from runs.commands.new_times import NewTimes, new_times_of
from runs.kernel import scopes
from runs.kernel.graphs import Compiled, compiled
from runs.kernel.plan import Anchor
from runs.kernel.refused import RunRefused
from runs.kernel.unit_of_work import Change
from runs.models import Run, StepExecution
from runs.store import hot, moving, payloads
from runs.store.rows import QueuedRow
from steps.schema import problem_of
from workflows.models import WorkflowVersion


@dataclass(frozen=True, slots=True)
class Stand:
    """A run as it stands: its rows, and what a walk takes of them."""

    run: Run
    steps: Sequence[KeptStep]
    standing: Standing


@dataclass(frozen=True, slots=True)
class Compared:
    """A run and another version (its id): what stands against it, where the run would stand, and its times there."""

    stand: Stand
    version: int
    problems: Sequence[Misfit]
    walked: Walked
    times: NewTimes


def compare(run: Run, version: int) -> Compared:
    """What becomes of an open run on another version (its id), as it stands. Raises BrokenVersion."""
    stand = _stand_of(run)
    run_id, old, new = str(run.pk), run.version_id, compiled(version)
    rows = WorkflowVersion.with_tests.for_tenant(run.tenant_id).filter(pk__in=[old, version])
    definitions = dict(rows.values_list("pk", "definition"))
    before, after = Version(compiled(old).graph, definitions[old]), Version(new.graph, definitions[version])
    times = new_times_of(run, before, after, version)
    in_hand = {
        name: replace(step, same_wait=name in times.same, fault=times.faults.get(name))
        for name, step in stand.standing.in_hand.items()
    }
    standing = replace(stand.standing, in_hand=in_hand)
    facts, outputs = scopes.read([scopes.wanted(run_id, scopes.EVERYTHING)])[run_id]
    scope = scopes.scope_of(new, run_id, facts, outputs)
    problems, walked = misfits(before, after, standing, scope, problem_of)
    problems = [*problems, *approved.misfits(run_id, before.graph, after.graph)]
    return Compared(stand, version, problems, walked, times)


def _stand_of(run: Run) -> Stand:
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
    return Stand(run, steps, Standing(payloads.whole(run.tenant_id, run.input), done, in_hand, unclear))


def move(change: Change, compared: Compared, payload: Mapping[str, Json]) -> None:
    """Put a run, which the caller has alone and which fits, on the version, and follow its graph as far as it goes."""
    stand, version = compared.stand, compared.version
    run, old, new = stand.run, compiled(stand.run.version_id), compiled(version)
    run_id, standing = str(run.pk), stand.standing
    stay = [step for step in stand.steps if step.node in standing.done or step.node in standing.in_hand]
    queued = [step for step in stay if step.status == StepStatus.QUEUED]
    shard, priority = moving.migrate_run(
        run=run_id,
        steps=[step.id for step in stay],
        queued=[_queued_row(step, new) for step in queued],
        facts={"version": version, "sinks": len(new.graph.sinks)},
        payload={**payload, "from": old.number, "version": new.number, **_told(compared.times)},
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
    compared.times.apply()
    if not is_paused:
        change.queues |= {new.graph.nodes[step.node].queue for step in queued}


def _told(times: NewTimes) -> dict[str, Json]:
    return {"times": [one.as_dict() for one in times.times]} if times.times else {}


def _queued_row(step: KeptStep, on: Compiled) -> QueuedRow:
    node = on.graph.nodes[step.node]
    return {
        "id": step.id,
        "queue": node.queue,
        "priority": node.priority,
        "lease_seconds": node.lease_seconds,
        "timeout_seconds": node.timeout_seconds,
    }


def refusal_of(problems: Sequence[Misfit]) -> RunRefused:
    """The refusal that tells of these problems, the first one in words."""
    first = problems[0]
    details = {
        "node": first.node,
        "problems": [
            {
                "code": one.code,
                "node": one.node,
                "message": one.message,
                "place": [{"node": node, "index": index} for node, index in one.place],
            }
            for one in problems
        ],
    }
    return RunRefused("does_not_fit", first.message, field="version", conflict=True, details=details)
