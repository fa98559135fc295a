"""What a container does for each of its items: one step, a workflow, or steps of its own. Pure.

Steps of its own, and a step that waits, run as a run of their own (a *part*): its input is what their expressions see
of the container's run, and its graph a definition that nobody publishes.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, Final, NamedTuple

from engine.catalogue import BODY, Catalogue, Json
from engine.cel_reads import References

PART: Final = "part"
"""The step type of a child that is a run of the container's own steps."""
ONLY_STEP: Final = "step"
"""What the step of a part is called that has but one, of a type that waits."""
OF_ONE_STEP: Final = ("retry", "timeout_seconds", "queue")
"""What a body of one step may say of it beside its type and params, as a node does; no expressions."""
HANDED_ON = ("business_key", "created_by", "id", "tenant", "workflow")
"""What expressions of a part see of the run that has the container, as `run`."""

Document = Mapping[str, Json]


def body_of(node: Json, catalogue: Catalogue) -> Document | None:
    """What a node, of whatever quality, does for each child; None where it is no container, or doesn't say it."""
    if not isinstance(node, Mapping) or not isinstance(node.get("type"), str):
        return None
    spec, params = catalogue.get(node["type"]), node.get("params")
    body = spec.body(params) if spec is not None and isinstance(params, Mapping) else None
    return body if isinstance(body, Mapping) else None


def bodies_of(node: Json, catalogue: Catalogue, field: str = "") -> Iterator[tuple[str, Document]]:
    """The body of a node that stands at `field`, and where that is a container itself the body of that, each with its
    place."""
    while (body := body_of(node, catalogue)) is not None:
        node, field = body, f"{field}.params.{BODY}"
        yield field, body


def every_step(nodes: Json, catalogue: Catalogue) -> Iterator[tuple[str, Json]]:
    """Every step of a list as it stands, and of the containers in it, however deep: where it is, and what it is."""
    lists = deque([("nodes", nodes)])
    while lists:
        field, raw = lists.popleft()
        for at, step in enumerate(raw if isinstance(raw, list) else ()):
            place = f"{field}[{at}]"
            yield place, step
            nested = bodies_of(step, catalogue, place)
            lists.extend((f"{where}.steps", body.get("steps")) for where, body in nested)


def steps_within(node: Json, catalogue: Catalogue) -> Iterator[Document]:
    """The steps with ids that a node, of whatever quality, does for each child; those of containers among them, too."""
    _, *inner = every_step([node], catalogue)
    return (step for _, step in inner if isinstance(step, Mapping) and isinstance(step.get("id"), str))


class Activity(NamedTuple):
    """What a definition does at `field`: a step as it stands there, and the id of its node.

    `among`: the `nodes` and `edges` that it is one of; None of what undoes a step, and of a container's only step.
    """

    field: str
    step: Document
    id: str
    among: Document | None


def all_it_does(native: Document, catalogue: Catalogue) -> Iterator[Activity]:
    """Everything that a definition, which must be valid, may do: each step, what undoes it, and what it does for each
    item, however deep.
    """
    for at, node in enumerate(native["nodes"]):
        yield from _all_done_by(Activity(f"nodes[{at}]", node, node["id"], native), catalogue)


def _all_done_by(activity: Activity, catalogue: Catalogue) -> Iterator[Activity]:
    yield activity
    field, step, id, _ = activity
    if undo := step.get("compensate"):
        yield from _all_done_by(Activity(f"{field}.compensate", undo, id, None), catalogue)
    body = body_of(step, catalogue) or {}
    within = f"{field}.params.{BODY}"
    if body.get("type"):
        yield from _all_done_by(Activity(within, body, id, None), catalogue)
    if inner := body.get("steps"):
        among = {"nodes": inner, "edges": edges_of(body)}
        for at, node in enumerate(inner):
            yield from _all_done_by(Activity(f"{within}.steps[{at}]", node, node["id"], among), catalogue)


def as_step(body: Document, catalogue: Catalogue) -> Document:
    """The body as a node without id: what a child of the container does. Steps of its own are of the type `part`."""
    if body.get("workflow") is not None:
        params = {key: body[key] for key in ("workflow", "version", "input") if body.get(key) is not None}
        return {"type": "subworkflow", "params": params}
    return {"type": PART} if steps_of(body, catalogue) is not None else body


