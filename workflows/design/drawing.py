"""A definition as a picture for people: its steps in the order of the work, branches set in below where they part."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from engine.bodies import bodies_of, edges_of
from engine.catalogue import Json
from engine.dialects import DialectError, to_native
from engine.durations import parse_duration, working_days_of
from engine.limits import WORKFLOW_NODES
from engine.step_titles import card_lines, step_title
from steps.catalogue import CATALOGUE
from workflows.design.ends import ends_in_words

_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))
_BARRED = {
    "exclude_requester": "not by who started the run",
    "exclude_deciders": "not by who decided before",
}


@dataclass(slots=True)
class Drawn:
    """One step of the picture. `way` says when it is reached, `after` names the branches that meet in it, `ends` which
    outcomes lead nowhere, `mark` what became of it where two definitions are compared: new, changed or gone.
    """

    id: str
    title: str
    type_title: str
    icon: str
    about: str = ""
    depth: int = 0
    way: str = ""
    after: list[str] = field(default_factory=list)
    ends: str = ""
    mark: str = ""

    @property
    def lines(self) -> tuple[str, str]:
        """What stands on its card."""
        return card_lines(self.title, self.id, self.type_title)


@dataclass(frozen=True, slots=True)
class Drawing:
    """The steps of a definition; `is_chain` where each has one step after it at most."""

    steps: list[Drawn]
    is_chain: bool
    left_out: int = 0


def draw(document: Json) -> Drawing:
    """The picture of a definition of any dialect; empty for what can't be read as one."""
    try:
        native = to_native(document)
    except DialectError:
        return Drawing([], is_chain=True)
    steps = _level(native.get("nodes"), native.get("edges"), within=False)
    is_chain = not any(step.depth or step.way or step.after or step.ends for step in steps)
    return Drawing(steps[:WORKFLOW_NODES], is_chain, max(len(steps) - WORKFLOW_NODES, 0))


def _level(raw_nodes: Json, raw_edges: Json, *, within: bool) -> list[Drawn]:
    """The steps of a definition, or of a body in it; behind each container what it does for each item."""
    nodes = {node["id"]: node for node in _objects(raw_nodes) if isinstance(node.get("id"), str)}
    ends = [edge for edge in _objects(raw_edges) if {"from", "to"} <= set(edge)]
    edges = [
        edge
        for edge in [*ends, *_timer_edges(nodes)]
        if _is_in(edge["from"], nodes) and _is_in(edge["to"], nodes)
    ]
    steps = []
    for step in _lay_out(nodes, edges):
        inner = _inside(nodes[step.id])
        step.ends = ends_in_words(nodes[step.id], _objects(raw_edges), within=within)
        steps += [step, *(replace(each, depth=step.depth + each.depth + 1) for each in inner)]
    return steps


def _inside(node: Mapping[str, Json]) -> list[Drawn]:
    """The steps that it does for each item; where that is a container itself, those of that one."""
    for _, body in bodies_of(node, CATALOGUE):
        inner = _objects(body.get("steps"))
        if inner and all(isinstance(step.get("id"), str) for step in inner):
            return _level(inner, edges_of({**body, "steps": inner}), within=True)
    return []


def marked(
    drawing: Drawing, before: Drawing, marks: Mapping[str, Iterable[str]], gone: Iterable[str]
) -> Drawing:
    """The picture with marks on its steps, and with those behind it that are gone."""
    mark_of = {node: mark for mark, nodes in marks.items() for node in nodes}
    steps = [replace(step, mark=mark_of.get(step.id, "")) for step in drawing.steps]
    gone_ids = set(gone)
    gone_steps = [
        replace(step, mark="gone", depth=0, way="", after=[]) for step in before.steps if step.id in gone_ids
    ]
    return replace(drawing, steps=[*steps, *gone_steps])


