"""A definition compiled: nodes with their edges in order, what each one reads, and how joins decide."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from engine import bodies
from engine.approvals import Coverage, coverage_of
from engine.catalogue import BODY, Catalogue, Json, Kind, OnError, StepSpec
from engine.cel_reads import Path, union
from engine.expressions import Expression, References, compile_expression
from engine.links import Edge, Join, edge_of, is_sink, join_of, topological
from engine.plain import in_holes
from engine.ports import RULES, outcomes_of
from engine.results import result_of
from engine.retry import RetryPolicy, policy
from engine.step_titles import step_title
from engine.templates import Scope, Template, compile_template
from engine.timers import BoundaryTimer, WorkingDays, boundary_of
from engine.typed_texts import FACTS, TypedParams
from engine.value_types import Type, types_read


@dataclass(frozen=True, slots=True)
class Node:
    """One step of the graph with everything that running it and getting past it takes.

    `start_seconds`: how long it may be claimable before somebody begins it. `asks`: an operator says what becomes of
    its failure, which, left as it is, is one as `on_error` has it.
    `body`: of a container, what is done for each of its children, and as it was written among the `literal` params,
    of which nothing is evaluated; `container`: of a body, whose it is. `conditions`: of a loop, asked after each round.
    `part`: of a body that is several steps, their graph. `sets`: what variables of the run it sets.
    `is_sink`: the run waits for it. `outcomes`: those that end their path where no edge takes them (empty: any); None
    where that is an error. `types`: of a step that asks people, the types of the values that it reads by plain paths.
    """

    id: str
    index: int
    type: str
    title: str
    spec: StepSpec
    kind: Kind
    params: Template
    body: "Node | None"
    literal: Mapping[str, Json]
    container: str | None
    conditions: Mapping[str, Expression]
    part: "Graph | None"
    mapping: Template | None
    sets: Template | None
    join: Join
    predecessors: tuple[str, ...]
    edges: tuple[Edge, ...]
    error_edges: tuple[Edge, ...]
    boundary: tuple[BoundaryTimer, ...]
    undoes: str | None
    undoes_unknown: bool
    targets: tuple[str, ...]
    is_sink: bool
    on_error: OnError
    asks: bool
    allow_no_match: bool
    outcomes: tuple[str, ...] | None
    retry: RetryPolicy
    queue: str
    priority: int | None
    own_lease_seconds: int | None
    timeout_seconds: int | None
    start_seconds: int | None
    reads: References
    types: Mapping[Path, Type] = field(default_factory=dict)
    activity: str = ""

    @property
    def lease_seconds(self) -> int:
        """How long a worker may be silent: as the definition says, or as steps of its type may be."""
        return self.own_lease_seconds or self.spec.lease_seconds

    def render(self, scope: Scope, before_each: Callable[[], None] | None = None) -> dict[str, Json]:
        """The params, rendered as by `Template.render`; texts of a step that asks people may read its facts."""
        return dict(self.params.render(self._with_facts(scope, before_each), before_each))

    def typed(self, scope: Scope) -> TypedParams | None:
        """The params with the types of what they read; None of a step that asks nobody."""
        if not self.spec.asks_people:
            return None
        return TypedParams(self.params, self._with_facts(scope, None), self.types)

    def _with_facts(self, scope: Scope, before_each: Callable[[], None] | None) -> Scope:
        if not self.spec.asks_people or FACTS not in self.params.refs.names:
            return scope
        return {**scope, FACTS: self.params.below(FACTS).render(scope, before_each)}

    @property
    def is_join(self) -> bool:
        """Whether several predecessors must be counted before this node is decided."""
        return self.join.need > 1

    @property
    def is_timed(self) -> bool:
        """Whether timers run beside it, or it may wait for one."""
        return bool(self.boundary) or self.kind == "wait" or self.start_seconds is not None

    @property
    def fires_early(self) -> bool:
        """Whether steps before it may go on when it is decided: it doesn't wait for all of its edges."""
        return self.is_join and self.join.fires_early

    @property
    def is_rung(self) -> bool:
        """Whether its edges may be taken while it goes on."""
        return any(not timer.interrupting for timer in self.boundary)

    @property
    def decides(self) -> bool:
        """Whether it goes on by the first edge that holds."""
        return self.spec.decides

    def may_end(self, branch: Json) -> bool:
        """Whether its path may end with this outcome, which no conditional edge takes."""
        if self.allow_no_match:
            return True
        return self.outcomes is not None and branch is not None and branch in (self.outcomes or (branch,))

    @property
    def ends_run(self) -> bool:
        """Whether nothing else is waited for once it has completed."""
        return self.spec.ends_run

    @property
    def has_branches(self) -> bool:
        """Whether an edge of it names the branch that leads there."""
        return any(edge.kind == "branch" for edge in self.edges)

    @property
    def is_conditional(self) -> bool:
        """Whether a success edge of this node depends on its output."""
        return any(edge.kind != "always" for edge in self.edges)


