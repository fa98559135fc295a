"""The runs that a run began: as children of its steps, and those that follow it; and where a run comes from."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, OuterRef, QuerySet, Subquery

from accounts.principal import Principal
from runs.access import readable
from runs.kernel import graphs
from runs.models import Run, StepExecution


def children_of(principal: Principal, run_id: UUID, *, parts: bool = True) -> QuerySet[Run]:
    """The runs that the steps of a run began, as far as they may read them; unordered. `parts`: with those that are
    items of its containers.
    """
    runs = readable(Run.objects.for_tenant(principal.tenant_id), principal).filter(parent_id=run_id)
    return runs if parts else runs.filter(is_part=False)


def counts_of_children(principal: Principal, run_id: UUID, *, parts: bool = True) -> dict[str, int]:
    """How many of them stand at which status, the most first."""
    counts = children_of(principal, run_id, parts=parts).values_list("status").annotate(count=Count("id"))
    return dict(counts.order_by("-count", "status"))


def follower_of(principal: Principal, run_id: UUID) -> UUID | None:
    """The run that was started behind a run; None where there is none that they may read."""
    runs = readable(Run.objects.for_tenant(principal.tenant_id), principal)
    return runs.filter(follows=run_id).values_list("id", flat=True).first()


def may_begin_runs(tenant: int, run_id: UUID) -> bool:
    """Whether steps of the tenant's run may begin runs. One statement."""
    version = Run.objects.for_tenant(tenant).filter(pk=run_id).values_list("version_id", flat=True).first()
    return version is not None and graphs.shown(version).graph.begins_runs


@dataclass(frozen=True, slots=True)
class Origin:
    """The step that began a run, and the name of its workflow; `index`: which of its items the run was begun for."""

    run_id: UUID
    workflow: str
    node: str
    title: str
    index: int | None


def origin_of(principal: Principal, run_id: UUID) -> Origin | None:
    """What began a run; None where no step did, or one of a run that they may not read. One statement."""
    runs = Run.objects.for_tenant(principal.tenant_id)
    began = runs.filter(pk=run_id).values("parent_step_id")
    parents = readable(runs, principal).filter(pk=OuterRef("run_id")).values("version_id")
    steps = StepExecution.objects.for_tenant(principal.tenant_id).filter(pk=Subquery(began))
    versions = steps.annotate(version=Subquery(parents[:1])).filter(version__isnull=False)
    row = versions.values_list("run_id", "version", "node", "index").first()
    if row is None:
        return None
    parent_id, version, node, index = row
    compiled = graphs.shown(version)
    step = compiled.graph.nodes.get(node)
    return Origin(parent_id, compiled.workflow, node, step.title if step else node, index)
