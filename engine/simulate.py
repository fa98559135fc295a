"""Drive a graph in memory with the core that the database uses: for property tests and for trying things."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from engine.catalogue import Json
from engine.decide import (
    Arrival,
    Completed,
    Effects,
    Failed,
    Outcome,
    begin,
    contributors,
    failed_output,
    fire,
    run_output,
    settle,
    verdict,
)
from engine.errors import ExpressionError
from engine.graph import Graph, Node
from engine.statuses import RunStatus, StepStatus


@dataclass(slots=True)
class StepState:
    """What a step row would say."""

    status: StepStatus
    given: Json = None
    output: Json = None
    error: Mapping[str, Json] | None = None
    taken: tuple[str, ...] = ()


@dataclass(slots=True)
class JoinState:
    """What a join row would say: the sources that arrived and those of them that were taken."""

    arrived: list[str] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)
    fired: int = 0


@dataclass(slots=True)
class FinalState:
    """A run in memory: its steps, joins and how it stands."""

    graph: Graph
    input: Json
    status: RunStatus = RunStatus.RUNNING
    output: Json = None
    error: Mapping[str, Json] | None = None
    steps: dict[str, StepState] = field(default_factory=dict)
    joins: dict[str, JoinState] = field(default_factory=dict)
    sinks: list[str] = field(default_factory=list)

    @property
    def open_steps(self) -> list[str]:
        """Steps that a worker could end now, in the order of the graph."""
        return [name for name in self.graph.nodes if self._is(name, StepStatus.QUEUED)]

    def scope(self) -> dict[str, Json]:
        """What expressions see."""
        steps = {name: {"output": step.output} for name, step in self.steps.items()}
        return {"input": self.input, "steps": steps, "vars": {}, "run": {}}

    def _is(self, name: str, status: StepStatus) -> bool:
        return name in self.steps and self.steps[name].status == status


Pick = Callable[[list[str]], list[str]]


def simulate(graph: Graph, run_input: Json, outcomes: Mapping[str, Outcome], pick: Pick = list) -> FinalState:
    """Run `graph` in memory: `outcomes` scripts how worker steps end, `pick` which end next, as one batch.

    Raises KeyError for a step that has no scripted outcome.
    """
    state = FinalState(graph, run_input)
    _apply(state, begin(graph, state.scope()))
    while state.status == RunStatus.RUNNING and state.open_steps:
        batch = pick(state.open_steps)
        for name in batch:
            if state.status == RunStatus.RUNNING:
                _end(state, graph.nodes[name], outcomes[name])
            elif state.status == RunStatus.FAILED:
                # Claimed before the run failed: the worker's result is kept, its edges are not resolved.
                _record(state.steps[name], outcomes[name])
    return state


def _end(state: FinalState, node: Node, outcome: Outcome) -> None:
    effects = settle(state.graph, node, outcome, state.scope() | {"prev": state.steps[node.id].given})
    _record(state.steps[node.id], effects.outcome or outcome)
    state.steps[node.id].taken = effects.taken
    _apply(state, effects)


def _record(step: StepState, outcome: Outcome) -> None:
    if isinstance(outcome, Completed):
        step.status, step.output = StepStatus.COMPLETED, outcome.output
    elif isinstance(outcome, Failed):
        step.status, step.error = StepStatus.FAILED, outcome.error
        step.output = failed_output(outcome.error)
    else:
        step.status, step.output = StepStatus.CANCELLED, outcome.output


def _apply(state: FinalState, effects: Effects) -> None:
    waves = [effects]
    for wave in waves:
        for new in wave.steps:
            state.steps[new.node.id] = StepState(new.status, new.given, new.output, new.error, new.taken)
        state.sinks += wave.sinks
        waves += [fired for arrival in wave.arrivals if (fired := _count(state, arrival))]
    failure = next((wave.failure for wave in waves if wave.failure), None)
    if failure is not None:
        _fail(state, *failure)
    elif len(state.sinks) == len(state.graph.sinks):
        _finish(state)


def _count(state: FinalState, arrival: Arrival) -> Effects | None:
    join = state.joins.setdefault(arrival.node, JoinState())
    join.arrived.append(arrival.source)
    if arrival.taken:
        join.taken.append(arrival.source)
    node = state.graph.nodes[arrival.node]
    decided = verdict(node.join, len(join.arrived), len(join.taken))
    if join.fired or decided is None:
        return None
    join.fired += 1
    chosen = contributors(node.join, join.taken)
    outputs = {name: state.steps[name].output for name in node.predecessors if name in chosen}
    return fire(state.graph, node, outputs, state.scope(), run=decided == "run")


def _fail(state: FinalState, name: str, error: Mapping[str, Json]) -> None:
    state.status, state.error = RunStatus.FAILED, {**error, "node": name}
    _cancel_open(state)


def _finish(state: FinalState) -> None:
    completed = {
        name: state.steps[name].output
        for name in state.graph.sinks
        if state.steps[name].status == StepStatus.COMPLETED
    }
    try:
        state.output = run_output(state.graph, completed, state.scope())
    except ExpressionError as error:
        state.status, state.error = RunStatus.FAILED, {"code": "ExpressionError", "message": str(error)}
    else:
        state.status = RunStatus.COMPLETED
    _cancel_open(state)


def _cancel_open(state: FinalState) -> None:
    for name in state.open_steps:
        state.steps[name].status = StepStatus.CANCELLED
