"""The one operation behind resume, retry, skip and redrive of a FAILED run (docs/engine.md, "Failure, pause, cancel").

Everything that failed, or was cancelled by the failure, is queued again; edges of
steps that completed while the run was failing are resolved now. A run that goes on beside a failure is mended likewise.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import orjson

from engine.catalogue import Json
from engine.decide import fire
from engine.overrides import Overrides
from engine.statuses import RunStatus
from engine.verbs import why_below_paused
from lib.uuid7 import uuid7
from runs.kernel import compensation, messages, scopes
from runs.kernel.graphs import graph_of
from runs.kernel.plan import Anchor, plan
from runs.kernel.refused import RunRefused, refuse_parts, require_verb
from runs.kernel.transition import Transition
from runs.kernel.unit_of_work import Change
from runs.kernel.working_time import arm, boundary_timers
from runs.store import hot, payloads, undo_entries
from runs.store.attempts import LockedRun, Succeeded
from runs.store.rows import EndedBy

Apply = Callable[[Transition, Mapping[str, LockedRun]], None]


PAUSED_ABOVE: Mapping[str, Json] = {"by": messages.HANDOFF, "reason": "The run that began it is paused."}
"""What history tells of a child run that goes on, or begins, below a run that is paused: it is paused with that."""


def check_failed(locked: Mapping[str, LockedRun], *, of_parent: bool = False, told: bool = False) -> set[str]:
    """Raises RunRefused unless all of these runs may have a new life; gives those that are paused by it.

    They are FAILED, or, where it is `of_parent` that they go on, CANCELLED; nothing of what they did was undone, no run
    above them closes, undoes or is paused, and their business keys stand for no newer runs. Those that are `told` by
    a message to go on are paused below a paused run.
    """
    if not of_parent:
        require_verb(locked, "resume")
        undo_entries.hold_trees(locked, roots=False)
    children = [run for run, row in locked.items() if row.tree]
    above = undo_entries.standing_above(children) if children else {}
    if not of_parent and any(one.closes for one in above.values()):
        message = "A run above this one is ending, or undoes what it did, or has: it can't be resumed alone."
        raise RunRefused("parent_closes", message, conflict=True)
    paused = {run: one.paused for run, one in above.items() if one.paused}
    for one in () if told else paused.values():
        if why := why_below_paused(one, "resume"):
            raise RunRefused(why.code, why.sentence, conflict=True)
    if compensation.began(locked):
        message = "What the run did was undone, at least in part: start it again instead."
        raise RunRefused("compensated", message, conflict=True)
    for key, other in hot.lock_keys_of(locked):
        message = f"The business key {key!r} belongs to a newer run, {other}: only that one can be resumed."
        raise RunRefused("key_taken", message, conflict=True)
    return set(paused)


def reopen(
    change: Change,
    payload: Mapping[str, Json],
    *,
    overrides: Mapping[str, Overrides] | None = None,
    apply: Apply | None = None,
    of_parent: bool = False,
    while_open: bool = False,
    told: bool = False,
) -> None:
    """Give FAILED runs a new life, and, if it may be `while_open`, those what failed that go on beside it.

    `of_parent`: the runs that began them ask for it, which parts of them do no other way; `told`: by a message, so
    below a paused run they go on when that does.
    `overrides` say what is to become of steps that begin anew, `apply` what of those whose rows are queued again.
    Raises RunRefused, also for what `check_failed` says.
    """
    going_on = {run for run, row in change.locked.items() if while_open and row.has_failed}
    paused: set[str] = set()
    if ended := {run: row for run, row in change.locked.items() if run not in going_on}:
        paused = check_failed(ended, of_parent=of_parent, told=told)
        for tenant in {tenant for tenant, _ in change.runs} if not of_parent else ():
            refuse_parts(tenant, ended)
    reopened = hot.reopen_runs(change.locked, dict(payload))
    if paused:
        hot.pause_runs(paused, PAUSED_ABOVE, pause=True)
    transition = change.transition
    transition.overrides.update(overrides or {})
    again = {False: RunStatus.RUNNING, True: RunStatus.PAUSED}
    open_again = {
        run: row._replace(status=row.status if run in going_on else again[run in paused], has_failed=False)
        for run, row in change.locked.items()
    }
    for run_id, tenant, shard, version, priority, open_sinks in reopened["runs"]:
        is_paused = open_again[run_id].status == RunStatus.PAUSED
        transition.anchors[run_id] = Anchor("", run_id, tenant, shard, version, priority, held=is_paused)
        if open_sinks <= 0:
            # It failed after its last step: what failed is to compute its output.
            transition.sunk.add(run_id)
    change.locked = open_again
    _arm_again(transition, reopened["queued"])
    if apply is not None:
        apply(transition, open_again)
    _resolve_pending(transition, open_again)
    _enter_again(transition, reopened["entered"])
    transition.decide_joins(reopened["joins"])
    change.queues.update(reopened["queues"])


def _arm_again(transition: Transition, queued: Sequence[tuple[str, str, str, list[str]]]) -> None:
    """Start the boundary timers of steps that are queued again, but for those that have fired."""
    timers, owners = [], {}
    for step, run_id, name, fired in queued:
        node = graph_of(transition.anchors[run_id].version_id).nodes[name]
        timers += boundary_timers(node, step, fired)
        owners[step] = transition.anchors[run_id].tenant_id, transition.anchors[run_id].version_id
    if timers:
        arm(timers, owners)


def _resolve_pending(transition: Transition, locked: Mapping[str, LockedRun]) -> None:
    """Resolve the edges of steps that completed while their run was failing.

    Where that fails the run, the step stays completed and its edges pending: it must never be done twice.
    """
    pending = hot.pending_edges(locked)
    if not pending:
        return
    scopes.load(step for step, _ in pending)
    plans = []
    for step, output in pending:
        if step.unreadable is not None:
            raise step.unreadable
        read = Succeeded(payloads.whole(step.tenant_id, output), orjson.dumps(output))
        planned = plan(step, read, graph_of(step.version_id), jitter=0.0)
        failure = planned.effects.failure if planned.effects else None
        if failure and failure[0] == step.node:
            transition.failures.setdefault(step.run_id, failure)
            transition.hopeless.add(step.run_id)
            transition.dead_letters.append(step.id)
        else:
            planned.row["by"] = EndedBy.REOPENING
            plans.append(planned)
    transition.complete(plans, locked)


def _enter_again(transition: Transition, entered: Sequence[tuple[str, str, Json]]) -> None:
    """Start steps once more that failed when they were started: their input is made anew, by the same rules."""
    by_join = scopes.load_for_joins(
        ((run_id, transition.anchors[run_id].version_id, node) for run_id, node, _ in entered),
        whole=transition.overrides.keys(),
    )
    causes = []
    for run_id, name, payload in entered:
        anchor = replace(transition.anchors[run_id], id=uuid7())
        value = payloads.whole(anchor.tenant_id, payload)
        graph = graph_of(anchor.version_id)
        node = graph.nodes[name]
        scope = (
            {"vars": {}} | ({} if node.predecessors else {"input": value}) | by_join.get((run_id, name), {})
        )
        outputs = dict.fromkeys(node.predecessors, value)
        effects = fire(graph, node, outputs, scope, run=True, overrides=transition.overrides.get(run_id, {}))
        causes.append((anchor, effects))
    if causes:
        transition.apply_effects(causes)
