"""Plans by which a tree of runs undoes what it did: made when the run that drives them has closed, and followed since.

The driver has its own run alone. It tells runs below by messages what to undo, and they tell it when that is settled:
no transaction holds two runs (docs/engine.md, "Compensation").
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from engine.graph import Graph
from engine.undoing import Content, Entry, RunToUndo, undo_plan
from lib.clock import now_or_none
from lib.uuid7 import uuid7
from runs.kernel import messages, notices
from runs.kernel.graphs import compiled_or_none, graph_of
from runs.store import undo_entries
from runs.store.hot import SQL, document
from runs.store.rows import CompensationRow
from runs.store.undo_entries import (
    ContentRow,
    EntryKey,
    EntryRow,
    RunBelow,
    SettledEntry,
    UndoableRow,
    UndoableStep,
    UndoEntry,
)


def may_undo(graph: Graph) -> bool:
    """Whether steps of this graph, or of the bodies in it, can be undone; those of a workflow that it runs may be."""
    steps = [node.body or node for node in graph.nodes.values()]
    return bool(graph.compensations) or any(
        may_undo(step.part) if step.part is not None else step.spec.begins_run for step in steps
    )


def make(runs: Mapping[str, int]) -> tuple[set[str], set[str]]:
    """Plan what is undone of these closed runs (id → version), which are held FOR UPDATE.

    Gives those that have a plan, and those that can't have one yet, because a run below is open again.
    """
    graphs = {
        run: one.graph for run, version in runs.items() if (one := compiled_or_none(version)) is not None
    }
    above = {run for run, graph in graphs.items() if graph.begins_runs}
    below = _below(above) if above else []
    busy = {one.driver for one in below if one.is_open}
    rows: list[EntryRow] = []
    for driver, tree in _trees({run: graphs[run] for run in graphs.keys() - busy}, below).items():
        entries = undo_plan(tree.root)
        rows += _rows(driver, entries)
        # What can't be read can't be undone: then the run must not say that all is.
        rows += _lost(driver, len(entries), tree.broken if entries else ())
    undo_entries.insert_entries(rows)
    return {row["run_id"] for row in rows}, busy


def versions_of(runs: Iterable[str]) -> dict[str, int]:
    """The id of the version that each of these runs follows."""
    return dict(SQL.value("versions_of_runs", {"runs": sorted(runs)}))


def progress(settled: Iterable[EntryKey], runs: Iterable[str]) -> set[str]:
    """Go on with the plans of these runs, of which the entries `settled` are settled; gives queues that have work.

    What is to be undone in the runs themselves is queued, runs below are told.
    """
    drivers, over, queues = sorted(runs), [*settled], set[str]()
    while True:
        if over:
            undo_entries.release_entries(over)
        barriers, fresh = undo_entries.begin_entries(drivers)
        if below := [entry for entry in fresh if entry.target != entry.run]:
            undo_entries.begin_undoing({entry.run for entry in below})
            undo_entries.tell_to_undo(below)
            queues.add(messages.QUEUE)
        over = barriers
        if own := [entry for entry in fresh if entry.target == entry.run]:
            more, empty = queue_compensations(own)
            queues |= more
            over += [entry.key for entry in empty]
        if not over:
            return queues


def queue_compensations(entries: Sequence[UndoEntry]) -> tuple[set[str], list[SettledEntry]]:
    """Queue the compensations of entries in runs that are held FOR UPDATE, and have those runs undo.

    Gives the queues that have work, and the entries of which there is nothing to undo any more: they are settled.
    """
    targets = {entry.target for entry in entries}
    parents = undo_entries.begin_undoing(targets)
    rows = [*_compensations((entry.target, entry.node) for entry in entries if entry.node is not None)]
    params = {"runs": sorted(targets), "nodes": document(rows), "now": now_or_none()}
    queue_of = {(run, node): queue for run, node, queue in SQL.value("next_compensations", params)}
    empty = [
        SettledEntry(entry.run, entry.seq, entry.target)
        for entry in entries
        if (entry.target, entry.node) not in queue_of
    ]
    if empty:
        undo_entries.end_entries([entry.key for entry in empty])
    return {*queue_of.values()} | ({messages.QUEUE} if parents else set()), empty


def tell_others(entries: Sequence[SettledEntry]) -> list[SettledEntry]:
    """Tell the drivers that are other runs which of their entries are settled; gives the entries of the others."""
    if others := [entry for entry in entries if entry.run != entry.target]:
        undo_entries.tell_drivers(others)
        notices.after_commit((), [messages.QUEUE])
    return [entry for entry in entries if entry.run == entry.target]


class _Tree(NamedTuple):
    """A driver with what is to be undone in it and below; `broken`: the runs below whose versions can't be read."""

    root: RunToUndo
    broken: Sequence[str]


