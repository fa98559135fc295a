"""Drive a graph in memory with the core that the database uses: for property tests and for trying things."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from engine.bodies import seen
from engine.catalogue import Json
from engine.decide import JoinNeverFired, begin, describe, fire, ring, run_output, settle
from engine.effects import Arrival, Effects
from engine.errors import ExpressionError
from engine.graph import Graph, Node
from engine.joins import JoinState
from engine.outcomes import Completed, Failed, Interrupted, Outcome, failed_output
from engine.statuses import RunStatus, StepStatus


@dataclass(slots=True)
class StepState:
    """What a step row would say. `fired`: what the edges carry that timers took while it went on."""

    status: StepStatus
    input: Json = None
    output: Json = None
    error: Mapping[str, Json] | None = None
    taken: tuple[str, ...] = ()
    fired: dict[str, Json] = field(default_factory=dict)


@dataclass(slots=True)
class FinalState:
    """A run in memory: its steps, joins and how it stands.

    One that goes on beside a failure has its `error` already.
    """

    graph: Graph
    input: Json
    status: RunStatus = RunStatus.RUNNING
    output: Json = None
    error: Mapping[str, Json] | None = None
    steps: dict[str, StepState] = field(default_factory=dict)
    joins: dict[str, JoinState] = field(default_factory=dict)
    sinks: list[str] = field(default_factory=list)
    facts: Mapping[str, Json] = field(default_factory=dict)
    variables: dict[str, Json] = field(default_factory=dict)

    @property
    def open_steps(self) -> list[str]:
        """Steps that a worker could end now, in the order of the graph."""
        return [name for name in self.graph.nodes if self._is(name, StepStatus.QUEUED)]

    def scope(self) -> dict[str, Json]:
        """What expressions see."""
        steps = {name: {"output": step.output} for name, step in self.steps.items()}
        scope = {"input": self.input, "steps": steps, "vars": dict(self.variables), "run": dict(self.facts)}
        return seen(scope, self.input) if self.graph.is_part else scope

    def _is(self, name: str, status: StepStatus) -> bool:
        return name in self.steps and self.steps[name].status == status


Pick = Callable[[list[str]], list[str]]
FiredTimers = Mapping[str, Mapping[str, Json]]
Work = Callable[[Node, Mapping[str, Json]], Outcome]
"""Does a step, with what its expressions see; `prev` is its input."""

RAN = (StepStatus.COMPLETED, StepStatus.FAILED)
"""Statuses of a step that has run to its end."""
NO_TIMERS: FiredTimers = {}
NO_FACTS: Mapping[str, Json] = {}


def simulate(
    graph: Graph,
    run_input: Json,
    outcomes: Mapping[str, Outcome] | Work,
    pick: Pick = list,
    fired_timers: FiredTimers = NO_TIMERS,
    facts: Mapping[str, Json] = NO_FACTS,
    begun: FinalState | None = None,
) -> FinalState:
    """Run `graph` in memory: `outcomes` scripts or does how steps and waits end, `pick` which end next, as one batch.

    It stops where `pick` gives none, and goes on from where a run has `begun`.

    `fired_timers`: by step the targets of its boundary timers that fire before it ends and don't interrupt it, each
    with what the edge carries. `facts`: what expressions see as `run`. Raises KeyError for a step that has no scripted
    outcome.
    """
    state = begun or FinalState(graph, run_input, facts=facts)
    if begun is None:
        _apply(state, begin(graph, state.scope()))
    while state.status == RunStatus.RUNNING and state.open_steps and (batch := pick(state.open_steps)):
        for name in batch:
            node, timers = graph.nodes[name], dict(fired_timers.get(name, {}))
            while timers and state.status == RunStatus.RUNNING:
                target = next(iter(timers))
                ring_timer(state, node, target, timers.pop(target))
            if state.status == RunStatus.RUNNING:
                _end(state, node, _outcome(state, node, outcomes))
            elif state.status == RunStatus.FAILED and not timers:
                outcome = _outcome(state, node, outcomes)
                if _is_awaited(node, outcome):
                    # Claimed before the run failed: the worker's result is kept, its edges are not resolved.
                    _record(state.steps[name], outcome)
    return state


def _outcome(state: FinalState, node: Node, outcomes: Mapping[str, Outcome] | Work) -> Outcome:
    if callable(outcomes):
        return outcomes(node, state.scope() | {"prev": state.steps[node.id].input})
    return outcomes[node.id]


def _is_awaited(node: Node, outcome: Outcome) -> bool:
    """Whether a worker has it in hand and will say how it ended: timers of a failing run don't fire any more."""
    return node.kind != "wait" and not isinstance(outcome, Interrupted)


