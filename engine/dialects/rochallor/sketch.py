"""A definition of ours as steps of rochallor: which nodes are steps, and what is said of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.canonical import canonical_bytes
from engine.catalogue import Json
from engine.dialects.base import DialectError, Document, cannot_say
from engine.dialects.rochallor.grammar import BadText, Name, every, parsed, parsed_cel
from engine.dialects.rochallor.hints import KEY, kept_in
from engine.dialects.rochallor.reading import Edge, Node, literal
from engine.dialects.rochallor.rules import expression_in
from engine.dialects.rochallor.shape import (
    DECISION,
    END,
    JOIN,
    PARALLEL,
    SERVICE,
    TRANSFORMATION,
    USER,
    WAIT,
    Step,
)
from engine.dialects.rochallor.spelling import text
from engine.errors import ExpressionInvalid
from engine.holes import split_holes
from engine.problems import quoted

TYPES: Mapping[Json, str] = {
    "job": SERVICE,
    "human.form": USER,
    "decision": DECISION,
    "transform": TRANSFORMATION,
    "signal": WAIT,
    "parallel": PARALLEL,
    "join": JOIN,
    "end": END,
}
AROUND = ("name", "title", "description", "next_workflow", "output")
_PLAIN = {"from", "to"}


def refusal(message: str, place: str = "") -> DialectError:
    """What is answered for what rochallor can't say."""
    return cannot_say(KEY, message, place)


@dataclass
class Sketch:
    """A definition as it is to be said. `choices`, `copies`: as in `Read`; `names`: step ids by node."""

    nodes: list[Node]
    edges: list[Edge]
    places: Mapping[str, str]
    choices: dict[str, str] = field(default_factory=dict)
    copies: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    @property
    def said(self) -> list[Node]:
        """The nodes that are steps of rochallor."""
        beside = {*self.choices.values(), *self.copies.values()}
        return [node for node in self.nodes if node["id"] not in beside]

    def leaving(self, node: str) -> list[Edge]:
        """The edges from a node, in their order."""
        return [edge for edge in self.edges if edge.get("from") == node]

    def name(self, node: Json) -> str:
        """The id of the step that an edge to this node leads to."""
        original = next((end for end, copy in self.copies.items() if copy == node), node)
        return self.names.get(original, str(original))


def sketched(definition: Document, hints: Mapping[str, Mapping[str, Json]]) -> Sketch:
    """Which nodes are steps, and which stand beside one. Raises DialectError."""
    nodes, edges = _objects(definition, "nodes"), _objects(definition, "edges")
    places = {str(node.get("id")): f"nodes[{at}]" for at, node in enumerate(nodes)}
    for node in nodes:
        place = places[str(node.get("id"))]
        if node.get("type") not in TYPES:
            raise refusal(
                f"It has no steps like those of the type {quoted(str(node.get('type')))}.", f"{place}.type"
            )
    for at, edge in enumerate(edges):
        if len({key for key, value in edge.items() if value is not None} - _PLAIN - {"when", "default"}):
            raise refusal("It has no such edges between steps.", f"edges[{at}]")
    sketch = Sketch(_entry_first(nodes, edges), edges, places)
    kinds = {node["id"]: node["type"] for node in nodes}
    for name, hint in hints.items():
        choice, original = str(hint.get("choice")), str(hint.get("copy_of"))
        ends = [edge.get("to") for edge in sketch.leaving(name)]
        sources = [edge.get("from") for edge in edges if edge.get("to") == choice]
        if kinds.get(choice) == "decision" and (ends, sources) == ([choice], [name]):
            sketch.choices[name] = choice
        if kinds.get(name) == kinds.get(original) == "end":
            sketch.copies[original] = name
    for node in sketch.said:
        fields = kept_in(hints.get(node["id"], {}))
        sketch.names[node["id"]] = str(fields.get("id") or _signal(node) or node["id"])
    return sketch


def _entry_first(nodes: list[Node], edges: list[Edge]) -> list[Node]:
    """The nodes with the one before which none stands in front: there a workflow of rochallor begins."""
    targets = {edge.get("to") for edge in edges}
    targets |= {timer.get("to") for node in nodes for timer in node.get("boundary_timers") or ()}
    starts = [node for node in nodes if node["id"] not in targets]
    if len(starts) > 1:
        place = f"nodes[{nodes.index(starts[1])}]"
        raise refusal(f"It begins with one step, and {quoted(starts[1]['id'])} would be a second one.", place)
    return starts + [node for node in nodes if node not in starts]


def _signal(node: Node) -> Json:
    """The name of the signal that a node waits for: in rochallor that is the step's id."""
    params = node.get("params")
    return _plain(params.get("name")) if node["type"] == "signal" and isinstance(params, Mapping) else None


def _objects(definition: Document, key: str) -> list[dict[str, Json]]:
    value = definition.get(key) or []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise refusal(f"{quoted(key)} is not a list of objects.", key)
    if key == "nodes" and not all(isinstance(item.get("id"), str) for item in value):
        raise refusal("A step has no id.", key)
    return value


def said_around(definition: Document) -> dict[str, Json]:
    """What stands around the steps."""
    name = definition.get("name")
    document: dict[str, Json] = {"id": name, "name": definition.get("title") or name}
    if definition.get("description"):
        document["description"] = definition["description"]
    if definition.get("next_workflow"):
        document |= {"autoStartNextWorkflow": True, "nextWorkflowId": definition["next_workflow"]}
    return document