@dataclass(frozen=True, slots=True)
class Graph:
    """An immutable compiled version; nodes are in topological order.

    `plain`: nothing is left open when its sinks are resolved. `is_part`: it is what a container does for an item.
    `compensations`: the steps that undo others (`charge:compensate`), by what they undo; no edge leads to them.
    `finishes_others`: when a step has failed for good, what doesn't depend on it goes on before the run fails.
    `undoes_together`: what does not depend on one another is undone at the same time.
    `coverage`: which steps the decisions of people cover.
    `result`: what the requester of a run gets, by label; a text has none. `result_types`: the types of the values that
    it reads by plain paths.
    `steps`: what a step row of a name does: the nodes, and the compensations by their own names.
    """

    nodes: Mapping[str, Node]
    compensations: Mapping[str, Node]
    undoes_together: bool
    finishes_others: bool
    steps: Mapping[str, Node]
    starts: tuple[str, ...]
    sinks: tuple[str, ...]
    output: Template | None
    plain: bool
    reads_at_start: References
    business_key: Template | None
    input_schema: Mapping[str, Json] | None
    sla_seconds: int | None
    sla_length: WorkingDays | None
    next_workflow: str | None
    is_part: bool
    sets_variables: bool
    coverage: Coverage
    result: Mapping[str, Template]
    result_types: Mapping[Path, Type]

    @property
    def strict_joins(self) -> tuple[str, ...]:
        """The joins that may be skipped although an edge into them was taken, but those of the first rules."""
        nodes = self.nodes.values()
        return tuple(
            node.id for node in nodes if node.is_join and node.join.is_strict and not node.join.gives_up
        )

    @property
    def begins_runs(self) -> bool:
        """Whether steps of it begin child runs."""
        steps = (step for node in self.nodes.values() for step in (node, node.body) if step is not None)
        return any(step.spec.begins_run for step in steps)

    @property
    def reads(self) -> References:
        """Everything that expressions of it read."""
        steps = [*self.steps.values(), *(node.body for node in self.nodes.values() if node.body)]
        mappings = [node.mapping.refs for node in steps if node.mapping]
        return union(
            [*(node.reads for node in steps), *mappings, *([self.output.refs] if self.output else [])]
        )

    def step(self, name: str, index: int | None) -> Node:
        """What a step row of this name does: a node, a compensation, or of a container's child its body.

        Raises KeyError where the version has no such step.
        """
        node = self.steps[name]
        if index is None:
            return node
        if node.body is None:
            raise KeyError(name)
        return node.body

    def before(self, name: str) -> list[str]:
        """The nodes on which this one depends, in their order."""
        names = {name}
        for node in reversed([*self.nodes.values()]):
            if node.id in names:
                names.update(node.predecessors)
        return [node for node in self.nodes if node in names and node != name]

    def beside(self, name: str) -> frozenset[str]:
        """The nodes that come neither before this one nor behind it."""
        return frozenset(self.nodes).difference([name], self.before(name), self.behind(name))

    def behind(self, name: str) -> list[str]:
        """The nodes that depend on this one, in their order."""
        names = {name}
        for node in self.nodes.values():
            if names.intersection(node.predecessors):
                names.add(node.id)
        return [node for node in self.nodes if node in names and node != name]

    @property
    def only_sink(self) -> str | None:
        """The sink that ends the run with its output: the only one, no `output` is defined, no run follows, and no
        child run may still undo what it did.
        """
        is_plain_end = len(self.sinks) == 1 and self.output is None and self.next_workflow is None
        return self.sinks[0] if is_plain_end and not self.begins_runs else None