def ring_timer(state: FinalState, node: Node, target: str, output: Json) -> None:
    """A timer of an open step that doesn't interrupt it fires: what its edge carries is `output`."""
    step = state.steps[node.id]
    if target not in step.fired:
        step.fired[target] = output
        step.taken += (target,)
        _apply(state, ring(state.graph, node, target, output, state.scope() | {"prev": step.input}))


def _end(state: FinalState, node: Node, outcome: Outcome) -> None:
    step = state.steps[node.id]
    scope = state.scope() | {"prev": step.input}
    effects = settle(state.graph, node, outcome, scope, fired=step.fired)
    _record(step, effects.outcome or outcome)
    step.taken += effects.taken
    _apply(state, effects)


def _record(step: StepState, outcome: Outcome) -> None:
    if isinstance(outcome, Completed):
        step.status, step.output = StepStatus.COMPLETED, outcome.output
    elif isinstance(outcome, Failed):
        step.status, step.error = StepStatus.FAILED, outcome.error
        step.output = failed_output(outcome.error)
    else:
        step.status, step.output = StepStatus.CANCELLED, outcome.output


def _apply(state: FinalState, first: Effects) -> None:
    all_effects = [first]
    for effects in all_effects:
        for new in effects.steps:
            state.steps[new.node.id] = StepState(new.status, new.input, new.output, new.error, new.taken)
        state.sinks += effects.sinks
        for assigned in effects.variables:
            state.variables |= assigned.values
        all_effects += [fired for arrival in effects.arrivals if (fired := _count(state, arrival))]
    failure = next((effects.failure for effects in all_effects if effects.failure), None)
    is_over = len(state.sinks) >= len(state.graph.sinks)
    if failure is not None and state.error is None:
        state.error = {**failure[1], "node": failure[0]}
    if state.error is None:
        if is_over:
            _finish(state)
    elif is_over or not state.graph.finishes_others or not state.open_steps:
        state.status = RunStatus.FAILED
        _cancel_open(state)


def _count(state: FinalState, arrival: Arrival) -> Effects | None:
    node = state.graph.nodes[arrival.node]
    decided = state.joins.setdefault(node.id, JoinState()).count(node, arrival)
    if decided is None:
        return None
    outputs = {name: _carried(state, name, node.id) for name in decided.sources}
    return fire(state.graph, node, outputs, state.scope(), run=decided.runs)


def _carried(state: FinalState, source: str, target: str) -> Json:
    step = state.steps[source]
    return step.fired.get(target, step.output)


def _never_fired(state: FinalState) -> Node | None:
    """The join that was skipped although an edge into it was taken, where nothing else led to an end."""
    if any(state._is(name, status) for name in state.graph.sinks for status in RAN):
        return None
    skipped = (name for name in state.graph.strict_joins if state._is(name, StepStatus.SKIPPED))
    return next((state.graph.nodes[name] for name in skipped if state.joins[name].taken), None)


def _finish(state: FinalState) -> None:
    if join := _never_fired(state):
        state.status, state.error = RunStatus.FAILED, describe(JoinNeverFired(join))
        _cancel_open(state)
        return
    completed = {
        name: state.steps[name].output for name in state.graph.sinks if state._is(name, StepStatus.COMPLETED)
    }
    try:
        state.output = run_output(state.graph, completed, state.scope())
    except ExpressionError as error:
        state.status, state.error = RunStatus.FAILED, {"code": error.code, "message": str(error)}
    else:
        state.status = RunStatus.COMPLETED
    _cancel_open(state)


def _cancel_open(state: FinalState) -> None:
    for name in state.open_steps:
        state.steps[name].status = StepStatus.CANCELLED
