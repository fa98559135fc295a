"""Reading workflows and versions, always within one tenant."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count, islice
from pathlib import Path
from typing import NamedTuple

from django.db.models import (
    Exists,
    Func,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextField,
    Value,
)
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce

from accounts.models import Folder
from accounts.principal import Forbidden, Principal
from accounts.roles import READ, RUNS_OPERATE, START
from accounts.seats import SQL_OF_ACCOUNTS, user_of
from engine.searchable import searchable_fields
from lib.gathering import Gathered
from lib.named_sql import Statements
from lib.refusals import Conflict, Missing
from lib.stored_json import stored_loads
from workflows.access import open_to
from workflows.models import VersionWithdrawal, Workflow, WorkflowVersion

_SQL = Statements(Path(__file__).parent / "sql", SQL_OF_ACCOUNTS)
_FOLDER, _WORKFLOW = (
    [field.attname for field in model._meta.concrete_fields] for model in (Folder, Workflow)
)


def list_workflows(
    principal: Principal, *, archived: bool = False, q: str | None = None
) -> QuerySet[Workflow]:
    """The workflows that they may read, with `latest` (the number of the last published version, or None)."""
    rows = _latest(open_to(principal, READ), principal.tenant_id).filter(archived_at__isnull=not archived)
    return rows.filter(Q(name__icontains=q) | Q(title__icontains=q)) if q else rows


def listed_workflows(principal: Principal, q: str = "") -> QuerySet[Workflow]:
    """The workflows as a page lists them, newest first: with `latest`, and `steps` of that version or the draft."""
    rows, tenant_id = list_workflows(principal), principal.tenant_id
    if q:
        rows = rows.filter(Q(name__icontains=q) | Q(title__icontains=q) | Q(description__icontains=q))
    versions = WorkflowVersion.objects.for_tenant(tenant_id).filter(workflow=OuterRef("pk"))
    version_steps = Subquery(versions.order_by("-number").values(count=_StepCount("definition"))[:1])
    listing = rows.annotate(steps=Coalesce(version_steps, _StepCount("draft_definition")))
    return listing.defer("draft_definition", "draft_layout").order_by("-created_at", "-id")


def titles_of(tenant_id: int, names: Collection[str]) -> list[tuple[str, str]]:
    """Those of these names that workflows have, each with the title; none where it has none."""
    rows = _SQL.execute("titles_of", {"tenant": tenant_id, "names": list(names)}).fetchall()
    return [(name, title) for name, title in rows]


def free_name(tenant_id: int, base: str) -> str:
    """`base`, or with a number behind it where that is taken, archived workflows' names included."""
    names = set(
        Workflow.objects.for_tenant(tenant_id).filter(name__startswith=base).values_list("name", flat=True)
    )
    candidates = (f"{base}-{number}" for number in count(2))
    return base if base not in names else next(name for name in candidates if name not in names)


class _StepCount(Func):
    """How many steps a definition has; a draft may be written in the short dialect, or hold anything."""

    template = (
        "jsonb_array_length(jsonb_path_query_array(%(expressions)s,"
        """ '$.keyvalue() ? (@.key == "nodes" || @.key == "steps").value[*]'))"""
    )
    output_field = IntegerField()


def published_workflows(principal: Principal) -> QuerySet[Workflow]:
    """The workflows that they may start or read, of which a version is published, newest first."""
    versions = WorkflowVersion.objects.for_tenant(principal.tenant_id).filter(workflow=OuterRef("pk"))
    rows = open_to(principal, START, READ).filter(Exists(versions), archived_at__isnull=True)
    return rows.order_by("-created_at", "-id")


def startable_workflows(principal: Principal, q: str = "") -> QuerySet[Workflow]:
    """The workflows that they may start and of which a version is not withdrawn, with their folders; with `q` in title,
    name or description.
    """
    versions = WorkflowVersion.objects.for_tenant(principal.tenant_id).filter(workflow=OuterRef("pk"))
    rows = published_workflows(principal).filter(pk__in=open_to(principal, START).values("id"))
    rows = rows.filter(Exists(versions.filter(withdrawal=None)))
    if q:
        rows = rows.filter(Q(name__icontains=q) | Q(title__icontains=q) | Q(description__icontains=q))
    return rows.select_related("folder").defer("draft_definition", "draft_layout")


def category_of(tenant_id: int) -> Coalesce:
    """The category of a workflow for requesters, by the version that new runs take; empty where it has none."""
    versions = WorkflowVersion.objects.for_tenant(tenant_id).filter(workflow=OuterRef("pk"), withdrawal=None)
    rows = versions.order_by("-number").values(category=KT("definition__request__category"))
    return Coalesce(Subquery(rows[:1]), Value(""), output_field=TextField())


