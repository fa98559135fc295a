"""Pure: the definition of a test run. It is the definition itself, cut to what is asked for, with stand-ins for what is
not to happen (docs/decisions/0011)."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Literal

from engine.bodies import body_of, steps_within
from engine.catalogue import BODY, Json
from engine.cel_reads import References, union
from engine.errors import EngineError, TooMuchWork
from engine.graph import compensation_of
from engine.plain import body_in_holes
from engine.ports import outcomes_of
from engine.problems import Problem
from engine.templates import compile_template
from lib import refusals
from lib.refusals import Invalid
from lib.strict_json import BadJson
from steps.base import StepType
from steps.catalogue import CATALOGUE
from steps.stub import STUB_TYPE, literal
from workflows.document.specimens import answer_specimen, specimen

Node = dict[str, Json]
Why = Literal["pinned", "side_effects", "waits", "outside"]

_KEPT_BY_STUBS = ("id", "title", "input", "join", "set_vars", "allow_no_match", "priority", "boundary_timers")
_OF_THE_WHOLE = ("output", "next_workflow", "request")
IN_MEMORY = ("inline", "engine")


@dataclass(frozen=True, slots=True)
class Stubbed:
    """A step that a test run doesn't do; `made_up`: nobody said what it gives, it is a sample."""

    node: str
    why: Why
    made_up: bool

    def as_dict(self) -> dict[str, Json]:
        """As the API gives it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class TrialOptions:
    """How a test run is to be cut. `live`: the steps that happen whatever they do. `outcomes`: what people decide.

    `errors`: the steps that fail, each with its `{code, message}`. `in_memory`: nobody outside is asked anything.
    `spares`: what steps give that aren't done, where nothing else is said of them.
    """

    pins: Mapping[str, Json] = field(default_factory=dict)
    spares: Mapping[str, Json] = field(default_factory=dict)
    until: str | None = None
    only: str | None = None
    live: Collection[str] = frozenset()
    outcomes: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)
    in_memory: bool = False


@dataclass(frozen=True, slots=True)
class Trial:
    """The definition of a test run, and what doesn't happen in it. `nodes` and `edges`: which ones they were."""

    definition: dict[str, Json]
    stubbed: tuple[Stubbed, ...]
    nodes: tuple[int, ...]
    edges: tuple[int, ...]

    def in_the_original(self, problem: Problem) -> Problem:
        """A problem of this definition with the field where it stands in the one that it was made of."""
        for name, places in (("nodes", self.nodes), ("edges", self.edges)):
            head, bracket, rest = problem.field.partition("]")
            if bracket and head.startswith(f"{name}["):
                return replace(problem, field=f"{name}[{places[int(head[len(name) + 1 :])]}]{rest}")
        return problem


def is_sound(native: Json) -> bool:
    """Whether a definition can be made a test run's at all: steps that are told apart, of types, and edges."""
    if not isinstance(native, dict) or not isinstance(native.get("nodes"), list) or not native["nodes"]:
        return False
    nodes, edges = native["nodes"], native.get("edges") or []
    if not all(isinstance(node, dict) and isinstance(node.get("id"), str) for node in nodes):
        return False
    ids = {node["id"] for node in nodes}
    fits = isinstance(edges, list) and all(
        isinstance(edge, dict) and {edge.get("from"), edge.get("to")} <= ids
        for edge in edges
        if _has_ends(edge)
    )
    timers = [timer for node in nodes for timer in _timers(node)]
    return (
        fits
        and all(map(_has_ends, edges))
        and len(ids) == len(nodes)
        and all(
            isinstance(timer, dict) and isinstance(timer.get("to"), str) and timer["to"] in ids
            for timer in timers
        )
        and all(isinstance(node.get("params") or {}, dict) for node in nodes)
    )


def _has_ends(edge: Json) -> bool:
    return isinstance(edge, dict) and isinstance(edge.get("from"), str) and isinstance(edge.get("to"), str)


def trial_definition(definition: Mapping[str, Json], options: TrialOptions) -> Trial:
    """The definition of a test run of a sound one in the native dialect.

    Raises Invalid for steps that are not there, and for outcomes that nobody can choose.
    """
    _check(definition, options)
    return _Cut(definition, options).trial()


