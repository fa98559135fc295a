"""What a decision of people covers: the steps that follow from its outcome, and what these are given as far as it is
known when the decision is made. Pure.

A step is described by a document: its type, its input, its params and its body, with each value that is known then, and
the text of each expression that is not. The digest of the document is what is approved, and what is compared when the
step begins (docs/security.md, "Approved = executed").
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.canonical import content_hash
from engine.catalogue import Json
from engine.errors import ExpressionError
from engine.expressions import Expression
from engine.ports import outcomes_of, port_of
from engine.templates import Leaf, Template

COVERS = "covers"
"""The param of a step that asks people which names the steps that its decision covers."""
NOW = "the time when it begins"
"""What stands among the sources of a value for the clock: it is never known beforehand."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Which steps the decisions of a graph cover.

    `by_outcome`: for each step that asks people and covers something, the steps by outcome; the outcomes that only a
    run knows are under None. `deciders`: for each covered step those whose decision may cover it.
    """

    by_outcome: Mapping[str, Mapping[str | None, tuple[str, ...]]] = field(default_factory=dict)
    deciders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def steps(self, decider: str, outcome: Json) -> tuple[str, ...]:
        """The steps that a decision covers."""
        by_outcome = self.by_outcome.get(decider, {})
        return by_outcome.get(outcome if outcome in by_outcome else None, ())

    def outcome_to(self, decider: str, step: str) -> str | None:
        """An outcome that covers this step."""
        return next((name for name, steps in self.by_outcome.get(decider, {}).items() if step in steps), None)


NO_COVERAGE = Coverage()


def coverage_of(nodes: Mapping[str, Any], raw_params: Mapping[str, Mapping[str, Json]]) -> Coverage:
    """What the decisions of compiled nodes (`graph.Node`, in topological order) cover.

    Without `covers` that is each step with an effect that is reached from an edge of the outcome, without another step
    that asks people between.
    """
    by_outcome = {
        name: covered
        for name, node in nodes.items()
        if node.spec.asks_people and (covered := _by_outcome(nodes, node, raw_params[name]))
    }
    if not by_outcome:
        return NO_COVERAGE
    deciders: dict[str, list[str]] = {}
    for name, outcomes in by_outcome.items():
        for step in dict.fromkeys(step for steps in outcomes.values() for step in steps):
            deciders.setdefault(step, []).append(name)
    return Coverage(by_outcome, {step: tuple(names) for step, names in deciders.items()})


def _by_outcome(
    nodes: Mapping[str, Any], node: Any, params: Mapping[str, Json]
) -> dict[str | None, tuple[str, ...]]:
    outcomes = outcomes_of(node.spec, params) or ()
    names = params.get(COVERS)
    if names is None and len(outcomes) == 1:
        # A form that is filled in approves nothing.
        return {}
    starts: dict[str | None, Iterable[str]] = {None: [edge.target for edge in node.edges]}
    if outcomes:
        ports = {outcome: port_of(node.edges, outcome) for outcome in outcomes}
        starts = {
            name: [edge.target for edge in (*port.takes, *port.may_take)] for name, port in ports.items()
        }
    covered: dict[str | None, tuple[str, ...]] = {}
    for outcome, targets in starts.items():
        if names is None:
            reached = [
                name for name in _reached(nodes, targets, past_people=False) if has_effect(nodes[name])
            ]
        else:
            reached = [name for name in _reached(nodes, targets, past_people=True) if name in names]
        if reached:
            covered[outcome] = tuple(reached)
    return covered


def has_effect(node: Any) -> bool:
    """Whether a compiled node does something outside of its run, or may have steps of its own that do."""
    if node.spec.begins_run or node.part is not None:
        return True
    return node.kind in ("blocking", "external") or (node.body is not None and has_effect(node.body))


def _reached(nodes: Mapping[str, Any], targets: Iterable[str], *, past_people: bool) -> list[str]:
    """The nodes that are reached from these, and they themselves, in their order."""
    reached: set[str] = set()
    pending = list(targets)
    while pending:
        name = pending.pop()
        if name in reached or (nodes[name].spec.asks_people and not past_people):
            continue
        reached.add(name)
        pending += nodes[name].targets
    return [name for name in nodes if name in reached]


def is_decided(graph: Any, step: str) -> bool:
    """Whether each way to a step of a graph (`graph.Graph`) leads through a decision in it that covers the step."""
    deciders = graph.coverage.deciders.get(step, ())
    reached: set[tuple[str, bool]] = set()
    pending = [(name, False) for name in graph.starts]
    while pending:
        name, is_covered = pending.pop()
        if (name, is_covered) in reached:
            continue
        reached.add((name, is_covered))
        if name == step and not is_covered:
            return False
        node = graph.nodes[name]
        if node.spec.asks_people:
            pending += _after_people(node, step if name in deciders else None)
        else:
            pending += ((target, is_covered) for target in node.targets)
    return True


def _after_people(node: Any, step: str | None) -> Iterator[tuple[str, bool]]:
    """Where a step that asks people leads to, and whether its decision covers `step` there.

    Without `covers` that is so until the next step that asks people, which is a start of its own.
    """
    by_decision = [edge.target for edge in node.edges if edge.kind == "branch" or node.on_error != "continue"]
    for target in node.targets:
        yield target, step is not None and target in by_decision
    for edge in (*node.error_edges, *node.boundary):
        yield edge.target, False


@dataclass(frozen=True, slots=True)
class Described:
    """A covered step as it is approved, or as it begins.

    `open`: the steps whose outputs it needs and that were not known then; None: all of it was known.
    """

    document: Mapping[str, Json]
    open: tuple[str, ...] | None

    @property
    def digest(self) -> str:
        """SHA-256 of the document, in hexadecimal."""
        return content_hash(self.document)


def described_before(
    nodes: Mapping[str, Any], name: str, scope: Mapping[str, Json], known: Collection[str]
) -> Described:
    """A step that has not begun, from what is known: `scope` and the outputs of the steps `known` in it."""
    node = nodes[name]
    sources = _Sources(nodes, node, known)
    origin, before = _input_before(node, sources, scope)
    document = _document(node, origin, lambda leaf: _shown(leaf, sources.of_param(leaf), before))
    needs = (*sources.of_input(), *(one for leaf in _leaves(node.params) for one in sources.of_param(leaf)))
    return Described(document, tuple(one for one in dict.fromkeys(needs) if one != NOW))


def _input_before(
    node: Any, sources: "_Sources", scope: Mapping[str, Json]
) -> tuple[dict[str, Json], Mapping[str, Json]]:
    """The input of a step that has not begun as its document has it, and the scope of its params."""
    if not node.predecessors:
        scope = {**scope, "prev": scope.get("input")}
    elif not sources.before:
        scope = {**scope, "prev": _output(scope, node.predecessors[0])}
    if node.mapping is None:
        return {"from": list(node.predecessors)} if sources.before else {"is": scope["prev"]}, scope
    origin = {"is": node.mapping.leaves(lambda leaf: _shown(leaf, sources.of_mapping(leaf), scope))}
    if not sources.of_input():
        try:
            return origin, {**scope, "prev": node.mapping.render(scope)}
        except ExpressionError:
            # The step will fail by it, too.
            pass
    return origin, scope


def described_at_begin(
    nodes: Mapping[str, Any], name: str, scope: Mapping[str, Json], value: Json, open: Sequence[str] | None
) -> Described:
    """A step that begins with the input `value`, as far as it was known while the steps `open` were not over."""
    node = nodes[name]
    sources = _Sources(nodes, node, [one for one in nodes if one not in (open or ())])
    origin: dict[str, Json] = {"is": value}
    if open is not None and node.mapping is not None:
        origin = {
            "is": node.mapping.leaves(
                lambda leaf: _unknown(leaf, sources.of_mapping(leaf)) or {"is": _at(value, leaf.keys)}
            )
        }
    elif open is not None and node.predecessors and sources.of_input():
        origin = {"from": list(node.predecessors)}
    return Described(_document(node, origin, lambda leaf: _shown(leaf, sources.of_param(leaf), scope)), None)


def text_of(node: Any) -> Json:
    """What a compiled node does, as it is written."""

    def text(leaf: Leaf) -> Json:
        return {"of": leaf.source}

    origin = None if node.mapping is None else node.mapping.leaves(text)
    return _document(node, {"of": origin}, text)


def differing_before(old: Any, new: Any, name: str, known: Collection[str]) -> list[str]:
    """The steps before a covered step that two graphs have not alike, but those `known` when it was decided.

    It is what they do, or in which case they lead to it.
    """
    ways = [_ways_to(graph, name, known) for graph in (old, new)]
    return sorted(one for one in {*ways[0], *ways[1]} if ways[0].get(one) != ways[1].get(one))


def leading_to(graph: Any, name: str) -> list[str]:
    """The steps of a graph that a step depends on: those before it, and those that may set variables which it or one of
    them reads.
    """
    names = {name, *graph.before(name)}
    if any(_reads_variables(graph.nodes[one]) for one in names):
        names |= {one.id for one in graph.nodes.values() if _may_set_variables(one)}
    return [one for one in graph.nodes if one in names and one != name]


def _reads_variables(node: Any) -> bool:
    reads = [node.params.refs, *(edge.when.refs for edge in node.edges if edge.when is not None)]
    reads += [node.mapping.refs] if node.mapping is not None else []
    return node.body is not None or any("vars" in refs.names or refs.every_step for refs in reads)


def _ways_to(graph: Any, name: str, known: Collection[str]) -> dict[str, Json]:
    before = [one for one in leading_to(graph, name) if one not in known]
    there = {*before, name}
    return {
        one: [
            text_of(graph.nodes[one]),
            graph.nodes[one].sets and graph.nodes[one].sets.leaves(lambda leaf: leaf.source),
            [
                [edge.target, edge.kind, edge.branch, edge.when and edge.when.source]
                for edge in (*graph.nodes[one].edges, *graph.nodes[one].error_edges)
                if edge.target in there
            ],
        ]
        for one in before
    }


def _document(node: Any, origin: Mapping[str, Json], fill: Any) -> dict[str, Json]:
    document = {"type": node.type, "input": origin, "params": node.params.leaves(fill)}
    return document | ({"body": dict(node.literal)} if node.literal else {})


def _unknown(leaf: Leaf, sources: Collection[str]) -> Json:
    """The text of an expression of which not all is known; None where all is."""
    return {"of": leaf.source, "from": sorted(sources)} if sources else None


def _shown(leaf: Leaf, sources: Collection[str], scope: Mapping[str, Json]) -> Json:
    """The value of an expression where all of it is known, else its text."""
    if unknown := _unknown(leaf, sources):
        return unknown
    try:
        return {"is": leaf.render(scope)}
    except ExpressionError:
        return {"of": leaf.source, "from": []}


def _at(value: Json, keys: Iterable[str | int]) -> Json:
    for key in keys:
        if isinstance(value, dict):
            value = value.get(key)
        else:
            value = (
                value[key] if isinstance(value, list) and isinstance(key, int) and key < len(value) else None
            )
    return value


def _output(scope: Mapping[str, Json], name: str) -> Json:
    return scope.get("steps", {}).get(name, {}).get("output")


def _leaves(template: Template) -> Iterator[Leaf]:
    leaves: list[Leaf] = []
    template.leaves(leaves.append)
    yield from leaves


class _Sources:
    """Which steps that are not over the values of a node come from."""

    def __init__(self, nodes: Mapping[str, Any], node: Any, known: Collection[str]) -> None:
        self._open = frozenset(nodes).difference(known)
        self._setters = [one.id for one in nodes.values() if _may_set_variables(one) and one.id in self._open]
        joined = len(node.predecessors) > 1
        self.before = tuple(one for one in node.predecessors if joined or one in self._open)
        mapping = (
            [self.of_mapping(leaf) for leaf in _leaves(node.mapping)] if node.mapping is not None else []
        )
        self._input = frozenset().union(*mapping) if node.mapping is not None else frozenset(self.before)

    def of_input(self) -> frozenset[str]:
        """Of the input as a whole."""
        return self._input

    def of_mapping(self, leaf: Leaf) -> frozenset[str]:
        """Of an expression of the node's `input`, which sees as `prev` what the steps before it gave."""
        return self._of(leaf.expressions, self.before)

    def of_param(self, leaf: Leaf) -> frozenset[str]:
        """Of an expression of its params, which sees its input as `prev`."""
        return self._of(leaf.expressions, self._input)

    def _of(self, expressions: Iterable[Expression], before: Iterable[str]) -> frozenset[str]:
        sources: set[str] = set()
        for expression in expressions:
            refs = expression.refs
            sources |= self._open if refs.every_step else refs.steps & self._open
            sources |= set(before) if "prev" in refs.names else set()
            sources |= set(self._setters) if "vars" in refs.names else set()
            if any(path in (("run",), ("run", "now")) for path in expression.paths):
                sources.add(NOW)
        return frozenset(sources)


def _may_set_variables(node: Any) -> bool:
    """Whether a compiled node, who works on it, or what is below it may set variables of the run."""
    return node.sets is not None or node.kind == "external" or node.body is not None or node.spec.begins_run