def get_workflow(tenant_id: int, name: str) -> Workflow:
    """The workflow with `latest`, archived or not. Raises Missing."""
    workflow = find_workflow(tenant_id, name)
    if workflow is None:
        raise Missing(f"There is no workflow {name}.", field="workflow")
    return workflow


def find_workflow(tenant_id: int, name: str) -> Workflow | None:
    """The workflow of that name with `latest`, archived or not, if there is one."""
    row = _SQL.execute("workflow_named", {"tenant": tenant_id, "name": name}).fetchone()
    if row is None:
        return None
    columns = iter(row[1:])
    folder = Folder.from_db("default", _FOLDER, list(islice(columns, len(_FOLDER))))
    workflow = Workflow.from_db("default", _WORKFLOW, list(islice(columns, len(_WORKFLOW))))
    workflow.draft_definition = stored_loads(workflow.draft_definition)
    workflow.draft_layout = stored_loads(workflow.draft_layout)
    workflow.folder, workflow.draft_updated_by = folder, user_of(list(columns))
    workflow.latest = row[0]  # type: ignore[attr-defined]  # as `_latest` annotates it
    return workflow


def draft_revision(tenant_id: int, name: str) -> int | None:
    """The revision of its draft, if there is such a workflow; no more is read."""
    rows = Workflow.objects.for_tenant(tenant_id).filter(name=name)
    return rows.values_list("draft_revision", flat=True).first()


@dataclass(frozen=True, slots=True)
class News:
    """What somebody who has a draft open asks again and again: whether it, or what is said of it, is another now."""

    workflow_id: int
    folder_id: int
    is_archived: bool
    revision: int
    comments_number: int


def news_of(tenant_id: int, name: str) -> News:
    """The numbers of a workflow that tell of changes; no more is read. Raises Missing."""
    columns = ("pk", "folder_id", "archived_at", "draft_revision", "comments_number")
    row = Workflow.objects.for_tenant(tenant_id).filter(name=name).values_list(*columns).first()
    if row is None:
        raise Missing(f"There is no workflow {name}.", field="workflow")
    workflow_id, folder_id, archived_at, revision, number = row
    return News(workflow_id, folder_id, archived_at is not None, revision, number)


def lock_workflow(tenant_id: int, name: str) -> Workflow:
    """The workflow, locked until the transaction ends; for changes. Raises Missing, or Conflict if archived."""
    workflow = Workflow.objects.for_tenant(tenant_id).select_for_update().filter(name=name).first()
    if workflow is None:
        raise Missing(f"There is no workflow {name}.", field="workflow")
    refuse_archived(workflow)
    return workflow


def refuse_archived(workflow: Workflow) -> None:
    """Raises Conflict for an archived workflow."""
    if workflow.archived_at is not None:
        raise Conflict(f"The workflow {workflow.name} is archived.", code="archived", field="workflow")


def list_versions(tenant_id: int, name: str) -> QuerySet[WorkflowVersion]:
    """The versions of a workflow. Raises Missing for an unknown workflow."""
    return versions_of(get_workflow(tenant_id, name))


def versions_of(workflow: Workflow) -> QuerySet[WorkflowVersion]:
    """The versions of a workflow."""
    rows = WorkflowVersion.objects.for_tenant(workflow.tenant_id)
    rows = rows.select_related("workflow", "published_by", "withdrawal__by")
    return rows.filter(workflow=workflow)


def get_version(tenant_id: int, name: str, number: int) -> WorkflowVersion:
    """One version. Raises Missing."""
    version = list_versions(tenant_id, name).filter(number=number).first()
    if version is None:
        raise Missing(f"The workflow {name} has no version {number}.", field="version")
    return version


def version_numbers(workflow: Workflow) -> list[int]:
    """The numbers of its versions, newest first."""
    rows = WorkflowVersion.objects.for_tenant(workflow.tenant_id).filter(workflow=workflow)
    numbers = rows.order_by("-number").values_list("number", flat=True)[:100]
    return [number for number in numbers if number is not None]


def latest_version(tenant_id: int, name: str) -> WorkflowVersion | None:
    """The version that was published last; None before the first. Raises Missing for an unknown workflow."""
    return latest_of(get_workflow(tenant_id, name))


def latest_of(workflow: Workflow) -> WorkflowVersion | None:
    """The version of a workflow that was published last; None before the first."""
    return versions_of(workflow).order_by("-number").first()


def startable_of(workflow: Workflow) -> WorkflowVersion | None:
    """The version that new runs of a workflow take: the newest that is not withdrawn; None where there is none."""
    return versions_of(workflow).filter(withdrawal=None).order_by("-number").first()


