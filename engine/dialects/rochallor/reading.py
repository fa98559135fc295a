"""Rochallor → ours: each step as a node of the same id, as far as that is possible, and what lies beside it as a hint.

What ours can't say stands in `metadata.s4` (`hints.py`); nothing there changes what a run does.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from engine.catalogue import Json
from engine.cel_reads import CONTEXT
from engine.dialects.base import DialectError, Document, Finding
from engine.dialects.rochallor.flow import Flow, ways
from engine.dialects.rochallor.grammar import Literal, parsed
from engine.dialects.rochallor.leases import LOST_LEASES, lease_findings, lease_of
from engine.dialects.rochallor.rules import OURS, findings, transformed
from engine.dialects.rochallor.shape import (
    DECISION,
    END,
    JOIN,
    PARALLEL,
    SERVICE,
    TRANSFORMATION,
    USER,
    WAIT,
    WAITING,
    Step,
    normal,
)
from engine.dialects.rochallor.spelling import cel
from engine.limits import DESCRIPTION_CHARACTERS, QUESTION_CHARACTERS, STEP_ID_CHARACTERS, TITLE_CHARACTERS

WHOLE_CONTEXT = f"{{{{ {CONTEXT} }}}}"
OUTPUT = "{{ output }}"
FORM_DATA = "{{ output.data }}"

Node = dict[str, Json]
Edge = dict[str, Json]


@dataclass
class Read:
    """A document as nodes and edges, and by node what it stands for beside the step of its name.

    `choices`: of a step with conditions behind it the decision that has them. `copies`: of an END that some paths reach
    within parallel paths and others outside the node for the former, by its id.
    """

    document: dict[str, Json]
    ids: Mapping[str, str]
    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    choices: dict[str, str] = field(default_factory=dict)
    copies: dict[str, str] = field(default_factory=dict)


def normal_form(document: Document) -> dict[str, Json]:
    """The document in one form of what says the same. Raises DialectError with all that is wrong with it."""
    all_findings: list[Finding] = []
    whole = normal(document, all_findings)
    all_findings += findings(whole)
    all_findings += lease_findings(whole)
    if all_findings:
        # What has the wrong shape is left out, and so it may be missing, too: the first finding tells.
        once = list({one.field: one for one in reversed(all_findings)}.values())[::-1]
        raise DialectError(once[0].message, once[0].field, once)
    return whole


def read(document: Document) -> Read:
    """The nodes and edges of a document. Raises DialectError."""
    whole = normal_form(document)
    steps: list[Step] = whole["steps"]
    flow = Flow({step["id"]: step for step in steps})
    reading = Read(whole, node_ids([step["id"] for step in steps]))
    in_use = {*reading.ids.values()}
    inside = frozenset[str]().union(*flow.within.values())
    for at, step in enumerate(steps):
        name = reading.ids[step["id"]]
        node = _node(step, name, reading.ids, is_first=at == 0)
        lease = lease_of(whole.get("metadata"), step["id"]) if step["type"] == SERVICE else None
        reading.nodes.append(node | ({"lease_seconds": lease} if lease else {}))
        if step["type"] in WAITING and step.get("conditionalNextSteps"):
            reading.choices[name] = _free(f"{name}-next", in_use)
            reading.nodes.append({"id": reading.choices[name], "type": "decision"})
        if step["type"] == END and step["id"] in inside:
            if step["id"] in flow.outside:
                reading.copies[name] = _free(f"{name}-path", in_use)
                reading.nodes.append(
                    {**reading.nodes[-1], "id": reading.copies[name], "params": {"ends": "path"}}
                )
            else:
                reading.nodes[-1]["params"] = {"ends": "path"}
    for step in steps:
        reading.edges += _edges(step, reading, inside)
    _route_timers(steps, reading, inside)
    _join_ends(reading)
    return reading


def node_ids(names: Iterable[str]) -> dict[str, str]:
    """Step ids with the ids of their nodes: the same where that is one of ours."""
    names = [*names]
    in_use = {name for name in names if OURS.fullmatch(name)}
    return {name: name if name in in_use else _free(_slug(name), in_use) for name in names}


def _slug(name: str) -> str:
    base = re.sub(r"[^A-Za-z0-9_-]+", "_", name)[:STEP_ID_CHARACTERS] or "step"
    return base if base[0].isalpha() or base[0] == "_" else f"_{base}"


def _free(base: str, in_use: set[str]) -> str:
    base = base[:STEP_ID_CHARACTERS]
    candidate, number = base, 1
    while candidate in in_use:
        number += 1
        candidate = f"{base}-{number}"
    in_use.add(candidate)
    return candidate


def _node(step: Step, name: str, ids: Mapping[str, str], *, is_first: bool) -> Node:
    node: Node = {"id": name}
    title = step.get("name")
    if title is not None and title != step["id"]:
        node["title"] = title[:TITLE_CHARACTERS]
    match step["type"]:
        case str(kind) if kind == SERVICE:
            node |= {"type": "job", "queue": step["jobType"]}
            # The first step is given the input of the run, which is all variables that there are.
            node |= {} if is_first else {"input": WHOLE_CONTEXT}
            retry = {"max_retries": step.get("retryCount", 0), "lost_leases": LOST_LEASES}
            node |= {"retry": retry, "set_vars": OUTPUT}
        case str(kind) if kind == USER:
            question = literal((title or step["id"])[:QUESTION_CHARACTERS])
            params = {"title": question, "form": {"type": "object"}}
            node |= {"type": "human.form", "params": params, "set_vars": FORM_DATA}
        case str(kind) if kind == WAIT:
            node |= {"type": "signal", "params": {"name": literal(step["id"])}, "set_vars": OUTPUT}
        case str(kind) if kind == TRANSFORMATION:
            params = {"set": _set(step["transformations"])}
            node |= {"type": "transform", "params": params, "set_vars": OUTPUT}
        case kind:
            node["type"] = {DECISION: "decision", PARALLEL: "parallel", JOIN: "join", END: "end"}[str(kind)]
    if step["type"] in WAITING and step.get("boundaryEvents"):
        node["boundary_timers"] = [
            {
                "duration": timer["duration"],
                "interrupting": timer["interrupting"],
                "to": ids[timer["targetStepId"]],
            }
            for timer in step["boundaryEvents"]
        ]
    return node


def _set(transformations: Mapping[str, Json]) -> dict[str, Json]:
    trees, _ = transformed(transformations)
    return {
        name: f"{{{{ {cel(trees[name])} }}}}" if name in trees else literal(value)
        for name, value in transformations.items()
    }


def literal(value: Json) -> Json:
    """A value as a template that gives just that."""
    if isinstance(value, str):
        return value.replace("{{", '{{ "{{" }}')
    if isinstance(value, list):
        return [literal(item) for item in value]
    return {key: literal(item) for key, item in value.items()} if isinstance(value, dict) else value


def branches_of(step: Step) -> list[dict[str, Json]]:
    """Its conditions in their order, as edges that have no source yet and lead to step ids."""
    pairs = [*step.get("conditionalNextSteps", {}).items()]
    edges: list[dict[str, Json]] = []
    for at, (text, target) in enumerate(pairs):
        tree = parsed(text)
        is_rest = at == len(pairs) - 1 and tree == Literal(True)
        edges.append({"to": target} | ({"default": True} if is_rest else {"when": cel(tree)}))
    return edges


def _edges(step: Step, reading: Read, inside: frozenset[str]) -> list[Edge]:
    source, is_inside = reading.ids[step["id"]], step["id"] in inside
    has_conditions = step["type"] == DECISION or reading.ids[step["id"]] in reading.choices
    edges = branches_of(step) if has_conditions else [{"to": target} for target in ways(step)]
    choice = reading.choices.get(source)
    before = [] if choice is None else [{"from": source, "to": choice}]
    return before + [
        {"from": choice or source, **edge, "to": _routed(edge["to"], reading, is_inside)} for edge in edges
    ]


def _routed(target: str, reading: Read, is_inside: bool) -> str:
    """The node that a way to this step leads to: an END within parallel paths ends its path alone."""
    name = reading.ids[target]
    return reading.copies.get(name, name) if is_inside else name


def _route_timers(steps: list[Step], reading: Read, inside: frozenset[str]) -> None:
    by_id = {node["id"]: node for node in reading.nodes}
    for step in steps:
        node = by_id[reading.ids[step["id"]]]
        for timer, raw in zip(node.get("boundary_timers", ()), step.get("boundaryEvents", ()), strict=False):
            timer["to"] = _routed(raw["targetStepId"], reading, step["id"] in inside)


def _join_ends(reading: Read) -> None:
    """The first way that leads to the end of a run ends it."""
    sources: dict[str, set[str]] = {}
    for edge in reading.edges:
        sources.setdefault(edge["to"], set()).add(edge["from"])
    for node in reading.nodes:
        for timer in node.get("boundary_timers", ()):
            sources.setdefault(timer["to"], set()).add(node["id"])
    for node in reading.nodes:
        if node["type"] == "end" and "params" not in node and len(sources.get(node["id"], ())) > 1:
            node["join"] = "any"


def around(document: Document) -> dict[str, Json]:
    """What stands around the steps of a document in its normal form, as ours has it, but for what hints say."""
    whole: dict[str, Json] = {"name": document["id"]}
    title, description = str(document["name"]), document.get("description")
    if title != document["id"]:
        whole["title"] = title[:TITLE_CHARACTERS]
    if description is not None:
        whole["description"] = description[:DESCRIPTION_CHARACTERS]
    if document.get("autoStartNextWorkflow"):
        whole["next_workflow"] = document["nextWorkflowId"]
    return whole | {"output": WHOLE_CONTEXT}
