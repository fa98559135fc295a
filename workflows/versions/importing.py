"""What an import would do, before it is done."""

from collections.abc import Mapping
from dataclasses import dataclass

from accounts.principal import Principal
from accounts.roles import WORKFLOWS_WRITE
from engine.canonical import content_hash
from engine.catalogue import Json
from engine.dialects import DialectError, detect, to_native
from engine.problems import Problem
from lib.refusals import Unprocessable
from workflows import queries
from workflows.access import guard_workflow
from workflows.checking import text_pipelines
from workflows.checking.check import check
from workflows.design.drawing import Drawing, draw
from workflows.models import Workflow
from workflows.versions.comparing import Shown, shown

SPELLINGS = {
    "native": "a definition of Handoff",
    "steps": "a list of steps",
    "s0": "a dag of nodes and edges with conditions",
    "depends_on": "steps with depends_on",
    "configuration": "a configuration: an ordered list of step types",
    "s4": "steps with nextStep, in rochallor's format",
}


@dataclass(frozen=True, slots=True)
class Report:
    """The workflow that a document would make, or whose draft it would replace, and what is different then."""

    spelling: str
    name: str
    native: dict[str, Json]
    workflow: Workflow | None
    problems: list[Problem]
    comparison: Shown | None
    is_same: bool

    @property
    def mark(self) -> str:
        """Stands for what was read: only what somebody has seen is imported."""
        return content_hash(self.native)

    @property
    def drawing(self) -> Drawing:
        """Its picture."""
        return draw(self.native)


def report(principal: Principal, document: dict[str, Json], name: str = "") -> Report:
    """What importing the document would do, under `name` if one is given.

    Raises Unprocessable; Missing and Forbidden for a workflow of that name that is not theirs to edit.
    """
    try:
        spelling = SPELLINGS[detect(document)]
        native = to_native(document, None, name or None)
    except DialectError as error:
        raise Unprocessable(f"This can't be read as a workflow. {error.message}") from None
    text_pipelines.refuse(document, None, native)
    if name:
        native = {**native, "name": name}
    workflow_name = native.get("name")
    if not isinstance(workflow_name, str) or not workflow_name:
        raise Unprocessable("It has no name for the workflow: enter one.", field="name")
    tenant_id = principal.tenant_id
    if (workflow := queries.find_workflow(tenant_id, workflow_name)) is not None:
        guard_workflow(principal, WORKFLOWS_WRITE, workflow_name)
    return Report(
        spelling=spelling,
        name=workflow_name,
        native=native,
        workflow=workflow,
        problems=check(native, name=workflow_name, tenant=tenant_id).problems,
        comparison=_comparison(workflow.draft_definition, native) if workflow else None,
        is_same=workflow is not None and workflow.draft_definition == native,
    )


def _comparison(before: Mapping[str, Json], after: Mapping[str, Json]) -> Shown | None:
    """What would be different in the draft; None where that can't be said field by field."""
    try:
        return shown(before, after)
    except Unprocessable:
        return None