NO_LITERAL: Mapping[str, Json] = {}


def compile_graph(definition: Mapping[str, Any], catalogue: Catalogue, rules: int = RULES) -> Graph:
    """Compile a valid definition of the native dialect by the `rules` under which it was published.

    Raises KeyError, ExpressionInvalid or ValueError for one that `validate` would refuse.
    """
    edges = [edge_of(index, edge) for index, edge in enumerate(definition.get("edges") or ())]
    for node in definition["nodes"]:
        edges += [Edge(len(edges), node["id"], one.target, "timer") for one in boundary_of(node)]
    order = topological([node["id"] for node in definition["nodes"]], edges)
    raw = {node["id"]: node for node in definition["nodes"]}
    places = {node["id"]: index for index, node in enumerate(definition["nodes"])}
    nodes: dict[str, Node] = {}
    # From the sinks up, so that a node knows what the engine steps behind it will read.
    for name in reversed(order):
        nodes[name] = _node(raw[name], places[name], edges, catalogue, nodes, rules)
    output, result = definition.get("output"), result_of(definition.get("request") or {})
    typed: dict[str | None, list[Template]] = {None: [*result.values()]}
    typed |= {name: [nodes[name].params] for name in order if nodes[name].spec.asks_people}
    types = types_read(definition, catalogue, typed)
    nodes = {name: replace(nodes[name], types=types.get(name, {})) for name in order}
    starts = tuple(name for name in places if not nodes[name].predecessors)
    compensations = {
        name: _undo(raw[name], catalogue, rules) for name in order if raw[name].get("compensate")
    }
    key, sla_days = definition.get("business_key"), definition.get("sla_working_days")
    return Graph(
        nodes=nodes,
        compensations=compensations,
        undoes_together=definition.get("compensation") == "parallel",
        finishes_others=definition.get("on_failure") == "finish_others",
        steps={**nodes, **{undo.id: undo for undo in compensations.values()}},
        starts=starts,
        sinks=tuple(name for name in order if nodes[name].is_sink),
        output=None if output is None else compile_template(output),
        plain=not _leaves_open(nodes),
        reads_at_start=union(entry_reads(nodes[name], nodes) for name in starts),
        business_key=None if key is None else compile_template(key),
        input_schema=definition.get("input_schema"),
        sla_seconds=definition.get("sla_seconds"),
        sla_length=WorkingDays(sla_days, definition.get("sla_calendar")) if sla_days else None,
        next_workflow=definition.get("next_workflow"),
        is_part=bool(definition.get("part_of")),
        sets_variables=any(node.sets for node in nodes.values()),
        coverage=coverage_of(nodes, {name: raw[name].get("params") or {} for name in order}),
        result=result,
        result_types=types.get(None, {}),
    )


def _leaves_open(nodes: Mapping[str, Node]) -> bool:
    """Whether something may go on when the last sink is resolved, or a step ends the run before that."""
    several_sinks = sum(1 for node in nodes.values() if node.is_sink) > 1
    return any(
        node.fires_early or node.is_rung or (node.ends_run and several_sinks) for node in nodes.values()
    )


def entry_reads(node: Node, nodes: Mapping[str, Node]) -> References:
    """What is read when `node` starts inside advance: its mapping, and what follows where it may end there."""
    parts = [node.mapping.refs] if node.mapping else []
    if node.kind == "engine" or node.mapping:
        # A mapping that can't be evaluated ends the step at once, and its edges are resolved.
        parts.append(node.reads)
    return union(parts)


