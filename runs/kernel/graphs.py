"""Compiled graphs of published versions, kept per process: a version never changes."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from engine.catalogue import Catalogue, StepSpec
from engine.errors import EngineError
from engine.graph import Graph, compile_graph
from lib.forms.shapes import has_format
from runs.files.claims import takes_files
from steps.catalogue import EXECUTABLE
from workflows.models import WorkflowVersion


@dataclass(frozen=True, slots=True)
class Compiled:
    """A version: its graph, the names that expressions and pages see, and the ids of the calendars that it names;
    without a `number` it is a test's. `takes_files`: whether its input may name files, `has_files`:
    whether that or a form may. `takes_people`: whether its input may name people.
    """

    graph: Graph
    workflow_id: int
    workflow: str
    number: int | None
    tenant_slug: str
    calendars: Mapping[str, int]
    takes_files: bool
    has_files: bool
    takes_people: bool


class BrokenVersion(Exception):
    """This release can't compile the version, for example because a step type of it is not installed here."""


class _AnyType(dict[str, StepSpec]):
    """The catalogue, with types that are not installed here standing for jobs: enough to show their runs."""

    def __missing__(self, _: str) -> StepSpec:
        return EXECUTABLE["job"]


@lru_cache(maxsize=2000)
def compiled(version_id: int) -> Compiled:
    """The compiled version with this id. Raises WorkflowVersion.DoesNotExist or BrokenVersion."""
    return _compiled(version_id, EXECUTABLE)


@lru_cache(maxsize=2000)
def shown(version_id: int) -> Compiled:
    """The version with this id, to look at: also where this release lacks one of its step types."""
    return _compiled(version_id, _AnyType(EXECUTABLE))


def _compiled(version_id: int, catalogue: Catalogue) -> Compiled:
    version = WorkflowVersion.unsafe_all_tenants.select_related("workflow", "tenant").get(pk=version_id)
    try:
        graph = compile_graph(version.definition, catalogue, version.rules)
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
        calendars=version.calendars,
        takes_files=takes_files(graph.input_schema),
        has_files=takes_files(version.definition),
        takes_people=has_format(graph.input_schema, "person"),
    )


def compiled_or_none(version_id: int) -> Compiled | None:
    """The compiled version; None where it does not compile here."""
    try:
        return compiled(version_id)
    except BrokenVersion:
        return None


def shown_or_none(version_id: int) -> Compiled | None:
    """The version to look at; None where it does not compile at all."""
    try:
        return shown(version_id)
    except BrokenVersion:
        return None


def graph_of(version_id: int) -> Graph:
    """The compiled graph of a version."""
    return compiled(version_id).graph


def finishes_others(version_id: int) -> bool:
    """Whether other branches go on when a step has failed; where nobody knows what follows nothing does."""
    version = compiled_or_none(version_id)
    return version is not None and version.graph.finishes_others
