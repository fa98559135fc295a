"""What the rows of a run say otherwise than its history; pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.catalogue import Json
from engine.graph import Graph
from engine.statuses import RUN_ENDED, StepStatus
from runs.integrity.fold import AT_WORK, ToldRun, ToldStep

_ABSENT = "no row"


class StepRow(NamedTuple):
    """A step as its row has it; `digest` is that of its output."""

    node: str
    status: str
    attempt: int
    epoch: int
    digest: str | None
    fired: Sequence[str]
    edges_pending: bool


class JoinRow(NamedTuple):
    """What a join has counted."""

    node: str
    arrived: int
    taken: Sequence[str]
    fired: bool


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run with its steps and joins as the rows have them; `digest` and `given` are those of its output and input."""

    status: str
    life: int
    version: int
    given: str | None
    digest: str | None
    steps: Sequence[StepRow]
    joins: Sequence[JoinRow]


@dataclass(frozen=True, slots=True)
class Difference:
    """`field` of a run, or of its step `node`: what history says, and what is there."""

    run: str
    node: str | None
    field: str
    expected: Json
    found: Json


def differences(run: str, told: ToldRun, row: RunRow, graph: Graph | None) -> Iterator[Difference]:
    """Everything in which the rows of a run are not as its history says; `graph`: of its version, if known."""
    for event, rule in told.wrong:
        yield Difference(run, event.node, "history", rule, f"event {event.id} {event.type}")
    yield from _of_run(run, told, row)
    rows = {step.node: step for step in row.steps}
    for name, step in told.steps.items():
        if name in rows:
            yield from _of_step(run, step, rows[name], fired=told.keeps_graph)
        else:
            yield Difference(run, name, "row", step.status, _ABSENT)
    for name, found in rows.items():
        if name not in told.steps:
            # Only a step that begins is in no event.
            yield from _of_step(run, ToldStep(), found, fired=told.keeps_graph)
            if told.status in RUN_ENDED:
                yield Difference(run, name, "row", _ABSENT, found.status)
    if graph is not None and told.keeps_graph:
        yield from _of_edges(run, told, rows, row.joins, graph)


def _of_run(run: str, told: ToldRun, row: RunRow) -> Iterator[Difference]:
    pairs = {
        "status": (told.status, row.status),
        "life": (told.life, row.life),
        "version": (row.version if told.version is None else told.version, row.version),
        "input": (told.given, row.given),
        "output": (told.digest, row.digest),
    }
    for name, (expected, found) in pairs.items():
        if expected != found:
            yield Difference(run, None, name, expected, found)


def _of_step(run: str, told: ToldStep, row: StepRow, *, fired: bool) -> Iterator[Difference]:
    claimed = 0
    pairs: dict[str, tuple[Json, Json]] = {"status": (told.status, row.status)}
    if told.status == AT_WORK:
        claimed = int(row.status == StepStatus.RUNNING)
        if row.status in (StepStatus.QUEUED, StepStatus.RUNNING):
            del pairs["status"]
    if told.attempt is not None:
        pairs["attempt"] = told.attempt + claimed, row.attempt
    if told.epoch is not None:
        pairs["epoch"] = told.epoch + claimed, row.epoch
    if not told.is_open:
        pairs["output"] = told.digest, row.digest
        pairs["edges_pending"] = told.edges_pending, row.edges_pending
    if fired:
        pairs["fired"] = sorted(told.fired), sorted(row.fired)
    for name, (expected, found) in pairs.items():
        if expected != found:
            yield Difference(run, row.node, name, expected, found)


def _of_edges(
    run: str, told: ToldRun, rows: Mapping[str, StepRow], joins: Sequence[JoinRow], graph: Graph
) -> Iterator[Difference]:
    counted = {join.node: join for join in joins}
    for name, node in graph.nodes.items():
        arrived, taken = edges_into(told, node.predecessors, name)
        decided = not node.predecessors or bool(arrived)
        if node.is_join:
            join = counted.get(name) or JoinRow(name, 0, (), False)
            yield from _of_join(run, join, arrived, taken)
            decided = join.fired
        if decided and name not in rows:
            yield Difference(run, name, "row", "a row: its edges are decided", _ABSENT)
        elif not decided and name in rows:
            yield Difference(run, name, "row", f"{_ABSENT}: its edges are not decided", rows[name].status)


def edges_into(told: ToldRun, sources: Sequence[str], target: str) -> tuple[set[str], set[str]]:
    """Of the edges from `sources` to `target` the sources of those that are resolved, and of those that are taken."""
    known = {source: told.steps[source] for source in sources if source in told.steps}
    arrived = {source for source, step in known.items() if step.resolves(target)}
    return arrived, {source for source in arrived if known[source].takes(target)}


def _of_join(run: str, join: JoinRow, arrived: set[str], taken: set[str]) -> Iterator[Difference]:
    # Later edges change nothing in a join that has fired; of those that came none may be forgotten.
    fits = join.arrived <= len(arrived) if join.fired else join.arrived == len(arrived)
    if not fits:
        yield Difference(run, join.node, "arrived", len(arrived), join.arrived)
    if not (set(join.taken) <= taken if join.fired else set(join.taken) == taken):
        yield Difference(run, join.node, "taken", sorted(taken), sorted(join.taken))