def steps_of(body: Document, catalogue: Catalogue) -> Document | None:
    """The `nodes` and `edges` of a body that runs as a run of its own; None of a single step that waits for nothing."""
    if body.get("steps") is not None:
        steps = list(body["steps"])
        return {"nodes": steps, "edges": edges_of(body)}
    kind = body.get("type")
    if kind is None:
        return None
    spec = catalogue[kind].with_params(body.get("params") or {})
    if spec.kind != "wait" or spec.begins_run or spec.name == PART:
        return None
    return {"nodes": [{**body, "id": ONLY_STEP}], "edges": []}


def level_of(body: Document) -> Document | None:
    """The `nodes` and `edges` of a body, of whatever quality, that has steps of its own; None of any other."""
    steps = body.get("steps")
    if not isinstance(steps, list) or not steps:
        return None
    has_ids = all(isinstance(step, Mapping) and isinstance(step.get("id"), str) for step in steps)
    is_line = body.get("edges") is None and has_ids
    return {"nodes": steps, "edges": edges_of(body) if is_line else body.get("edges")}


def edges_of(body: Document) -> list[Json]:
    """The edges among the steps of a body; where it names none, each step leads to the next."""
    if body.get("edges") is not None:
        return list(body["edges"])
    ids = [step["id"] for step in body["steps"]]
    return [{"from": source, "to": target} for source, target in pairwise(ids)]


def objects(value: Json) -> list[dict[str, Json]]:
    """The objects in what should be a list of them."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def sources_of(level: Document) -> dict[str, frozenset[str]]:
    """The steps that lead to each step, by edges or timers; `nodes` and `edges` may be of whatever quality."""
    arrows = [(edge.get("from"), edge.get("to")) for edge in objects(level.get("edges"))]
    for node in objects(level.get("nodes")):
        arrows += [(node.get("id"), timer.get("to")) for timer in objects(node.get("boundary_timers"))]
    sources: dict[str, set[str]] = {}
    for source, target in arrows:
        if isinstance(source, str) and isinstance(target, str):
            sources.setdefault(target, set()).add(source)
    return {target: frozenset(names) for target, names in sources.items()}


def definition_of(container: Document, body: Document, catalogue: Catalogue) -> dict[str, Json] | None:
    """What the runs of a container's own steps run: steps with nothing before them are given the item."""
    steps = steps_of(body, catalogue)
    if steps is None:
        return None
    targets = {edge["to"] for edge in steps["edges"]} | {
        timer["to"] for node in steps["nodes"] for timer in node.get("boundary_timers") or ()
    }
    nodes = [
        node if node["id"] in targets or node.get("input") is not None else {**node, "input": "{{ item }}"}
        for node in steps["nodes"]
    ]
    return {"name": container["id"], "part_of": container["id"], "nodes": nodes, "edges": steps["edges"]}


def given(reads: References, own: frozenset[str]) -> dict[str, Json]:
    """The params of a part: what is to be seen of the container's run, of which its steps `own` read so much."""
    params: dict[str, Json] = {"item": "{{ item }}", "index": "{{ index }}"}
    for name in ("input", "run", "vars"):
        if name in reads.names:
            params[name] = f"{{{{ {name} }}}}"
    if reads.every_step:
        params["steps"] = "{{ steps }}"
    elif outer := sorted(reads.steps - own):
        params["steps"] = {name: f'{{{{ "{name}" in steps ? steps["{name}"] : null }}}}' for name in outer}
    return params


def seen(scope: dict[str, Any], part_input: Json) -> dict[str, Any]:
    """The scope of a part whose input is `part_input`: its own steps beside those that it was given."""
    if not isinstance(part_input, Mapping):
        return scope
    outer = {name: value for name, value in (part_input.get("steps") or {}).items() if value is not None}
    inner = {
        **scope,
        "input": part_input.get("input"),
        "item": part_input.get("item"),
        "index": part_input.get("index"),
    }
    inner["steps"] = {**outer, **scope.get("steps", {})}
    if part_input.get("run"):
        run = {key: value for key, value in part_input["run"].items() if key in HANDED_ON}
        inner["run"] = {**scope.get("run", {}), **run}
    if part_input.get("vars"):
        inner["vars"] = {**part_input["vars"], **scope.get("vars", {})}
    return inner
