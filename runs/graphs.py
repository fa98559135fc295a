"""Compiled graphs of published versions, kept per process: a version never changes."""

from dataclasses import dataclass
from functools import lru_cache

from engine.errors import EngineError
from engine.graph import Graph, compile_graph
from steps.catalogue import CATALOGUE
from workflows.models import WorkflowVersion


@dataclass(frozen=True, slots=True)
class Compiled:
    """A published version: its graph and the names that expressions and pages see."""

    graph: Graph
    workflow_id: int
    workflow: str
    number: int
    tenant_slug: str


class BrokenVersion(Exception):
    """This release can't compile the version, for example because a step type of it is not installed here."""


@lru_cache(maxsize=2000)
def compiled(version_id: int) -> Compiled:
    """The compiled version with this id. Raises WorkflowVersion.DoesNotExist or BrokenVersion."""
    version = WorkflowVersion.unsafe_all_tenants.select_related("workflow", "tenant").get(pk=version_id)
    try:
        graph = compile_graph(version.definition, CATALOGUE)
    except (KeyError, ValueError, EngineError) as error:
        raise BrokenVersion(
            f"Version {version.number} of {version.workflow.name} can't be compiled: {error!r}"
        ) from error
    return Compiled(
        graph=graph,
        workflow_id=version.workflow_id,
        workflow=version.workflow.name,
        number=version.number,
        tenant_slug=version.tenant.slug,
    )


def graph_of(version_id: int) -> Graph:
    """The compiled graph of a version."""
    return compiled(version_id).graph