def _check(definition: Mapping[str, Json], options: TrialOptions) -> None:
    ids = {node["id"] for node in definition["nodes"]}
    inner = {step["id"] for node in definition["nodes"] for step in steps_within(node, CATALOGUE)}
    if options.until is not None and options.only is not None:
        raise Invalid("Give `until` or `only`, not both.", field="only")
    for name in ("until", "only"):
        node = getattr(options, name)
        if node is not None and node not in ids:
            raise Invalid(f"There is no step {node}.", field=name)
    for name in ("live", "outcomes"):
        for node in getattr(options, name):
            if node not in ids | inner:
                raise Invalid(f"There is no step {node}.", field=f"{name}.{node}")


class _Cut:
    """One definition on its way to be a test run's."""

    def __init__(self, definition: Mapping[str, Json], options: TrialOptions) -> None:
        self.definition = definition
        self.options = options
        self.nodes: dict[str, Node] = {node["id"]: node for node in definition["nodes"]}
        self.edges: list[dict[str, Json]] = list(definition.get("edges") or ())
        self.before: dict[str, list[str]] = {name: [] for name in self.nodes}
        for source, target in self._leads():
            if source not in self.before[target]:
                self.before[target].append(source)
        self.stubbed: list[Stubbed] = []
        self.target = options.only or options.until

    def _leads(self) -> Iterator[tuple[str, str]]:
        yield from ((edge["from"], edge["to"]) for edge in self.edges)
        yield from ((name, timer["to"]) for name, node in self.nodes.items() for timer in _timers(node))

    def trial(self) -> Trial:
        if self.options.only is not None:
            nodes, edges = self._alone(self.options.only)
        else:
            nodes, edges = self._part(self._part_names())
        places = {name: place for place, name in enumerate(self.nodes)}
        positions = {
            name: place
            for step, place in places.items()
            for name in (step, *(within["id"] for within in steps_within(self.nodes[step], CATALOGUE)))
        }
        positions |= {compensation_of(name): place for name, place in positions.items()}
        part_nodes = sorted(nodes, key=lambda node: places[node["id"]])
        settings = {key: value for key, value in self.definition.items() if not self._is_dropped(key)}
        definition = settings | {"nodes": part_nodes, "edges": [edge for _, edge in edges]}
        stubbed = sorted(self.stubbed, key=lambda one: positions[one.node])
        return Trial(
            definition,
            tuple(stubbed),
            tuple(places[node["id"]] for node in part_nodes),
            tuple(at for at, _ in edges),
        )

    def _is_dropped(self, key: str) -> bool:
        """What speaks of the whole workflow says nothing of a part; a test is in no hurry and starts nothing else."""
        if key in ("sla_seconds", "sla_working_days", "sla_calendar", "sla_pauses", "next_workflow"):
            return True
        if self.options.only is not None and key in ("business_key", "input_schema"):
            return True
        return key in _OF_THE_WHOLE and self.target is not None

    def _part_names(self) -> set[str]:
        return set(self.nodes) if self.target is None else {self.target, *self._behind(self.target)}

    def _behind(self, name: str) -> set[str]:
        """All that may come before a node."""
        names: set[str] = set()
        pending = list(self.before[name])
        while pending:
            if (source := pending.pop()) not in names:
                names.add(source)
                pending += self.before[source]
        return names

    def _part(self, names: set[str]) -> tuple[list[Node], list[tuple[int, dict[str, Json]]]]:
        """These nodes with the edges among them. Where an edge that leads out of them has a say in which others are
        taken, a stand-in remains at its end."""
        edges, outside = [], dict[str, None]()
        for at, edge in enumerate(self.edges):
            if edge["from"] not in names or edge["from"] == self.target:
                continue
            if edge["to"] not in names:
                if not self._decides(edge["from"]):
                    continue
                outside[edge["to"]] = None
            edges.append((at, edge))
        nodes = [self._node(self.nodes[name]) for name in self.nodes if name in names]
        for node in nodes:
            if node["id"] == self.target:
                node.pop("boundary_timers", None)
            outside |= dict.fromkeys(timer["to"] for timer in _timers(node) if timer["to"] not in names)
        return [*nodes, *(self._outside(name) for name in outside)], edges

    def _decides(self, name: str) -> bool:
        """Whether an edge of the node may be dead because another one is taken."""
        edges = [edge for edge in self.edges if edge["from"] == name]
        step_type = CATALOGUE.get(str(self.nodes[name].get("type")))
        return (step_type is not None and step_type.decides) or any(
            edge.get(key) for edge in edges for key in ("branch", "when", "default")
        )

    def _alone(self, only: str) -> tuple[list[Node], list[tuple[int, dict[str, Json]]]]:
        """One node, with stand-ins for what it reads."""
        sources, behind = self.before[only], self._behind(only)
        references = _reads(self.nodes[only])
        read_names = behind if references.every_step else behind & references.steps
        rest = [name for name in self.nodes if name in read_names and name not in sources]
        node = self._node({key: value for key, value in self.nodes[only].items() if key != "join"})
        node.pop("boundary_timers", None)
        if node.get("on_error") == "branch":
            node.pop("on_error")
        edges = [(-1, {"from": one, "to": two}) for one in rest for two in sources]
        edges += [(-1, {"from": name, "to": only}) for name in sources]
        return [*(self._predecessor(name) for name in (*sources, *rest)), node], edges

    def _predecessor(self, name: str) -> Node:
        """What stands for a node before the only one: it gives what was said, and reads nothing."""
        return self._stub({"id": name, "type": self.nodes[name].get("type")}, "outside")

    def _outside(self, name: str) -> Node:
        self.stubbed.append(Stubbed(name, "outside", made_up=False))
        return _stub_of({"id": name}, "null", self.nodes[name].get("type"), "outside")

    def _node(self, node: Node) -> Node:
        why = self._why_not(node)
        return self._with_tested_body(self._with_stubbed_undo(node)) if why is None else self._stub(node, why)

    def _with_tested_body(self, node: Node) -> Node:
        """A container that is done: of what it does for each item the same is left out as elsewhere."""
        body = body_of(node, CATALOGUE)
        if body is None or node["id"] in self.options.live:
            return node
        if isinstance(body.get("steps"), list):
            tested = {**body, "steps": [self._node(step) for step in body["steps"]]}
        elif (why := self._why_left_out(_one_step(body))) is not None:
            step = _one_step(body)
            self.stubbed.append(Stubbed(node["id"], why, made_up=True))
            output = self._sample_output(step, CATALOGUE.get(str(step.get("type"))))
            stub = _stub_of(step, literal(output), step.get("type"), why)
            tested = {key: stub[key] for key in ("type", "title", "params") if key in stub}
        elif body_of(body, CATALOGUE) is not None:
            tested = self._with_tested_body({**body, "id": node["id"]})
            del tested["id"]
        else:
            return node
        params = {key: value for key, value in (node.get("params") or {}).items() if key != "workflow"}
        return {**node, "params": {**params, BODY: tested}}

    def _with_stubbed_undo(self, node: Node) -> Node:
        """A node that is done: what undoes it is as real as it is, but reaches nobody and waits for nobody either."""
        name, undo = node["id"], node.get("compensate")
        if name in self.options.live or not isinstance(undo, dict):
            return dict(node)
        if (why := self._why_left_out(undo)) is None:
            return dict(node)
        self.stubbed.append(Stubbed(compensation_of(name), why, made_up=False))
        stub = _stub_of({key: undo[key] for key in ("title",) if key in undo}, "null", undo.get("type"), why)
        return {**node, "compensate": stub}

    def _why_not(self, node: Node) -> Why | None:
        """Why a node is not done; None: it is."""
        name = node["id"]
        if name != self.options.only and (name in self.options.pins or name in self.options.errors):
            return "pinned"
        return None if name in self.options.live else self._why_left_out(node)

    def _why_left_out(self, node: Node) -> Why | None:
        """Why a step or a compensation of this type and with these params is not done where it is not `live`."""
        step_type = CATALOGUE.get(str(node.get("type")))
        if step_type is None or step_type.collects is not None:
            return None
        params = node.get("params")
        spec = step_type.with_params(params if isinstance(params, dict) else {})
        if spec.kind == "wait":
            return "waits"
        if spec.has_side_effects:
            return "side_effects"
        return "outside" if self.options.in_memory and spec.kind not in IN_MEMORY else None

    def _stub(self, node: Node, why: Why) -> Node:
        name, kind = node["id"], node.get("type")
        original, step_type = self.nodes.get(name, node), CATALOGUE.get(str(kind))
        outputs = {**self.options.spares, **self.options.pins}
        has_output = name in outputs
        made_up = not (has_output or name in self.options.errors)
        output = outputs[name] if has_output else self._sample_output(original, step_type)
        self.stubbed.append(Stubbed(name, "pinned" if has_output and why == "outside" else why, made_up))
        try:
            stub = _stub_of(node, literal(output), kind, why)
        except BadJson as bad:
            raise Invalid(
                f"What {name} gives can't be stored: {bad.message}.", field=f"pins.{name}"
            ) from None
        if (error := self.options.errors.get(name)) is not None:
            stub["params"]["error"] = literal({"code": error["code"], "message": error["message"]})
        if step_type is not None and step_type.asks_people and _has_port(original, output):
            # Its path may end with an outcome for which no edge is there.
            stub["allow_no_match"] = True
        if step_type is not None and why != "outside":
            stub["on_error"] = (
                node.get("on_error") or step_type.with_params(original.get("params") or {}).on_error
            )
        return stub

    def _sample_output(self, node: Node, step_type: StepType | None) -> Json:
        schema = step_type.output_schema(node.get("params") or {}) if step_type else None
        asks_people = step_type is not None and step_type.asks_people
        try:
            output = answer_specimen(schema, "data") if schema and asks_people else specimen(schema)
        except TooMuchWork as error:
            message = f"No output can be made up for {node['id']}: {error}; pin one."
            raise refusals.TooMuchWork(f"nodes.{node['id']}", error.budget, message) from None
        if (outcome := self.options.outcomes.get(node.get("id", ""))) is None:
            return output
        outcomes = ((schema or {}).get("properties") or {}).get("outcome")
        if not isinstance(outcomes, dict) or step_type is None or step_type.kind != "wait":
            raise Invalid(f"{node['id']} asks nobody.", field=f"outcomes.{node['id']}")
        choices = outcomes.get("enum", [outcome])
        if outcome not in choices:
            message = f"{node['id']} ends with {', '.join(map(str, choices))}, not with {outcome}."
            raise Invalid(message, field=f"outcomes.{node['id']}")
        return output | {"outcome": outcome, "branch": outcome}


