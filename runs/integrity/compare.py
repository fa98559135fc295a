"""What the rows of a run say otherwise than its history; pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.catalogue import Json
from engine.graph import Graph
from engine.statuses import RUN_ENDED, StepStatus
from runs.integrity.fold import AT_WORK, RunByHistory, StepByHistory

ABSENT = "no row"


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


class VariableRow(NamedTuple):
    """What a step has set a variable of the run to; `digest` is that of the value, `child` the place of who did it."""

    node: str
    name: str
    child: int | None
    digest: str


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run with its steps, joins and variables as the rows have them; `digest` is that of its output.

    The variables of a name stand in the order of their places: the last one counts.
    """

    status: str
    life: int
    version: int
    input_digest: str | None
    digest: str | None
    steps: Sequence[StepRow]
    joins: Sequence[JoinRow]
    variables: Sequence[VariableRow] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """`field` of a run, or of its step `node`: what history says, and what is there."""

    run: str
    node: str | None
    field: str
    expected: Json
    actual: Json


def differences(run: str, by_history: RunByHistory, row: RunRow, graph: Graph | None) -> Iterator[Difference]:
    """Everything in which the rows of a run are not as its history says; `graph`: of its version, if known."""
    for event, rule in by_history.wrong:
        yield Difference(run, event.node, "history", rule, f"event {event.id} {event.type}")
    yield from _of_run(run, by_history, row)
    rows = {step.node: step for step in row.steps}
    for name, step in by_history.steps.items():
        if name in rows:
            yield from _of_step(run, step, rows[name], fired=by_history.keeps_graph)
        else:
            yield Difference(run, name, "row", step.status, ABSENT)
    for name, row_of_step in rows.items():
        if name not in by_history.steps:
            # Only a step that begins is in no event.
            yield from _of_step(run, StepByHistory(), row_of_step, fired=by_history.keeps_graph)
            if by_history.status in RUN_ENDED:
                yield Difference(run, name, "row", ABSENT, row_of_step.status)
    yield from _of_variables(run, by_history, row.variables)
    if graph is not None and by_history.keeps_graph:
        yield from _of_edges(run, by_history, rows, row.joins, graph)


def _of_run(run: str, by_history: RunByHistory, row: RunRow) -> Iterator[Difference]:
    pairs = {
        "status": (by_history.status, row.status),
        "life": (by_history.life, row.life),
        "version": (row.version if by_history.version is None else by_history.version, row.version),
        "input": (by_history.input_digest, row.input_digest),
        "output": (by_history.digest, row.digest),
    }
    for name, (expected, actual) in pairs.items():
        if expected != actual:
            yield Difference(run, None, name, expected, actual)


def _of_step(run: str, by_history: StepByHistory, row: StepRow, *, fired: bool) -> Iterator[Difference]:
    claimed = 0
    pairs: dict[str, tuple[Json, Json]] = {"status": (by_history.status, row.status)}
    if by_history.status == AT_WORK:
        claimed = int(row.status == StepStatus.RUNNING)
        if row.status in (StepStatus.QUEUED, StepStatus.RUNNING):
            del pairs["status"]
    if by_history.attempt is not None:
        pairs["attempt"] = by_history.attempt + claimed, row.attempt
    if by_history.epoch is not None:
        pairs["epoch"] = by_history.epoch + claimed, row.epoch
    if not by_history.is_open:
        pairs["output"] = by_history.digest, row.digest
        pairs["edges_pending"] = by_history.edges_pending, row.edges_pending
    if fired:
        pairs["fired"] = sorted(by_history.fired), sorted(row.fired)
    for name, (expected, actual) in pairs.items():
        if expected != actual:
            yield Difference(run, row.node, name, expected, actual)


def _of_variables(
    run: str, by_history: RunByHistory, variables: Sequence[VariableRow]
) -> Iterator[Difference]:
    """Each variable as its step set it last; of several that set one, in the order in which they did."""
    rows = {(row.node, row.name): row for row in variables}
    for (node, name), variable in by_history.variables.items():
        row = rows.get((node, name))
        if row is None:
            yield Difference(run, node, f"variable {name}", variable.digest, ABSENT)
        elif (variable.digest, variable.child) != (row.digest, row.child):
            expected, actual = [variable.digest, variable.child], [row.digest, row.child]
            yield Difference(run, node, f"variable {name}", expected, actual)
    for node, name in rows.keys() - by_history.variables.keys():
        # What was taken over from another run was set there.
        if not by_history.goes_on:
            yield Difference(run, node, f"variable {name}", ABSENT, rows[node, name].digest)
    for name in sorted({name for _, name in by_history.variables}):
        order_by_history = [
            node for node, other in by_history.variables if other == name and (node, name) in rows
        ]
        order = [row.node for row in variables if row.name == name and row.node in order_by_history]
        if order != order_by_history:
            yield Difference(run, None, f"order of variable {name}", order_by_history, order)


def _of_edges(
    run: str, by_history: RunByHistory, rows: Mapping[str, StepRow], joins: Sequence[JoinRow], graph: Graph
) -> Iterator[Difference]:
    counted = {join.node: join for join in joins}
    for name, node in graph.nodes.items():
        arrived, taken = edges_into(by_history, node.predecessors, name)
        decided = not node.predecessors or bool(arrived)
        if node.is_join:
            join = counted.get(name) or JoinRow(name, 0, (), False)
            yield from _of_join(run, join, arrived, taken)
            decided = join.fired
        if decided and name not in rows:
            yield Difference(run, name, "row", "a row: its edges are decided", ABSENT)
        elif not decided and name in rows:
            yield Difference(run, name, "row", f"{ABSENT}: its edges are not decided", rows[name].status)


def edges_into(by_history: RunByHistory, sources: Sequence[str], target: str) -> tuple[set[str], set[str]]:
    """Of the edges from `sources` to `target` the sources of those that are resolved, and of those that are taken."""
    steps = {source: by_history.steps[source] for source in sources if source in by_history.steps}
    arrived = {source for source, step in steps.items() if step.resolves(target)}
    return arrived, {source for source in arrived if steps[source].takes(target)}


def _of_join(run: str, join: JoinRow, arrived: set[str], taken: set[str]) -> Iterator[Difference]:
    # Later edges change nothing in a join that has fired; of those that came none may be forgotten.
    fits = join.arrived <= len(arrived) if join.fired else join.arrived == len(arrived)
    if not fits:
        yield Difference(run, join.node, "arrived", len(arrived), join.arrived)
    if not (set(join.taken) <= taken if join.fired else set(join.taken) == taken):
        yield Difference(run, join.node, "taken", sorted(taken), sorted(join.taken))
