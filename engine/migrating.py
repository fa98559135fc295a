"""Whether a run, as it stands, fits another version of its workflow: every reason why not, at once. Pure.

What fits is proven by walking the other graph from its start, with what was done taken as done and what is in hand as
in hand: where the walk comes to all of it, the run stands where a run of that version may stand, so it ends as one.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from engine import bodies
from engine.catalogue import BODY, Json
from engine.decide import Scope, begin, fire
from engine.effects import Assigned, Effects, NewStep
from engine.graph import Graph, Node
from engine.joins import JoinState
from engine.outcomes import Completed, Interrupted, output_of
from engine.overrides import DoesNotFit, GoesOn, KeepResult, Overrides, outputs_of
from engine.statuses import StepStatus

Check = Callable[[Mapping[str, Json], Json], tuple[str, str] | None]
"""What is wrong with a value by a JSON Schema, as place and sentence; None where it is right."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """Why a run can't go on with a version: a code for programs, the step it is about, a sentence for people.

    `place`: the items, as (node, index), that lead down to the step, where the run of an item can't.
    """

    code: str
    node: str | None
    message: str
    place: Sequence[tuple[str, int | None]] = ()

    def within(self, node: str, index: int | None) -> "Misfit":
        """The same as it is told of the run that has the item."""
        message = f"Item {index} of {node}: {self.message}"
        return replace(self, message=message, place=[(node, index), *self.place])


@dataclass(frozen=True, slots=True)
class Version:
    """A graph, and the definition that it was compiled from."""

    graph: Graph
    definition: Mapping[str, Json]

    def params(self, name: str) -> Mapping[str, Json]:
        """The params of a node as they were written."""
        raw = next(node for node in self.definition["nodes"] if node["id"] == name)
        params: Mapping[str, Json] = raw.get("params") or {}
        return params


@dataclass(frozen=True, slots=True)
class InHand:
    """A step that is not over. `wait`: the kind of what it waits for; `busy`: a worker is at it or a child of it.

    `same_wait`: by the version it would wait for the same, at most with other times. `fault`: why that is not known.
    """

    status: str
    wait: str | None = None
    fired: Mapping[str, Json] = field(default_factory=dict)
    busy: bool = False
    same_wait: bool = False
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """Where an open run stands: what is done, what is in hand, and steps that are neither, with their statuses.

    Steps to which no edge led count for nothing: the other graph decides of them anew.
    """

    input: Json
    done: Mapping[str, KeepResult]
    in_hand: Mapping[str, InHand]
    unclear: Mapping[str, str] = field(default_factory=dict)

    @property
    def overrides(self) -> Overrides:
        """The same as what a walk takes instead of doing it."""
        return {**self.done, **{name: GoesOn(step.fired) for name, step in self.in_hand.items()}}


@dataclass(slots=True)
class Walked:
    """Where the walk came to: new steps and what they set, the sinks that are resolved, what joins have counted."""

    steps: list[NewStep] = field(default_factory=list)
    reached: set[str] = field(default_factory=set)
    sinks: list[str] = field(default_factory=list)
    variables: list[Assigned] = field(default_factory=list)
    joins: dict[str, JoinState] = field(default_factory=dict)
    edges: dict[str, tuple[str, ...]] = field(default_factory=dict)
    failure: tuple[str, Mapping[str, Json]] | None = None

    @property
    def begins(self) -> list[str]:
        """The steps that begin at once: the version has them where the run has been already."""
        return [new.node.id for new in self.steps if new.status != StepStatus.SKIPPED]


def misfits(
    old: Version, new: Version, standing: Standing, scope: Scope, check: Check
) -> tuple[list[Misfit], Walked]:
    """Why the run can't go on with `new`, and where it would stand there.

    What can be said of each step comes first; the way through the graph is looked at when that fits.
    """
    problems = [*_of_input(new.graph, standing, check), *_of_unclear(standing)]
    for name, result in standing.done.items():
        problems += _of_done(old, new, name, result, check)
    for name, step in standing.in_hand.items():
        problems += _of_open(old, new, name, step)
    if problems:
        return problems, Walked()
    try:
        walked = walk(new.graph, scope, standing.overrides)
    except DoesNotFit as error:
        code = "not_reached" if error.node in standing.in_hand else "leads_nowhere"
        return [Misfit(code, error.node, error.message)], Walked()
    return list(_of_way(new.graph, standing, walked)), walked


def walk(graph: Graph, scope: Scope, overrides: Overrides) -> Walked:
    """Follow the graph from its start as far as it goes with what is kept. Raises DoesNotFit."""
    walked = Walked()
    own_scope = {**scope, "steps": outputs_of(overrides)}
    all_effects: list[Effects] = [begin(graph, own_scope, overrides)]
    for effects in all_effects:
        walked.steps += effects.steps
        walked.sinks += effects.sinks
        walked.reached |= {*effects.kept, *(new.node.id for new in effects.steps)}
        walked.edges |= effects.kept
        walked.failure = walked.failure or effects.failure
        new_outputs = {
            step.node.id: {"output": step.output} for step in effects.steps if step.status in _WITH_OUTPUT
        }
        own_scope["steps"] = {**own_scope["steps"], **new_outputs}
        walked.variables += effects.variables
        for assigned in effects.variables:
            own_scope["vars"] = {**own_scope.get("vars", {}), **assigned.values}
        for arrival in effects.arrivals:
            node = graph.nodes[arrival.node]
            decided = walked.joins.setdefault(node.id, JoinState()).count(node, arrival)
            if decided is not None:
                steps = own_scope["steps"]
                outputs = {name: _carried(name, node.id, overrides, steps) for name in decided.sources}
                all_effects.append(
                    fire(graph, node, outputs, own_scope, run=decided.runs, overrides=overrides)
                )
    return walked


_WITH_OUTPUT = (StepStatus.COMPLETED, StepStatus.FAILED)


def _carried(source: str, target: str, overrides: Overrides, steps: Mapping[str, Json]) -> Json:
    override = overrides.get(source)
    if isinstance(override, KeepResult | GoesOn) and target in override.fired:
        return override.fired[target]
    return steps.get(source, {}).get("output")


def _of_input(graph: Graph, standing: Standing, check: Check) -> Iterator[Misfit]:
    if graph.input_schema is not None and (wrong := check(graph.input_schema, standing.input)):
        place, why = wrong
        yield Misfit("input_invalid", None, f"The version would not take the run's input{place}: {why}")


def _of_unclear(standing: Standing) -> Iterator[Misfit]:
    for name, status in standing.unclear.items():
        yield Misfit("step_unclear", name, f"{name} is {status}, and what follows from that is unknown.")


def _of_done(old: Version, new: Version, name: str, result: KeepResult, check: Check) -> Iterator[Misfit]:
    if (gone := _gone(old, new, name, "has run")) is not None:
        yield gone
        return
    title, outcome = old.graph.nodes[name].title, result.outcome
    node = new.graph.nodes[name]
    timers = {timer.target for timer in node.boundary}
    fired = {*result.fired, *([outcome.target] if isinstance(outcome, Interrupted) else [])}
    for target in sorted(fired - timers):
        yield Misfit(
            "timer_gone", name, f"A timer of {title} led to {target}; this version has no such timer."
        )
    if not isinstance(outcome, Completed):
        return
    if name in old.graph.compensations and name not in new.graph.compensations:
        message = f"{title} was done and can be undone; in this version nothing undoes it."
        yield Misfit("compensation_gone", name, message)
    schema = node.spec.output_schema(new.params(name))
    same = schema == old.graph.nodes[name].spec.output_schema(old.params(name))
    if schema is not None and not same and (wrong := check(schema, output_of(outcome))):
        place, why = wrong
        message = f"What {title} gave is not what it gives in this version{place}: {why}"
        yield Misfit("output_changed", name, message)


def _gone(old: Version, new: Version, name: str, is_so: str) -> Misfit | None:
    title = old.graph.nodes[name].title if name in old.graph.nodes else name
    if name not in new.graph.nodes:
        return Misfit("step_gone", name, f"{title} {is_so}, but this version has no such step.")
    was, became = old.graph.nodes[name], new.graph.nodes[name]
    if (was.type, was.kind) != (became.type, became.kind):
        message = f"{title} {is_so} as {was.type}, but is {became.type} in this version."
        return Misfit("step_changed", name, message)
    return None


def _of_open(old: Version, new: Version, name: str, step: InHand) -> Iterator[Misfit]:
    if step.busy:
        title = old.graph.nodes[name].title
        yield Misfit("being_worked_on", name, f"{title} is being worked on. Try again when that is over.")
    if (gone := _gone(old, new, name, "is in progress")) is not None:
        yield gone
        return
    yield from _of_wait(old, new, name, step)
    yield from _of_timers(old.graph.nodes[name], new.graph.nodes[name], step)


def _of_wait(old: Version, new: Version, name: str, step: InHand) -> Iterator[Misfit]:
    """What it waits for was said by the former version, and stays: it must be what this one would make of it."""
    was, became = old.graph.nodes[name], new.graph.nodes[name]
    before, now = old.params(name), new.params(name)
    if before == now or (step.status != StepStatus.WAITING and was.body is None):
        return
    if step.fault is not None:
        message = f"What {was.title} waits for can't be computed in this version: {step.fault}"
        yield Misfit("wait_changed", name, message)
    elif was.body is not None:
        if not _items_may_move(was, became, before, now):
            message = f"{was.title} has begun, and does other things in this version."
            yield Misfit("items_changed", name, message)
    elif step.wait == "task":
        if was.spec.output_schema(before) != became.spec.output_schema(now):
            message = f"{was.title} already asks people, and asks for a different answer in this version."
            yield Misfit("wait_changed", name, message)
    elif step.wait != "timer" and not step.same_wait:
        yield Misfit("wait_changed", name, f"{was.title} waits for something else in this version.")


def _items_may_move(was: Node, became: Node, before: Mapping[str, Json], now: Mapping[str, Json]) -> bool:
    """Whether only the steps of items differ, each of which is a run that can be moved by itself."""
    if was.body is None or became.body is None or was.body.part is None or became.body.part is None:
        return False
    return {**before, BODY: None} == {**now, BODY: None}


def of_items(old: Graph, new: Graph, name: str, given: Json) -> Iterator[Misfit]:
    """What an item of a container would see by another graph that it was not given when it began."""
    was, became = old.nodes[name].body, new.nodes[name].body
    if (
        was is None
        or became is None
        or was.part is None
        or became.part is None
        or not isinstance(given, Mapping)
    ):
        return
    reads = bodies.given(became.part.reads, frozenset(became.part.nodes))
    missing = reads.keys() - given.keys()
    if "steps" in given and "steps" in reads and not was.part.reads.every_step:
        steps = reads["steps"]
        there = given["steps"] or {}
        missing |= (
            {f"steps.{step}" for step in steps if step not in there}
            if isinstance(steps, Mapping)
            else {"steps"}
        )
    if missing:
        names = ", ".join(sorted(missing))
        message = f"Its steps read {names}, which an item that has begun was not given."
        yield Misfit("items_changed", None, message)


def _of_timers(was: Node, became: Node, step: InHand) -> Iterator[Misfit]:
    timers = {(timer.target, timer.interrupting) for timer in became.boundary}
    for timer in was.boundary:
        if (timer.target, timer.interrupting) not in timers:
            message = f"A timer of {was.title} leads to {timer.target}; this version has no such timer."
            yield Misfit("timer_gone", was.id, message)
    for target in sorted(step.fired.keys() - {target for target, _ in timers}):
        message = f"A timer of {was.title} led to {target}; this version has no such timer."
        yield Misfit("timer_gone", was.id, message)
    if was.start_seconds is not None and became.start_seconds is None:
        message = f"{was.title} must begin by a certain time, and has no such limit in this version."
        yield Misfit("timer_gone", was.id, message)


def _of_way(graph: Graph, standing: Standing, walked: Walked) -> Iterator[Misfit]:
    for name in [*standing.done, *standing.in_hand]:
        if name not in walked.reached:
            state = "is in progress" if name in standing.in_hand else "has run"
            title = graph.nodes[name].title
            message = f"{title} {state}, but this version would not have reached it yet."
            yield Misfit("not_reached", name, message)
    if walked.failure is not None:
        name, error = walked.failure
        message = f"{graph.nodes[name].title} would fail at once: {error.get('message')}"
        yield Misfit("fails_at_once", name, message)
    elif len(walked.sinks) >= len(graph.sinks):
        yield Misfit(
            "ends_at_once", None, "In this version the run would be over, with steps still in progress."
        )
