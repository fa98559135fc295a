"""Whether the workflows that a definition names are there: those that its steps run, and the one that follows it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from django.db.models import Max, Q

from accounts.principal import Forbidden, Principal
from accounts.roles import RUNS_OPERATE, RUNS_START, WORKFLOWS_PUBLISH
from engine.bodies import all_it_does, body_of
from engine.catalogue import BODY
from engine.holes import has_holes
from engine.problems import Problem, error, quoted, warning
from lib.json import Json
from lib.refusals import Missing
from steps.catalogue import EXECUTABLE
from workflows.access import guard_workflow, scopes_for
from workflows.models import Workflow, WorkflowVersion
from workflows.queries import is_older


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
        _require_pin(principal, one, verb)


def _require_pin(principal: Principal, one: Named, verb: str) -> None:
    """Who may publish the other workflow could make what is older the newest; others need *operate* to name it."""
    if one.version is None or not is_older(principal.tenant_id, one.workflow, one.version):
        return
    if not scopes_for(principal, one.workflow) & {RUNS_OPERATE, WORKFLOWS_PUBLISH}:
        message = f"Version {one.version} of {one.workflow} is not the newest: ask somebody who may operate or publish"
        field = one.field.removesuffix("workflow") + "version"
        details = {"scope": RUNS_OPERATE}
        raise Forbidden(f"{message} it to {verb} this.", code="older_version", field=field, details=details)


def judge(tenant: int, natives: Sequence[Mapping[str, Json]]) -> list[list[Problem]]:
    """Of each definition the workflows that it names and that are not there; two statements at most for all of them."""
    references = [list(named_in(native)) for native in natives]
    names = {one.workflow for each in references for one in each}
    if not names:
        return [[] for _ in natives]
    newest = Max("versions__number", filter=Q(versions__withdrawal=None))
    there = {
        name: _There(archived_at is not None, latest, startable)
        for name, archived_at, latest, startable in Workflow.objects.for_tenant(tenant)
        .filter(name__in=names)
        .values_list("name", "archived_at")
        .annotate(latest=Max("versions__number"), startable=newest)
    }
    pairs = {(one.workflow, one.version) for each in references for one in each if one.version is not None}
    versions: _Reasons = {
        (name, number): reason
        for name, number, reason in (
            WorkflowVersion.objects.for_tenant(tenant)
            .filter(
                workflow__name__in={name for name, _ in pairs}, number__in={number for _, number in pairs}
            )
            .values_list("workflow__name", "number", "withdrawal__reason")
            if pairs
            else ()
        )
    }
    return [
        [
            problem
            for one in each
            if (problem := _problem(one, str(native.get("name")), there.get(one.workflow), versions))
        ]
        for native, each in zip(natives, references, strict=True)
    ]


class _There(NamedTuple):
    """A workflow that a definition names: the number of its newest version, and of the one that new runs take."""

    is_archived: bool = False
    latest: int | None = None
    startable: int | None = None


_Reasons = dict[tuple[str, int | None], str | None]
"""Why each version that is named is withdrawn; None where it is not."""


def _problem(one: Named, own: str, there: _There | None, versions: _Reasons) -> Problem | None:
    name = quoted(one.workflow)
    # Its own first version is what is about to be published.
    if there is None and one.workflow != own:
        return error("unknown_workflow", one.field, f"There is no workflow {name}.", one.node)
    is_archived, latest, startable = there or _There()
    if is_archived:
        return error(
            "unknown_workflow", one.field, f"The workflow {name} is archived: it can't be started.", one.node
        )
    if one.version is not None and (one.workflow, one.version) not in versions:
        message = f"The workflow {name} has no version {one.version}."
        return error("unknown_workflow", one.field.removesuffix("workflow") + "version", message, one.node)
    if one.version is not None and (reason := versions[one.workflow, one.version]) is not None:
        message = f"Version {one.version} of {name} is withdrawn ({reason}): the step fails."
        return error("withdrawn_version", one.field.removesuffix("workflow") + "version", message, one.node)
    if latest is None and one.workflow != own:
        message = f"The workflow {name} was never published: until it is, the step fails."
        if one.node is None:
            message = f"The workflow {name} was never published: until it is, no run follows."
        return warning("unpublished_workflow", one.field, message, one.node)
    if one.workflow != own and startable is None:
        then = "the step fails" if one.node else "no run follows"
        message = f"All versions of {name} are withdrawn: until one is restored or published, {then}."
        return warning("unpublished_workflow", one.field, message, one.node)
    return None