def said_of(node: Node, sketch: Sketch) -> Step:
    """A node as a step, as far as rochallor has words; the rest is found when it is read again."""
    kind, name = TYPES[node["type"]], sketch.names[node["id"]]
    step: Step = {"id": name, "name": node.get("title") or name, "type": kind}
    edges, params = sketch.leaving(node["id"]), node.get("params") or {}
    targets = [sketch.name(edge.get("to")) for edge in edges]
    if kind == SERVICE:
        step["jobType"] = node.get("queue") or node["id"]
        retry = node.get("retry")
        if isinstance(retry, dict) and retry.get("max_retries"):
            step["retryCount"] = retry["max_retries"]
    if kind == TRANSFORMATION and isinstance(params.get("set"), dict):
        place = f"{sketch.places[node['id']]}.params.set"
        values = {key: _set_to(value, f"{place}.{key}") for key, value in params["set"].items()}
        step["transformations"] = _readers_first(values)
    if kind == PARALLEL:
        step |= {"parallelNextSteps": targets, "joinStep": _join_of(node["id"], sketch)}
    elif kind == DECISION or node["id"] in sketch.choices:
        branches = sketch.leaving(str(sketch.choices.get(node["id"], node["id"])))
        step["conditionalNextSteps"] = _conditions(branches, sketch)
    elif targets and kind != END:
        step["nextStep"] = targets[0]
    if node.get("boundary_timers"):
        step["boundaryEvents"] = [_timer(timer, sketch) for timer in node["boundary_timers"]]
    return step


def _timer(timer: Json, sketch: Sketch) -> dict[str, Json]:
    seconds = timer.get("after_seconds")
    return {
        "type": "TIMER",
        "duration": timer.get("duration") or f"PT{seconds}S",
        "interrupting": timer.get("interrupting") is not False,
        "targetStepId": sketch.name(timer.get("to")),
    }


def _conditions(edges: Sequence[Edge], sketch: Sketch) -> dict[str, Json]:
    conditions: dict[str, Json] = {}
    for edge in edges:
        place = f"edges[{sketch.edges.index(edge)}]"
        condition = "true"
        if edge.get("when") is not None:
            condition = _s4_text(edge["when"], f"{place}.when", marked=True)
        if condition in conditions:
            raise refusal("Two edges from a step have the same condition.", place)
        conditions[condition] = sketch.name(edge.get("to"))
    return conditions


def _s4_text(source: Json, place: str, *, marked: bool) -> str:
    try:
        return text(parsed_cel(str(source)), marked=marked)
    except BadText as fault:
        raise refusal(f"It has no words for the expression {quoted(str(source))}: {fault}.", place) from None


def _set_to(value: Json, place: str) -> Json:
    """What a transformation says of a value; a literal is one that means itself."""
    try:
        holes = [*split_holes(value)] if isinstance(value, str) else []
    except ExpressionInvalid as fault:
        raise refusal(f"An expression can't be read: {fault}.", place) from None
    if len(holes) == 1 and holes[0][0] and not _is_brace(holes[0][1]):
        return f"${{{_s4_text(holes[0][1].strip(), place, marked=False)}}}"
    plain = _plain(value)
    if plain is None and value is not None:
        raise refusal("It has no texts with expressions in them.", place)
    return plain


def _readers_first(values: Mapping[str, Json]) -> dict[str, Json]:
    """Transformations in an order in which each still sees what the others set as it was before the step."""
    reads = {key: _names_in(value) - {key} for key, value in values.items()}
    ordered: dict[str, Json] = {}
    while len(ordered) < len(values):
        left = [key for key in values if key not in ordered]
        unread = [key for key in left if not any(key in reads[other] for other in left)]
        ordered |= {key: values[key] for key in (unread or left)[:1]}
    return ordered


def _names_in(value: Json) -> frozenset[str]:
    """The variables that a transformation reads."""
    source = expression_in(value)
    if source is None:
        return frozenset()
    nodes = every(parsed(source, may_tell_time=True))
    return frozenset(node.path[0] for node in nodes if isinstance(node, Name))


def _is_brace(source: str) -> bool:
    return source.strip() == '"{{"'


def _plain(value: Json) -> Json:
    """The value that a template gives in which nothing is evaluated; None for any other."""
    if isinstance(value, str):
        try:
            parts = [*split_holes(value)]
        except ExpressionInvalid:
            return None
        if not all(_is_brace(part) for hole, part in parts if hole):
            return None
        return "".join("{{" if hole else part for hole, part in parts)
    if isinstance(value, list | dict):
        again = [_plain(item) for item in (value.values() if isinstance(value, dict) else value)]
        plain = dict(zip(value, again, strict=True)) if isinstance(value, dict) else again
        return plain if canonical_bytes(literal(plain)) == canonical_bytes(value) else None
    return value


def _join_of(node: str, sketch: Sketch) -> str:
    """The first join that the paths behind a node lead to, in the order of the steps."""
    kinds = {one["id"]: one["type"] for one in sketch.nodes}
    pending, seen, joins = [str(edge.get("to")) for edge in sketch.leaving(node)], set[str](), set[str]()
    while pending:
        name = pending.pop()
        if kinds.get(name) == "join":
            joins.add(name)
        elif name not in seen:
            seen.add(name)
            pending += [str(edge.get("to")) for edge in sketch.leaving(name)]
    return next((sketch.name(one["id"]) for one in sketch.nodes if one["id"] in joins), "")
