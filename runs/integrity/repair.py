"""Repairing a run that nothing would move any more: under its lock, by the ways that everything else goes.

What is repaired here nobody asked for: a defect of ours, a row changed by hand, a restored backup. It is written into
history, counted and told at ERROR; the count must stay 0 (docs/engine.md, "Wake sources").
"""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from django.db import transaction

from engine.decide import fire
from engine.graph import Graph
from engine.statuses import RunStatus, StepStatus
from lib import crash_points
from lib.database_errors import OPERATIONAL_ERRORS
from lib.uuid7 import uuid7
from runs.integrity.compare import RunRow, edges_into
from runs.integrity.fold import RunByHistory, StepByHistory
from runs.integrity.verify import read
from runs.kernel import compensation, messages, notices, scopes, wait_kinds
from runs.kernel.graphs import graph_of, shown
from runs.kernel.plan import Anchor
from runs.kernel.transition import NOT_STARTED, Transition
from runs.kernel.unit_of_work import conclude
from runs.limits import REPAIR_SECONDS, REPAIRS, RUN_REPAIRS
from runs.store import findings, hot
from runs.store.child_runs import end_children
from runs.store.children import cancel_children
from runs.store.findings import Alone, Finding, OpenJoin
from runs.store.hot import Row
from runs.store.rows import CountedRow, RepairRow, ScopeRow

log = logging.getLogger("handoff.stuck")


class _StillStuck(Exception):
    """It was tried, and nothing came of it."""


def look(runs: Sequence[str]) -> list[Finding]:
    """What nothing moves in these runs; read in one snapshot."""
    stuck, joins = findings.stuck_among(runs)
    gone = [
        Finding(run, tenant, life, wait_kinds.GONE, node, index)
        for run, tenant, life, node, index in wait_kinds.missing(runs)
    ]
    return sorted([*stuck, *gone, *_stuck_joins(joins)], key=_order)


def _order(one: Finding) -> tuple[str, str, str, int]:
    """A container before its items."""
    return one.run_id, one.what, one.node or "", -1 if one.item is None else one.item


def _stuck_joins(joins: Sequence[OpenJoin]) -> Iterator[Finding]:
    """Joins that are decided and have not fired, or that nothing open stands before."""
    for join in joins:
        graph = shown(join.version_id).graph
        if join.node not in graph.nodes:
            continue
        decided = graph.nodes[join.node].join.verdict(join.arrived, join.taken)
        if decided or not before(join.version_id, join.node).intersection(join.open_nodes):
            what = "join not fired" if decided else "join without a step before it"
            yield Finding(join.run_id, join.tenant_id, join.life, what, join.node)


@lru_cache(maxsize=10_000)
def before(version_id: int, node: str) -> frozenset[str]:
    """The nodes of a version from which a way leads to `node`."""
    nodes = shown(version_id).graph.nodes
    ancestors = set(nodes[node].predecessors)
    waiting = list(ancestors)
    while waiting:
        new = set(nodes[waiting.pop()].predecessors) - ancestors
        ancestors |= new
        waiting += new
    return frozenset(ancestors)


def repair(reported: Sequence[Finding]) -> int:
    """Repair what was found in one run, unless it was reported before or is so no longer; gives how much was done."""
    run = reported[0].run_id
    done: list[Finding] = []
    failed: list[tuple[Finding, str]] = []
    queues: set[str] = set()
    with transaction.atomic():
        if alone := findings.lock_unless_busy(run):
            done, failed, queues = _repair_all(alone, reported)
        findings.note_repairs([_noted(one, True, "") for one in done])
        findings.note_repairs([_noted(one, False, why) for one, why in failed])
        crash_points.hit("before_commit")
        notices.after_commit({(one.tenant_id, run) for one in done}, queues)
    for one in done:
        log.error("Run %s was stuck and is repaired: %s", run, _describe_finding(one))
    for one, why in failed:
        log.error("Run %s is stuck and can't be repaired: %s. %s", run, _describe_finding(one), why)
    return len(done)


