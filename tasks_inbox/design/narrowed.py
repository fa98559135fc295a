"""What asks fewer people since folders say who decides: workflows and open tasks that name nobody, in a folder that
lets some of those who decide tasks neither read nor decide. Only what is older than that rule is listed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Count, OuterRef, Subquery

from accounts.models import Folder
from engine.catalogue import Json
from tasks_inbox.design.deciders import asking_steps
from tasks_inbox.eligibility.electors import Member, members_of
from tasks_inbox.eligibility.policies import EVERYBODY, audience_of
from tasks_inbox.models import OPEN, ManualTask
from workflows.models import Workflow, WorkflowVersion

_RULE = ("accounts", "0010_decide")


@dataclass(frozen=True, slots=True)
class Narrowed:
    """A workflow and its folder; how many of those `able` to decide tasks it asks, and its open tasks of before;
    `is_newest`: new runs ask so, too.
    """

    tenant: int
    workflow: str
    folder: str
    asked: int
    able: int
    open_tasks: int
    is_newest: bool


def narrowed() -> list[Narrowed]:
    """All that is narrowed, until it is published anew and its open tasks are decided, or the folder grants more."""
    app, name = _RULE
    since = MigrationRecorder.Migration.objects.filter(app=app, name=name).values_list("applied", flat=True)
    if (at := since.first()) is None:
        return []
    tenants = Folder.unsafe_all_tenants.order_by("tenant_id").values_list("tenant_id", flat=True).distinct()
    return [one for tenant in tenants for one in _of_tenant(tenant, at)]


def _of_tenant(tenant: int, at: datetime) -> Iterator[Narrowed]:
    members = members_of(tenant)
    counts = {
        folder: sum(one.answers([EVERYBODY], folder.pk) for one in members)
        for folder in Folder.objects.for_tenant(tenant)
    }
    for folder, count in counts.items():
        if count < len(members):
            yield from _of_folder(folder, count, members, at)


def _of_folder(folder: Folder, asked: int, members: Sequence[Member], at: datetime) -> Iterator[Narrowed]:
    tenant = folder.tenant_id
    workflows = Workflow.objects.for_tenant(tenant).filter(folder=folder)
    tasks = ManualTask.objects.for_tenant(tenant).filter(
        status=OPEN,
        created_at__lte=at,
        audience__contains=[EVERYBODY],
        workflow_id__in=workflows.values("pk"),
        is_test=False,
    )
    counts = dict(tasks.values_list("workflow_id").annotate(Count("pk")).order_by())
    versions = WorkflowVersion.objects.for_tenant(tenant).filter(workflow=OuterRef("pk")).order_by("-number")
    newest = workflows.filter(archived_at=None).annotate(newest=Subquery(versions.values("pk")[:1]))
    old = WorkflowVersion.objects.for_tenant(tenant).filter(
        pk__in=newest.values("newest"), published_at__lte=at
    )
    definitions = old.values_list("workflow_id", "definition")
    narrow = {workflow for workflow, definition in definitions.iterator() if _asks_everybody(definition)}
    for pk, name in workflows.filter(pk__in=narrow | counts.keys()).values_list("pk", "name"):
        yield Narrowed(tenant, name, folder.name, asked, len(members), counts.get(pk, 0), pk in narrow)


def _asks_everybody(definition: Json) -> bool:
    """Whether a step of a sound definition asks people and names none."""
    return any(
        audience_of({kind: names for kind, names in _candidates(one.step).items() if names}) == [EVERYBODY]
        and not any(_candidates(one.step).get(kind) for kind in ("manager_of", "expr"))
        for one in asking_steps(definition)
    )


def _candidates(step: Json) -> Json:
    return (step.get("params") or {}).get("candidates") or {}
