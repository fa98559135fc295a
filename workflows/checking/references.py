"""Whether the workflows that a definition names are there: those that its steps run, and the one that follows it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from django.db.models import Max

from accounts.principal import Forbidden, Principal
from accounts.roles import RUNS_START
from engine.bodies import all_it_does, body_of
from engine.catalogue import BODY
from engine.problems import Problem, error, quoted, warning
from engine.templates import has_holes
from lib.refusals import Missing
from lib.strict_json import Json
from steps.catalogue import EXECUTABLE
from workflows.access import guard_workflow
from workflows.models import Workflow, WorkflowVersion


class Named(NamedTuple):
    """A workflow that a definition names at `field`; `version`: the number of the one that it wants."""

    workflow: str
    version: int | None
    field: str
    node: str | None


def named_in(native: Mapping[str, Json]) -> Iterator[Named]:
    """The workflows that a definition names; what only a run knows (an expression) is left out."""
    for field, step, node, _ in all_it_does(native, EXECUTABLE):
        step_type, params = EXECUTABLE.get(str(step.get("type"))), step.get("params") or {}
        if step_type and step_type.begins_run:
            yield from _named_in(f"{field}.params", params, node)
        elif (body := body_of(step, EXECUTABLE)) is not None:
            yield from _named_in(
                f"{field}.params.{BODY}" if BODY in params else f"{field}.params", body, node
            )
    if following := native.get("next_workflow"):
        yield Named(following, None, "next_workflow", None)


def _named_in(field: str, where: Mapping[str, Json], node: str) -> Iterator[Named]:
    name, version = where.get("workflow"), where.get("version")
    if isinstance(name, str) and not has_holes(name):
        number = version if isinstance(version, int) and not isinstance(version, bool) else None
        yield Named(name, number, f"{field}.workflow", node)


def require_starts(principal: Principal, native: Mapping[str, Json], *, is_test: bool = False) -> None:
    """Check that whoever publishes a definition, or tests a draft, may start the workflows that it names.

    Its runs start these for whoever starts them. A published workflow may name itself. Raises Forbidden naming the
    field.
    """
    own, verb = (None, "test") if is_test else (native.get("name"), "publish")
    for one in named_in(native):
        if one.workflow == own:
            continue
        try:
            principal.require(RUNS_START)
            guard_workflow(principal, RUNS_START, one.workflow)
        except (Missing, Forbidden):
            message = f"You may not start runs of {one.workflow}: ask somebody who may to {verb} this."
            raise Forbidden(message, field=one.field, details={"scope": RUNS_START}) from None


def judge(tenant: int, natives: Sequence[Mapping[str, Json]]) -> list[list[Problem]]:
    """Of each definition the workflows that it names and that are not there; two statements at most for all of them."""
    references = [list(named_in(native)) for native in natives]
    names = {one.workflow for each in references for one in each}
    if not names:
        return [[] for _ in natives]
    there = {
        name: (archived_at is not None, latest)
        for name, archived_at, latest in Workflow.objects.for_tenant(tenant)
        .filter(name__in=names)
        .values_list("name", "archived_at")
        .annotate(latest=Max("versions__number"))
    }
    pairs = {(one.workflow, one.version) for each in references for one in each if one.version is not None}
    versions: set[tuple[str, int | None]] = set(
        WorkflowVersion.objects.for_tenant(tenant)
        .filter(workflow__name__in={name for name, _ in pairs}, number__in={number for _, number in pairs})
        .values_list("workflow__name", "number")
        if pairs
        else ()
    )
    return [
        [
            problem
            for one in each
            if (problem := _problem(one, str(native.get("name")), there.get(one.workflow), versions))
        ]
        for native, each in zip(natives, references, strict=True)
    ]


def _problem(
    one: Named, own: str, there: tuple[bool, int | None] | None, versions: set[tuple[str, int | None]]
) -> Problem | None:
    name = quoted(one.workflow)
    # Its own first version is what is about to be published.
    if there is None and one.workflow != own:
        return error("unknown_workflow", one.field, f"There is no workflow {name}.", one.node)
    is_archived, latest = there or (False, None)
    if is_archived:
        return error(
            "unknown_workflow", one.field, f"The workflow {name} is archived: it can't be started.", one.node
        )
    if one.version is not None and (one.workflow, one.version) not in versions:
        message = f"The workflow {name} has no version {one.version}."
        return error("unknown_workflow", one.field.removesuffix("workflow") + "version", message, one.node)
    if latest is None and one.workflow != own:
        message = f"The workflow {name} was never published: until it is, the step fails."
        if one.node is None:
            message = f"The workflow {name} was never published: until it is, no run follows."
        return warning("unpublished_workflow", one.field, message, one.node)
    return None