def _repair_all(
    alone: Alone, reported: Sequence[Finding]
) -> tuple[list[Finding], list[tuple[Finding, str]], set[str]]:
    """Repair one thing after the other; gives what is repaired, what can't be and why, and the queues with work."""
    done: list[Finding] = []
    failed: list[tuple[Finding, str]] = []
    queues: set[str] = set()
    earlier = findings.known_repairs([alone.id])
    over = {key for key, is_done in earlier if not is_done}
    # Timers of a run that has ended are in no look at open ones.
    timers = [one for one in reported if one.what == TIMER]
    stuck = look([alone.id])
    until = time.monotonic() + REPAIR_SECONDS
    while len(done) + len(failed) < RUN_REPAIRS and time.monotonic() < until:
        one = next((each for each in (*stuck, *timers) if each.key not in over), None)
        if one is None:
            break
        over.add(one.key)
        if earlier.get((one.key, True), 0) >= REPAIRS:
            failed.append((one, "It was repaired before, and came back."))
            continue
        try:
            with transaction.atomic():
                more = _repair_one(alone, one)
                left = look([alone.id])
                if any(each.key == one.key for each in left):
                    raise _StillStuck("Nothing that is known helps.")
            stuck = left
            queues |= more
            done.append(one)
        except OPERATIONAL_ERRORS:
            # A deadlock or a lost connection says nothing of the run: the next look finds it again.
            raise
        except Exception as error:
            failed.append((one, f"{type(error).__name__}: {error}"))
    return done, failed, queues


def _describe_finding(one: Finding) -> str:
    item = "" if one.item is None else f", item {one.item}"
    return f"{one.what} ({one.node}{item})" if one.node else one.what


def _noted(one: Finding, done: bool, detail: str) -> RepairRow:
    return {
        "tenant_id": one.tenant_id,
        "run_id": one.run_id,
        "life": one.life,
        "node": one.node,
        "index": one.item,
        "what": one.what,
        "done": done,
        "detail": detail[:2000],
    }


def _repair_one(alone: Alone, one: Finding) -> set[str]:
    """Repair one thing; gives the queues with work."""
    # Read again: what was repaired before may have moved it on.
    locked = findings.lock_unless_busy(alone.id) or alone
    if one.what not in (NOTHING_OPEN, *JOINS):
        findings.say_repaired(one.run_id, None, _payload(one))
    return _WAYS[one.what](locked, one)


def _payload(one: Finding) -> Row:
    """What history says of a repair; of an item also which one."""
    return {"what": one.what, "of": one.node} | ({} if one.item is None else {"index": one.item})


def _let_go(alone: Alone, one: Finding) -> set[str]:
    return findings.let_go(alone.id)


def _drop_timers(alone: Alone, one: Finding) -> set[str]:
    findings.drop_timers(alone.id)
    return set()


def _close(alone: Alone, one: Finding) -> set[str]:
    cause = "failure" if alone.status == RunStatus.FAILING else "cancelled"
    hot.cancel_open_steps([alone.id], cause=cause, statuses=NOT_STARTED)
    hot.cancel_timers([alone.id])
    wait_kinds.waits_ended([alone.id])
    return compensation.close([alone.id])


def _undo(alone: Alone, one: Finding) -> set[str]:
    if findings.given_up(alone.id):
        compensation.await_operator([alone.id])
        return set()
    findings.undo_on(alone.id)
    return compensation.look_again(alone.id)


def _wake(alone: Alone, one: Finding) -> set[str]:
    """A step waits for what is not there, or for what is there already."""
    sleeper = findings.sleeper(alone.id, str(one.node), one.item)
    if sleeper is None:
        return set()
    wait = sleeper.wait or {}
    if not wait_kinds.is_whole(wait):
        queues = findings.wait_anew(alone.id, sleeper.step.id)
        findings.drop_timers(alone.id)
        # What it had begun is cancelled: it begins that once more, and nothing is to be done twice at the same time.
        cancel_children([alone.id])
        return queues | ({messages.QUEUE} if end_children([alone.id]) else set())
    if wait.get("until") and not sleeper.is_timed:
        findings.arm_wait(alone.id, sleeper.step.id)
    transition, locked = _transition(alone), {alone.id: alone.locked}
    over = wait_kinds.ended_meanwhile(sleeper.step, wait, is_gone=one.what == wait_kinds.GONE)
    if over:
        transition.wake(over, locked)
    return conclude(transition, locked)


def _transition(alone: Alone) -> Transition:
    transition = Transition()
    transition.anchors[alone.id] = _anchor(alone, "")
    return transition


def _anchor(alone: Alone, id_: str) -> Anchor:
    is_paused = alone.status == RunStatus.PAUSED
    return Anchor(
        id_, alone.id, alone.tenant_id, alone.shard, alone.version_id, alone.priority, held=is_paused
    )