MayPin = Callable[[], bool]
"""Whether whoever names a version may have one that is not the newest; asked where it is not."""


def startable_version(
    tenant_id: int, name: str, number: int | None = None, *, may_pin: MayPin = lambda: False
) -> int:
    """The id of the version that a new run takes (R-009): the newest that is not withdrawn, or the one asked for.

    Raises Missing, Forbidden for an older one unless `may_pin`, or Conflict for an archived workflow, a withdrawn
    version, or where none can be started.
    """
    row = _startable_together(tenant_id, (name, number))
    if row is None:
        workflow = get_workflow(tenant_id, name)
        refuse_archived(workflow)
        if number is not None:
            raise Missing(f"The workflow {name} has no version {number}.", field="version")
        if workflow.latest is None:  # type: ignore[attr-defined]  # annotated
            message = f"The workflow {name} was never published."
            raise Conflict(message, code="not_published", field="workflow")
        message = f"All versions of {name} are withdrawn: no new run can be started."
        raise Conflict(message, code="all_withdrawn", field="workflow")
    if row.is_archived:
        refuse_archived(get_workflow(tenant_id, name))
    elif row.is_withdrawn:
        refuse_withdrawn(tenant_id, row.id)
    elif row.is_older and not may_pin():
        message = (
            f"Version {number} of {name} is not the newest: to start it you need *operate* for this workflow."
        )
        raise Forbidden(message, code="older_version", field="version", details={"scope": RUNS_OPERATE})
    return row.id


def is_older(tenant_id: int, name: str, number: int) -> bool:
    """Whether a newer version than this one is there for new runs."""
    row = _startable_together(tenant_id, (name, number))
    return row is not None and row.is_older


def refuse_withdrawn(tenant_id: int, version: int) -> None:
    """Raises Conflict for a version (its id) that is withdrawn."""
    rows = VersionWithdrawal.objects.for_tenant(tenant_id).select_related("version__workflow", "by")
    if (row := rows.filter(version=version).first()) is not None:
        number, by = row.version.number, row.by.username
        message = f"Version {number} of {row.version.workflow.name} was withdrawn by {by}: {row.reason}"
        details = {"version": number, "withdrawn_by": by, "reason": row.reason}
        raise Conflict(message, code="version_withdrawn", field="version", details=details)


class SearchableWorkflow(NamedTuple):
    """A workflow and the paths of the fields of its input that a version marks as searchable, in their order."""

    tenant_id: int
    workflow_id: int
    paths: tuple[str, ...]


def searchable_workflows() -> list[SearchableWorkflow]:
    """The workflows of all tenants of which a version has searchable fields."""
    fields: dict[tuple[int, int], set[str]] = {}
    for tenant, workflow, version in _SQL.execute("searchable_versions", {}).fetchall():
        fields.setdefault((tenant, workflow), set()).update(_searchable_fields(version))
    return [SearchableWorkflow(*of, tuple(sorted(paths))) for of, paths in fields.items() if paths]


@lru_cache(maxsize=5_000)
def _searchable_fields(version: int) -> tuple[str, ...]:
    """Of a version by its id, which never changes."""
    rows = WorkflowVersion.unsafe_all_tenants.filter(pk=version)
    schema = rows.values_list("definition__input_schema", flat=True).first()
    return tuple(searchable_fields(schema))


class _Startable(NamedTuple):
    """A version, by its id; `is_withdrawn` and `is_older` of one that was asked for by its number."""

    id: int
    is_archived: bool
    is_withdrawn: bool
    is_older: bool


def _startable_each(tenant_id: int, pairs: Sequence[tuple[str, int | None]]) -> list[_Startable | None]:
    """For each name and number the version, and what stands against it; in one statement."""
    if len(pairs) == 1:
        [(name, number)] = pairs
        parameters = {"tenant": tenant_id, "name": name, "number": number}
        rows = _SQL.execute("startable_version", parameters).fetchall()
    else:
        names, numbers = [name for name, _ in pairs], [number for _, number in pairs]
        parameters = {"tenant": tenant_id, "names": names, "numbers": numbers}
        rows = _SQL.execute("startable_versions", parameters).fetchall()
    versions = {place: _Startable(*columns) for place, *columns in rows}
    return [versions.get(place) for place in range(1, len(pairs) + 1)]


_startable_together = Gathered(_startable_each, reads=True)


def _latest(rows: QuerySet[Workflow], tenant_id: int) -> QuerySet[Workflow]:
    versions = WorkflowVersion.objects.for_tenant(tenant_id).filter(workflow=OuterRef("pk"))
    latest = Subquery(versions.order_by("-number").values("number")[:1])
    return rows.select_related("folder").annotate(latest=latest)