def _node(
    raw: Mapping[str, Any],
    index: int,
    edges: list[Edge],
    catalogue: Catalogue,
    later: Mapping[str, Node],
    rules: int,
) -> Node:
    name, raw_params = raw["id"], {**catalogue[raw["type"]].defaults_by(rules), **(raw.get("params") or {})}
    spec = catalogue[raw["type"]].with_params(raw_params)
    body, literal = spec.body(raw_params), NO_LITERAL
    rounds = sorted(name for name in spec.conditions if raw_params.get(name))
    conditions_of_rounds = {name: compile_expression(raw_params[name]) for name in rounds}
    if body is not None:
        literal = {key: raw_params[key] for key in (BODY, *conditions_of_rounds) if key in raw_params}
        raw_params = {key: value for key, value in raw_params.items() if key not in literal}
    predecessors = tuple(dict.fromkeys(edge.source for edge in edges if edge.target == name))
    leaving, boundary = tuple(edge for edge in edges if edge.source == name), boundary_of(raw)
    targets = tuple(dict.fromkeys(edge.target for edge in leaving))
    params = compile_template(in_holes(spec, raw_params), spec.markdown)
    conditions = [edge.when.refs for edge in leaving if edge.when]
    onward = [entry_reads(later[target], later) for target in targets if not later[target].is_join]
    sets = compile_template(raw["set_vars"]) if raw.get("set_vars") else None
    own_reads = [*([sets.refs] if sets else []), *(one.refs for one in conditions_of_rounds.values())]
    return Node(
        id=name,
        index=index,
        type=raw["type"],
        title=step_title(raw, catalogue),
        spec=spec,
        kind=spec.kind,
        params=params,
        body=None if body is None else _body(raw, body, catalogue, rules),
        literal=literal,
        container=None,
        conditions=conditions_of_rounds,
        part=None,
        mapping=None if raw.get("input") is None else compile_template(raw["input"]),
        sets=sets,
        join=join_of(raw.get("join"), len(predecessors), rules),
        predecessors=predecessors,
        edges=tuple(edge for edge in leaving if edge.kind not in ("error", "timer")),
        error_edges=tuple(edge for edge in leaving if edge.kind == "error"),
        boundary=boundary,
        undoes=raw.get("undoes"),
        undoes_unknown=raw.get("compensate_on_unknown") is not False,
        targets=targets,
        is_sink=is_sink(leaving, boundary, rules),
        on_error="fail" if raw.get("on_error") == "ask" else raw.get("on_error") or spec.on_error,
        asks=raw.get("on_error") == "ask" and spec.kind != "engine",
        allow_no_match=bool(raw.get("allow_no_match")),
        outcomes=outcomes_of(spec, raw_params) if spec.asks_people and rules > 1 else None,
        retry=policy(raw.get("retry"), spec.retry),
        queue=raw.get("queue") or spec.default_queue or name,
        priority=raw.get("priority"),
        own_lease_seconds=raw.get("lease_seconds"),
        timeout_seconds=raw["timeout_seconds"] if raw.get("timeout_seconds") else spec.timeout_seconds,
        start_seconds=raw.get("schedule_to_start_seconds"),
        reads=union([params.refs, *conditions, *onward, *own_reads]),
    )


def compensation_of(node: str) -> str:
    """The name of the step that undoes a node, in history and in the API."""
    return f"{node}:compensate"


def _undo(raw: Mapping[str, Any], catalogue: Catalogue, rules: int) -> Node:
    """The step that compensates a node, as a node of its own without edges."""
    undo = {**raw["compensate"], "id": compensation_of(raw["id"]), "undoes": raw["id"]}
    undo["priority"] = raw.get("priority")
    undo["params"] = {**catalogue[undo["type"]].defaults_by(rules), **(undo.get("params") or {})}
    undo["title"] = undo.get("title") or f"Undo {step_title(raw, catalogue)}"
    return replace(_node(undo, 0, [], catalogue, {}, RULES), activity=raw["compensate"].get("name") or "")


def _body(raw: Mapping[str, Any], body: Mapping[str, Json], catalogue: Catalogue, rules: int) -> Node:
    """What is done for each child of a container: a node under the container's name, without edges.

    That it fails is the container's to judge.
    """
    step, inner = dict(bodies.as_step(body, catalogue)), None
    if part := bodies.definition_of(raw, body, catalogue):
        inner = compile_graph(part, catalogue, rules)
        step["params"] = {"given": bodies.given(inner.reads, frozenset(inner.nodes))}
    raw_step = {**step, "id": raw["id"], "title": step_title(raw, catalogue), "priority": raw.get("priority")}
    node = _node(raw_step, 0, [], catalogue, {}, rules)
    return replace(node, container=raw["id"], part=inner, on_error="continue")