def _rebuild(alone: Alone, one: Finding) -> set[str]:
    """Count sinks and joins as history has them, make the rows that follow from it and are not there, fire what is due.

    Raises _StillStuck where the output of a step is gone.
    """
    graph = graph_of(alone.version_id)
    [(_, by_history, row)] = read([alone.id])
    rows = {step.node for step in row.steps}
    skipped = [name for name, step in by_history.steps.items() if step == SKIPPED and name not in rows]
    for name in skipped:
        # As if it had never been: it is skipped once more.
        del by_history.steps[name]
    lost = sorted(name for name, step in by_history.steps.items() if not step.is_open and name not in rows)
    if lost:
        raise _StillStuck(f"What {', '.join(lost)} gave is gone.")
    missing = [name for name in graph.nodes if name not in rows and _is_due(graph, by_history, name)]
    findings.say_repaired(alone.id, None, {"what": one.what, "of": one.node, "made": missing})
    for name in [*skipped, *missing]:
        if name in by_history.steps or name in skipped:
            findings.say_repaired(alone.id, name, {"what": one.what, "anew": True})
    sinks = (
        []
        if _is_ended(graph, by_history)
        else [name for name in graph.sinks if not by_history.steps.get(name, StepByHistory()).is_resolved]
    )
    joins = _counted(graph, by_history, row, rows)
    findings.mend_run(alone.id, len(sinks), joins)
    transition = _transition(alone)
    if not sinks:
        transition.sunk.add(alone.id)
    _make(transition, alone, graph, by_history, missing)
    transition.decide_joins(
        [(alone.id, join["node"], join["arrived"], join["taken"]) for join in joins if not join["fired"]]
    )
    return conclude(transition, {alone.id: alone.locked})


def _is_ended(graph: Graph, by_history: RunByHistory) -> bool:
    """Whether a step that ends the run has completed."""
    return any(
        node.ends_run and by_history.steps.get(name, StepByHistory()).status == StepStatus.COMPLETED
        for name, node in graph.nodes.items()
    )


def _is_due(graph: Graph, by_history: RunByHistory, name: str) -> bool:
    """Whether a node that is no join must have a row by what is resolved before it."""
    node = graph.nodes[name]
    return not node.is_join and (
        not node.predecessors or bool(edges_into(by_history, node.predecessors, name)[0])
    )


def _counted(graph: Graph, by_history: RunByHistory, row: RunRow, rows: set[str]) -> list[CountedRow]:
    joins = {join.node: join for join in row.joins}
    counted: list[CountedRow] = []
    for name, node in graph.nodes.items():
        if not node.is_join or (name in joins and joins[name].fired and name in rows):
            continue
        arrived, taken = edges_into(by_history, node.predecessors, name)
        if arrived:
            first = [source for source in (joins[name].taken if name in joins else ()) if source in taken]
            order = first + [source for source in node.predecessors if source in taken.difference(first)]
            counted.append({"node": name, "arrived": len(arrived), "taken": order, "fired": name in rows})
    return counted


def _make(
    transition: Transition, alone: Alone, graph: Graph, by_history: RunByHistory, missing: Sequence[str]
) -> None:
    """The steps that follow from what is resolved."""
    if not missing:
        return
    query: ScopeRow = {"run_id": alone.id, "nodes": [], "every": True, "vars": True}
    facts, outputs = scopes.read([query])[alone.id]
    scope = scopes.scope_of(shown(alone.version_id), alone.id, facts, outputs)
    causes = []
    for name in missing:
        node = graph.nodes[name]
        arrived, taken = edges_into(by_history, node.predecessors, name)
        if arrived and taken and not arrived <= outputs.keys():
            raise _StillStuck(f"What the timer of {', '.join(sorted(arrived))} gave is gone.")
        outputs_taken = {source: outputs[source][1] for source in taken}
        effects = fire(graph, node, outputs_taken, scope, run=bool(taken) or not node.predecessors)
        causes.append((_anchor(alone, uuid7()), effects))
    transition.apply_effects(causes)


SKIPPED = StepByHistory(status=StepStatus.SKIPPED)
NOTHING_OPEN, TIMER = "nothing open", "timer of nothing"
JOINS = ("join not fired", "join without a step before it")
_WAYS: dict[str, Callable[[Alone, Finding], set[str]]] = {
    NOTHING_OPEN: _rebuild,
    **dict.fromkeys(JOINS, _rebuild),
    "nothing to await": _close,
    "nothing being undone": _undo,
    "nothing for a person": _undo,
    "held": _let_go,
    "waiting for nothing": _wake,
    wait_kinds.GONE: _wake,
    TIMER: _drop_timers,
}