def _objects(value: Json) -> list[dict[str, Json]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _timer_edges(nodes: Mapping[str, Mapping[str, Json]]) -> list[dict[str, Json]]:
    """The edges of boundary timers, which stand with their nodes."""
    return [
        {"from": name, "to": timer.get("to"), "on": "timer", "time": _time(timer)}
        for name, node in nodes.items()
        for timer in _objects(node.get("boundary_timers"))
    ]


def _time(timer: Mapping[str, Json]) -> str:
    """How long a boundary timer runs, in the largest unit that is whole."""
    if (days := working_days_of(str(timer.get("duration")))) is not None:
        return f"{days} working day{'' if days == 1 else 's'}"
    try:
        seconds = timer.get("after_seconds") or parse_duration(str(timer.get("duration"))).total_seconds()
    except ValueError:
        return "some time"
    for unit, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if isinstance(seconds, int | float) and seconds >= size and seconds % size == 0:
            count = int(seconds // size)
            return f"{count} {unit}{'s' if count > 1 else ''}"
    return f"{seconds:g} s" if isinstance(seconds, int | float) else "some time"


def _is_in(end: Json, nodes: Mapping[str, Json]) -> bool:
    return isinstance(end, str) and end in nodes


def _lay_out(nodes: Mapping[str, Json], edges: Sequence[Mapping[str, Json]]) -> list[Drawn]:
    """Depth first, so that a branch stands together; a step with several ways in, when the last of them is drawn."""
    into: dict[str, list[Mapping[str, Json]]] = {node: [] for node in nodes}
    out: dict[str, list[Mapping[str, Json]]] = {node: [] for node in nodes}
    for edge in edges:
        into[edge["to"]].append(edge)
        out[edge["from"]].append(edge)
    steps: dict[str, Drawn] = {}
    ready = [node for node in reversed(list(nodes)) if not into[node]]
    missing = {node: len(ways) for node, ways in into.items()}
    while ready:
        node = ready.pop()
        steps[node] = _draw_step(nodes[node], into[node], out, steps)
        for edge in reversed(out[node]):
            missing[edge["to"]] -= 1
            if not missing[edge["to"]]:
                ready.append(edge["to"])
    # A circle has no beginning: a draft may have one.
    rest = [_face(nodes[node]) for node in nodes if node not in steps]
    return [*steps.values(), *rest]


def _draw_step(
    node: Mapping[str, Json],
    ways: Sequence[Mapping[str, Json]],
    out: Mapping[str, Sequence[Json]],
    steps: Mapping[str, Drawn],
) -> Drawn:
    step = _face(node)
    if len(ways) == 1:
        before = ways[0]["from"]
        # A way out for when things go wrong, or take too long: it alone does not part the way.
        ways_on = [edge for edge in out[before] if not edge.get("on")]
        parts = len(ways_on) > 1 or ways[0] not in ways_on
        step.depth = steps[before].depth + parts
        step.way = _way(ways[0]) or ("at the same time" if parts else "")
    elif not ways and steps:
        step.way = "from the start"
    elif ways:
        step.depth = max(min(steps[way["from"]].depth for way in ways) - 1, 0)
        step.after = [steps[way["from"]].title for way in ways]
    return step


def _way(edge: Mapping[str, Json]) -> str:
    if edge.get("on") == "error":
        return "on error"
    if edge.get("on") == "timer":
        return f"after {edge['time']}"
    if edge.get("default"):
        return "otherwise"
    condition = edge.get("branch") or edge.get("when")
    return f"if {condition}" if condition else ""


def _face(node: Mapping[str, Json]) -> Drawn:
    kind = str(node.get("type", ""))
    step_type = CATALOGUE.get(kind)
    return Drawn(
        id=node["id"],
        title=step_title(node, CATALOGUE),
        type_title=step_type.title if step_type else kind,
        icon=step_type.icon if step_type else "circle-help",
        about=_about(node),
    )


def _about(node: Mapping[str, Json]) -> str:
    """Its params in a few words."""
    params = node.get("params")
    step_type = CATALOGUE.get(str(node.get("type")))
    phrases = (
        (_approval_words if step_type and step_type.asks_people else _in_words)(params.items())
        if isinstance(params, dict)
        else []
    )
    if node.get("queue"):
        phrases.append(f"queue {node['queue']}")
    return ", ".join(phrases)


def _approval_words(params: Iterable[tuple[str, Json]]) -> list[str]:
    """What people are asked, who may not decide, and until when."""
    values = dict(params)
    quorum = values.get("quorum")
    need = quorum.get("need") if isinstance(quorum, dict) else quorum
    phrases = [f"“{values['title']}”"] if isinstance(values.get("title"), str) else []
    if isinstance(need, int | str) and need != 1 and len(str(need)) < 10:
        phrases.append(f"{need} must agree")
    phrases += [words for name, words in _BARRED.items() if values.get(name) is True]
    days = values.get("due_working_days")
    if isinstance(days, int) and days > 0:
        phrases.append(f"within {days} working day{'' if days == 1 else 's'}")
    due = values.get("due_seconds")
    if isinstance(due, int | float) and due > 0:
        size, unit = next((size, unit) for size, unit in _UNITS if due >= size or size == 1)
        count = round(due / size, 1)
        phrases.append(f"within {count:g} {unit}{'' if count == 1 else 's'}")
    return phrases


def _in_words(params: Iterable[tuple[str, Json]]) -> list[str]:
    phrases = []
    for name, value in params:
        words = name.replace("_", " ")
        if value is True:
            phrases.append(words)
        elif value is False:
            phrases.append(f"not {words}")
        elif isinstance(value, list):
            phrases.append(f"{len(value)} {words}")
        elif isinstance(value, int | float) or (isinstance(value, str) and _is_short(value)):
            phrases.append(f"{words} {value}")
    return phrases


def _is_short(value: str) -> bool:
    """Whether it says something at a glance: what is only known in a run does not."""
    return len(value) <= 60 and not (value.startswith("{{") and value.endswith("}}"))
