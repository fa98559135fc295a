"""The heart: what an outcome of a step means for its graph, as data. No clock, no database, no framework.

`begin`, `settle` and `fire` follow edges as far as they go without asking anybody: through skipped nodes and
through steps that the engine does itself, up to steps for workers and up to joins. How far a join has got is known
only to whoever holds the run's state, so arrivals are handed out and `Join.verdict` says what a count of them means.
"""

from collections import deque
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from engine.catalogue import Json
from engine.cel_reads import ENDED, MOMENT
from engine.effects import Arrival, Assigned, Effects, NewStep
from engine.errors import ExpressionError, StepError, failure_of
from engine.graph import Graph, Node
from engine.limits import ERROR_MESSAGE_CHARACTERS
from engine.links import Edge
from engine.outcomes import Completed, Failed, Interrupted, Outcome, branch_of, failed_output, output_of
from engine.overrides import DoesNotFit, GoesOn, KeepResult, Overrides, RerunWith, RestartWith
from engine.ports import followed
from engine.statuses import StepStatus
from engine.variables import set_by
from engine.work import EXPRESSIONS_UNITS, sharing_at

Scope = Mapping[str, Any]

NO_OVERRIDES: Overrides = {}


def begin(graph: Graph, scope: Scope, overrides: Overrides = NO_OVERRIDES) -> Effects:
    """What starting a run means: every node without incoming edges starts with the run's input.

    Raises DoesNotFit where what `overrides` say can't be.
    """
    walk = _Walk(graph, scope, overrides)
    for name in graph.starts:
        walk.pending.append((graph.nodes[name], {}, True))
    with sharing_at("", EXPRESSIONS_UNITS):
        return walk.run()


def settle(
    graph: Graph, node: Node, outcome: Outcome, scope: Scope, *, fired: Collection[str] = ()
) -> Effects:
    """What the outcome of `node` means: what follows, and its own final outcome (`NoBranchMatched` fails it).

    `fired`: the targets of its boundary timers that fired while it went on; those edges are resolved already.
    """
    walk = _Walk(graph, scope)
    with sharing_at("", EXPRESSIONS_UNITS):
        outcome, targets = walk.conclude(node, outcome, fired)
        walk.effects.outcome, walk.effects.taken = outcome, targets
        walk.scope[MOMENT] = scope.get(ENDED)
        return walk.run()


def ring(graph: Graph, node: Node, target: str, output: Json, scope: Scope) -> Effects:
    """What a boundary timer of `node` means that doesn't interrupt it: its edge is taken, the step goes on."""
    walk = _Walk(graph, {**scope, MOMENT: None})
    walk.ring(node, target, output)
    with sharing_at("", EXPRESSIONS_UNITS):
        return walk.run()


def fire(
    graph: Graph,
    node: Node,
    outputs: Mapping[str, Json],
    scope: Scope,
    *,
    run: bool,
    overrides: Overrides = NO_OVERRIDES,
) -> Effects:
    """What a decided join means: it starts with the outputs of its taken predecessors, or it is skipped.

    Raises DoesNotFit where what `overrides` say can't be.
    """
    walk = _Walk(graph, scope, overrides)
    walk.pending.append((node, outputs, run))
    with sharing_at("", EXPRESSIONS_UNITS):
        return walk.run()


def run_output(graph: Graph, completed: Mapping[str, Json], scope: Scope) -> Json:
    """The output of a run whose sinks are resolved; `completed`: the outputs of its completed sinks by id.

    Raises ExpressionError where the definition's own `output` fails on these values.
    """
    if graph.output is not None:
        return graph.output.render(scope)
    if len(completed) > 1:
        return {name: completed[name] for name in graph.sinks if name in completed}
    return next(iter(completed.values()), None)