def _below(runs: Iterable[str]) -> list[RunBelow]:
    """The runs below these, if something in their trees may be undone at all. From here on none is reopened."""
    undo_entries.hold_trees(runs)
    versions = undo_entries.versions_of_trees(runs)
    return undo_entries.runs_below(runs) if can_undo(versions) else []


def can_undo(versions: Iterable[int]) -> bool:
    """Whether a run of one of these versions may have steps to undo; of one that can't be read nobody knows."""
    ones = (compiled_or_none(version) for version in versions)
    return any(one is None or one.graph.compensations for one in ones)


def _trees(drivers: Mapping[str, Graph], below: Sequence[RunBelow]) -> dict[str, _Tree]:
    """By driver what is to be undone in it and below it."""
    graphs: dict[str, Graph] = {**drivers}
    broken: dict[str, list[str]] = defaultdict(list)
    children: dict[str, list[RunBelow]] = defaultdict(list)
    for one in below:
        if one.driver not in drivers:
            continue
        version = compiled_or_none(one.version)
        if version is None:
            broken[one.driver].append(one.id)
        else:
            graphs[one.id] = version.graph
            children[one.parent].append(one)
    nodes: list[UndoableRow] = [
        {"run_id": run, "node": name, "unknown": graph.nodes[name].undoes_unknown}
        for run, graph in graphs.items()
        for name in graph.compensations
    ]
    steps: dict[str, list[UndoableStep]] = defaultdict(list)
    for step in undo_entries.undoable_steps(nodes) if nodes else ():
        steps[step.run].append(step)
    places: list[ContentRow] = [
        {"run_id": run, "node": node} for run, ones in children.items() for node in {one.node for one in ones}
    ]
    completed = undo_entries.completed_containers(places) if places else {}

    def tree(run: str) -> RunToUndo:
        graph = graphs[run]
        contents: dict[str, list[RunToUndo]] = defaultdict(list)
        for one in children.get(run, ()):
            contents[one.node].append(tree(one.id))
        # A compensation of the container itself stands for its content only where the container completed.
        done = {step.node: step.at for step in steps[run] if step.is_completed or step.node not in contents}
        # So it does where it was undone already, by a run below the driver.
        containers = {
            node: Content(at, runs)
            for node, runs in contents.items()
            if (at := completed.get((run, node))) is None or node not in graph.compensations
        }
        return RunToUndo(run, graph, done, containers)

    return {run: _Tree(tree(run), broken[run]) for run in drivers}


def _rows(driver: str, entries: Sequence[Entry]) -> Iterator[EntryRow]:
    for seq, entry in enumerate(entries):
        yield {
            "run_id": driver,
            "seq": seq,
            "target_id": entry.run,
            "node": entry.node,
            "blocked": entry.blocked,
            "releases": entry.releases,
            "state": "planned",
        }


def _lost(driver: str, seq: int, runs: Sequence[str]) -> Iterator[EntryRow]:
    for place, run in enumerate(runs):
        yield {
            "run_id": driver,
            "seq": seq + place,
            "target_id": run,
            "node": None,
            "blocked": 0,
            "releases": [],
            "state": "abandoned",
        }


def _compensations(nodes: Iterable[tuple[str, str]]) -> Iterator[CompensationRow]:
    """The compensations of these nodes of runs as rows."""
    pairs = [*nodes]
    versions = versions_of({run for run, _ in pairs})
    for run, name in pairs:
        graph = graph_of(versions[run])
        undo = graph.compensations[name]
        yield {
            "run_id": run,
            "id": uuid7(),
            "node": name,
            "undo": undo.id,
            "unknown": graph.nodes[name].undoes_unknown,
            "type": undo.type,
            "queue": undo.queue,
            "priority": undo.priority,
            "lease_seconds": undo.lease_seconds,
            "timeout_seconds": undo.timeout_seconds,
        }