def _stub_of(node: Node, output: str, kind: Json, why: Why) -> Node:
    fields = {key: node[key] for key in _KEPT_BY_STUBS if key in node}
    params: Node = {"output": output, "stands_for": str(kind), "why": why}
    step_type = CATALOGUE.get(str(kind))
    if step_type is not None and step_type.decides:
        params["decides"] = True
    return fields | {"type": STUB_TYPE, "params": params}


def _has_port(node: Node, output: Json) -> bool:
    """Whether what a step gives is an outcome of it, as far as these are known."""
    outcomes = outcomes_of(CATALOGUE[node["type"]], node.get("params") or {})
    branch = output.get("branch") if isinstance(output, dict) else None
    return branch is not None and (not outcomes or branch in outcomes)


def _one_step(body: Mapping[str, Json]) -> Node:
    """A body that is one step, or the run of a workflow."""
    if body.get("workflow") is None:
        return dict(body)
    return {"type": "subworkflow", "params": {"workflow": body["workflow"]}}


def _timers(node: Node) -> list[dict[str, Json]]:
    timers = node.get("boundary_timers")
    return timers if isinstance(timers, list) else []


def _reads(node: Node) -> References:
    """What the expressions of a node read; of those that don't compile nothing is known, and `validate` tells."""
    whole = body_in_holes(node, CATALOGUE)
    return union(_read(whole.get(key)) for key in ("params", "input"))


def _read(template: Json) -> References:
    nothing: Iterable[References] = ()
    try:
        return union(nothing) if template is None else compile_template(template).refs
    except EngineError:
        return union(nothing)