class JoinNeverFired(StepError):
    """A join was skipped that waited for edges which could not all be taken, and nothing else led to an end."""

    def __init__(self, node: Node) -> None:
        least = "all" if node.join.mode == "all" else f"{node.join.least} of the {node.join.need}"
        message = f"{node.title} waits for {least} connections into it, but not enough of them were taken; "
        message += "nothing else led to an end of the run."
        super().__init__("JoinNeverFired", message, details={"node": node.id})


class NoBranchMatched(StepError):
    """None of the step's conditional edges holds for its output."""

    def __init__(self, node: Node, output: Json) -> None:
        branch = branch_of(output)
        none = "its output has no branch" if node.has_branches else "its output matches none of them"
        reason = none if branch is None else f"its branch is {branch!r}"
        super().__init__(
            "NoBranchMatched",
            f"{node.title} has conditional connections but {reason}: add a default connection or set allow_no_match.",
        )


class _Walk:
    """Follows edges from one cause until only workers and joins can go on."""

    __slots__ = ("by_timer", "effects", "graph", "overrides", "pending", "scope")

    def __init__(self, graph: Graph, scope: Scope, overrides: Overrides = NO_OVERRIDES) -> None:
        self.graph = graph
        self.overrides = overrides
        self.scope = dict(scope)
        self.effects = Effects()
        self.by_timer: set[str] = set()
        self.pending: deque[tuple[Node, Mapping[str, Json], bool]] = deque()

    def run(self) -> Effects:
        # Also past a failure: what is cut off here would be lost to a run that is resumed.
        while self.pending:
            node, outputs, runs = self.pending.popleft()
            if runs:
                self._start(node, outputs)
            else:
                self._skip(node)
        return self.effects

    def ring(self, node: Node, target: str, output: Json) -> None:
        """A boundary timer of `node` takes its edge: what comes that way is the timer's and not the step's."""
        self.by_timer.add(target)
        self.arrive(node, self.graph.nodes[target], True, output)

    def conclude(
        self, node: Node, outcome: Outcome, fired: Collection[str] = (), *, again: bool = False
    ) -> tuple[Outcome, tuple[str, ...]]:
        """Resolve the edges of a node that ended; returns its final outcome and the targets it takes.

        `again`: that it ended is known already, so what it set of the run's variables is.
        """
        if node.container is not None:
            self.effects.child = node.container
            if isinstance(outcome, Completed) and outcome.variables:
                self.effects.variables.append(Assigned(node.id, outcome.variables))
            return outcome, ()
        if node.body is not None and not isinstance(outcome, Interrupted) and outcome.variables:
            outcome = self._children_set(node, outcome)
        ways: dict[str, bool] = {}
        if isinstance(outcome, Interrupted):
            self._remember(node, outcome.output)
            ways = {outcome.target: True}
        if isinstance(outcome, Completed):
            self._remember(node, outcome.output)
            before = self.scope.get("vars", {})
            values: Mapping[str, Json] = {}
            try:
                if not again and (values := set_by(node, outcome, self.scope)):
                    self.scope["vars"] = {**before, **values}
                ways = self._resolve(node, outcome.output)
            except StepError as error:
                outcome, self.scope["vars"] = Failed(describe(error)), before
            else:
                self.effects.variables += [Assigned(node.id, values)] if values else []
                # Whatever else is to come is resolved by that: the run waits for no sink any more.
                self.effects.sinks += self.graph.sinks if node.ends_run else ()
        if isinstance(outcome, Failed):
            if node.on_error == "fail":
                self.effects.failure = self.effects.failure or (node.id, outcome.error)
                return outcome, ()
            self._remember(node, failed_output(outcome.error))
            ways = self._resolve_failed(node, failed_output(outcome.error))
        output = output_of(outcome)
        for target in node.targets:
            if target not in fired:
                self.arrive(node, self.graph.nodes[target], ways.get(target, False), output)
        if node.is_sink:
            self.effects.sinks.append(node.id)
        return outcome, tuple(target for target in node.targets if ways.get(target) and target not in fired)

    def _children_set(self, node: Node, outcome: Completed | Failed) -> Completed | Failed:
        """What children set in memory stays, whatever becomes of their container; where rows say it, it is there."""
        self.effects.variables.append(Assigned(node.id, outcome.variables))
        self.scope["vars"] = {**self.scope.get("vars", {}), **outcome.variables}
        return replace(outcome, variables={})

    def _remember(self, node: Node, output: Json) -> None:
        self.scope["steps"] = {**self.scope.get("steps", {}), node.id: {"output": output}}

    def arrive(self, source: Node, target: Node, is_taken: bool, output: Json) -> None:
        """The edge from `source` to `target` is resolved."""
        if target.is_join:
            self.effects.arrivals.append(Arrival(target.id, source.id, is_taken))
        else:
            self.pending.append((target, {source.id: output}, is_taken))

    def _resolve(self, node: Node, output: Json) -> dict[str, bool]:
        if not node.is_conditional and not node.decides:
            return {edge.target: True for edge in node.edges}
        scope = {**self.scope, "output": output}
        edges = list(_taken(node, output, scope))
        decides = node.decides
        # What a decision takes first has decided, even without a condition; elsewhere a conditional edge must.
        matched = any(decides or edge.kind != "always" for edge in edges)
        # An output without a branch matches no edge that names one, as a misspelt branch doesn't (H-7).
        branch = branch_of(output)
        branches = decides or node.has_branches or (isinstance(output, dict) and "branch" in output)
        if node.is_conditional and branches and not matched and not node.may_end(branch):
            raise NoBranchMatched(node, output)
        return {edge.target: True for edge in edges}

    def _resolve_failed(self, node: Node, output: Json) -> dict[str, bool]:
        if node.on_error == "branch":
            return {edge.target: True for edge in node.error_edges}
        scope = {**self.scope, "output": output, "error": output["error"]}
        # The step has failed already: a condition that can't be evaluated on an error is just not true.
        return {edge.target: True for edge in _taken(node, output, scope, lenient=True)}

    def _start(self, node: Node, outputs: Mapping[str, Json]) -> None:
        override = self.overrides.get(node.id)
        if isinstance(override, KeepResult):
            self._keep(node, override)
            return
        if isinstance(override, GoesOn):
            self.effects.kept[node.id] = ()
            self._ring_again(node, override)
            return
        source = node.predecessors[0] if len(node.predecessors) == 1 else None
        value: Json = self.scope.get("input") if not node.predecessors else outputs
        if source is not None:
            value = outputs[source]
        if node.id in self.by_timer:
            # What a timer carries is nobody's output.
            source = None
        fired = self._ring_again(node, override) if isinstance(override, RestartWith) else ()
        try:
            if isinstance(override, RerunWith):
                value, source = override.input, None
            elif node.mapping is not None or node.is_join:
                value, source = self._composed(node, value), None
            if node.kind != "engine":
                edited = isinstance(override, RerunWith)
                self.effects.steps.append(
                    NewStep(node, StepStatus.QUEUED, value, source, own=edited, fired=fired)
                )
                return
            params = node.params.render({**self.scope, "prev": value})
            outcome: Outcome = Completed(node.spec.evaluate(params, value))
        except ExpressionError as error:
            outcome = Failed(describe(failure_of(error, f"An expression of {node.title} failed: {error}")))
        except StepError as error:
            outcome = Failed(describe(error))
        self.scope["prev"] = value
        if isinstance(outcome, Failed) and node.is_join:
            value = _keepable(node, value)
        self._finish_inside(node, outcome, value, source, fired)

    def _ring_again(self, node: Node, override: RestartWith | KeepResult | GoesOn) -> tuple[str, ...]:
        """Follow the boundary edges that were taken while the node went on; gives their targets."""
        fired = tuple(target for target in override.fired if target in node.targets)
        for target in fired:
            self.ring(node, target, override.fired[target])
        if fired:
            self.effects.kept[node.id] = fired
        return fired

    def _keep(self, node: Node, override: KeepResult) -> None:
        """Follow the edges of a node that has ended already."""
        self.scope["prev"] = override.input
        fired = self._ring_again(node, override)
        outcome, targets = self.conclude(node, override.outcome, override.fired, again=True)
        if outcome != override.outcome or node.id == (self.effects.failure or (None,))[0]:
            why = outcome.error["message"] if isinstance(outcome, Failed) else ""
            raise DoesNotFit(node.id, f"What {node.title} gave leads nowhere: {why}")
        targets = (*fired, *targets)
        self.effects.kept[node.id] = targets
        if override.row is None:
            error = outcome.error if isinstance(outcome, Failed) else None
            output = output_of(outcome)
            step = NewStep(
                node,
                override.status,
                override.input,
                override.input_from,
                output,
                error,
                targets,
                override.own,
                override,
                fired,
            )
            self.effects.steps.append(step)

    def _composed(self, node: Node, value: Json) -> Json:
        """The input that a mapping or a join puts together: what comes from one place was admitted there."""
        if node.mapping is not None:
            value = node.mapping.render({**self.scope, "prev": value})
        node.spec.admit(value)
        return value

    def _finish_inside(
        self, node: Node, outcome: Outcome, value: Json, source: str | None, fired: tuple[str, ...]
    ) -> None:
        """An engine step, or one whose input can't be made, is over as soon as it starts."""
        own = isinstance(self.overrides.get(node.id), RerunWith)
        outcome, targets = self.conclude(node, outcome, fired)
        if isinstance(outcome, Failed):
            output = None if node.on_error == "fail" else failed_output(outcome.error)
            step = NewStep(
                node, StepStatus.FAILED, value, source, output, outcome.error, targets, own, fired=fired
            )
        else:
            step = NewStep(
                node, StepStatus.COMPLETED, value, source, outcome.output, None, targets, own, fired=fired
            )
        self.effects.steps.append(step)

    def _skip(self, node: Node) -> None:
        override = self.overrides.get(node.id)
        if isinstance(override, KeepResult) and override.row is not None:
            raise DoesNotFit(node.id, f"{node.title} has run, but this version would not have reached it.")
        if isinstance(override, GoesOn):
            raise DoesNotFit(
                node.id, f"{node.title} is in progress, but this version would not have reached it."
            )
        self.effects.steps.append(NewStep(node, StepStatus.SKIPPED))
        for target in node.targets:
            self.arrive(node, self.graph.nodes[target], False, None)
        if node.is_sink:
            self.effects.sinks.append(node.id)


