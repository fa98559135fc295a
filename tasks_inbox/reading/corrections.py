"""What people corrected of the inputs of runs: facts of tasks that are a plain path into the input, and differ now."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q, Subquery, Window
from django.db.models.functions import Coalesce, RowNumber

from engine.catalogue import Json
from engine.graph import Graph, Node
from lib.strict_json import same
from runs.kernel import graphs
from runs.models import Run
from tasks_inbox.limits import REQUEST_CORRECTIONS
from tasks_inbox.models import COMPLETED, FOR_OPERATORS, OPEN, ManualTask
from tasks_inbox.store.queries import runs_of_trees

Corrections = dict[tuple[str, ...], tuple[Json, Json]]


def corrections_of(tenant: int, trees: Mapping[UUID, UUID]) -> dict[UUID, Corrections]:
    """What was corrected of the input of each of these runs (by the id of its tree), the value before and after by the
    keys that lead there, in as many statements for one run as for many. The last correction counts.
    """
    tasks = _corrected_tasks(tenant, trees)
    if not tasks:
        return {}
    runs = Run.objects.for_tenant(tenant).filter(pk__in={trees[task.tree] for task in tasks})
    versions = dict(runs.values_list("pk", "version_id"))
    by_run: dict[UUID, Corrections] = {}
    for task in tasks:
        run = trees[task.tree]
        step = _step_at(graphs.shown(versions[run]).graph, task.place or (), task.node)
        if step is not None:
            by_run.setdefault(run, {}).update(_corrections(step, task))
    return by_run


def _corrected_tasks(tenant: int, trees: Mapping[UUID, UUID]) -> list[Any]:
    """The corrected tasks of these trees that count, the oldest first: not those whose step was done again."""
    runs = Run.objects.for_tenant(tenant).order_by()
    run = runs.filter(pk=OuterRef("run_id"))
    counting = ManualTask.objects.for_tenant(tenant).filter(status__in=(OPEN, COMPLETED))
    newer = counting.filter(run_id=OuterRef("run_id"), step_id=OuterRef("step_id"), pk__gt=OuterRef("pk"))
    tasks = counting.filter(~Q(earlier=[]), ~Exists(newer), run_id__in=runs_of_trees(tenant, trees))
    tasks = tasks.exclude(kind__in=FOR_OPERATORS).annotate(
        tree=Subquery(run.values(tree=Coalesce("tree_id", "root_id"))), place=Subquery(run.values("place"))
    )
    newest = Window(RowNumber(), partition_by=[F("tree")], order_by="-id")
    rows = tasks.annotate(rank=newest).filter(rank__lte=REQUEST_CORRECTIONS).order_by("id")
    return list(rows.only("id", "node", "facts", "earlier"))


def _step_at(graph: Graph, place: Sequence[Sequence[Json]], name: str) -> Node | None:
    """The step of this name at a place below a run of this graph; None within another workflow, whose input is its
    own.
    """
    inner: Graph | None = graph
    for node, _ in place:
        container = inner.nodes.get(node) if inner else None
        inner = container.body.part if container and container.body else None
    step = inner.nodes.get(name) if inner else None
    return step.body or step if step else None


def _corrections(step: Node, task: Any) -> Corrections:
    was = {fact["label"]: fact["value"] for fact in task.earlier[0]["facts"]}
    corrections: Corrections = {}
    for fact in task.facts:
        path = step.params.path_at("facts", fact["label"])
        if path and len(path) > 1 and path[0] == "input" and not same(was.get(fact["label"]), fact["value"]):
            corrections[tuple(path[1:])] = was.get(fact["label"]), fact["value"]
    return corrections
