"""What an import would do, before it is done."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.canonical import content_hash
from engine.dialects import DialectError, detect, to_native
from engine.problems import Problem
from lib.refusals import Unprocessable
from workflows import queries
from workflows.checking import check
from workflows.drawing import Drawing, draw
from workflows.models import Workflow

Json = Any

SPELLINGS = {
    "native": "a definition of Handoff",
    "steps": "a list of steps",
    "s0": "a dag of nodes and edges with conditions",
    "depends_on": "steps with depends_on",
    "configuration": "a configuration: an ordered list of step types",
}


@dataclass(frozen=True, slots=True)
class Report:
    """The workflow that a document would make, or whose draft it would replace, and what is different then."""

    spelling: str
    name: str
    native: dict[str, Json]
    workflow: Workflow | None
    problems: list[Problem]
    added: list[str]
    changed: list[str]
    removed: list[str]
    is_same: bool

    @property
    def mark(self) -> str:
        """Stands for what was read: only what somebody has seen is imported."""
        return content_hash(self.native)

    @property
    def drawing(self) -> Drawing:
        """Its picture."""
        return draw(self.native)


def report(tenant_id: int, document: dict[str, Json], name: str = "") -> Report:
    """What importing the document would do, under `name` if one is given. Raises Unprocessable."""
    try:
        spelling = SPELLINGS[detect(document)]
        native = to_native(document, None, name or None)
    except DialectError as error:
        raise Unprocessable(f"This can't be read as a workflow. {error.message}") from None
    if name:
        native = {**native, "name": name}
    named = native.get("name")
    if not isinstance(named, str) or not named:
        raise Unprocessable("It doesn't say what the workflow is called: give it a name.", field="name")
    workflow = queries.find_workflow(tenant_id, named)
    before = _nodes(workflow.draft_definition) if workflow else {}
    after = _nodes(native)
    return Report(
        spelling=spelling,
        name=named,
        native=native,
        workflow=workflow,
        problems=check(native, name=named).problems,
        added=[node for node in after if node not in before],
        changed=[node for node in after if node in before and after[node] != before[node]],
        removed=[node for node in before if node not in after],
        is_same=workflow is not None and workflow.draft_definition == native,
    )


def _nodes(document: Mapping[str, Json]) -> dict[str, Json]:
    try:
        nodes = to_native(document).get("nodes")
    except DialectError:
        return {}
    listed = nodes if isinstance(nodes, list) else []
    return {node["id"]: node for node in listed if isinstance(node, dict) and isinstance(node.get("id"), str)}