def _keepable(node: Node, value: Json) -> Json:
    """The outputs that met at a join which fails: nothing where they are too much, it is decided anew on a resume."""
    try:
        node.spec.admit(value)
    except StepError:
        return None
    return value


def describe(error: StepError) -> dict[str, Json]:
    """A StepError as the JSON that steps, runs and dead letters keep (R-090)."""
    # It may quote what it was given: what no document can hold is told in other characters.
    plain = (
        error.message[:ERROR_MESSAGE_CHARACTERS]
        .encode("utf-8", "backslashreplace")
        .decode()
        .replace("\0", "\\0")
    )
    payload: dict[str, Json] = {
        "code": error.code,
        "message": plain[:ERROR_MESSAGE_CHARACTERS],
        "retryable": error.retryable,
    }
    if error.details:
        payload["details"] = error.details
    return payload


def _taken(node: Node, output: Json, scope: Scope, *, lenient: bool = False) -> Iterator[Edge]:
    """The success edges that are taken; `lenient`: a condition that can't be evaluated is not true."""
    branch = output.get("branch") if isinstance(output, dict) else None
    return followed(node.edges, branch, lambda edge: _holds(edge, scope, lenient), first_only=node.decides)


def _holds(edge: Edge, scope: Scope, lenient: bool) -> bool:
    try:
        return edge.when is not None and edge.when.is_true(scope)
    except ExpressionError as error:
        if lenient:
            return False
        raise failure_of(
            error, f"The condition of the connection to {edge.target} failed: {error}"
        ) from error
