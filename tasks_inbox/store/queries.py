"""Rows of one tenant's tasks, comments and workflows, by their keys."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from accounts.names import key_of
from engine.catalogue import Json
from lib.refusals import Missing
from runs.models import Run
from tasks_inbox.models import INCIDENT, ManualTask, TaskComment
from tasks_inbox.store.statements import SQL
from workflows.models import Workflow

LARGE = ("instructions", "facts", "earlier", "form", "data", "comment", "texts")


def placed(tenant: int, tasks: QuerySet[ManualTask]) -> QuerySet[ManualTask]:
    """These tasks of a tenant with the folders of their workflows, so that nothing asks for them one by one."""
    workflow = Workflow.objects.for_tenant(tenant).filter(pk=OuterRef("workflow_id"))
    return tasks.annotate(of_folder=Subquery(workflow.values("folder_id")))


def place(tasks: Iterable[ManualTask]) -> None:
    """Have tasks of one tenant know the folders of their workflows: one statement, none where they do."""
    unknown = [task for task in tasks if not {"folder", "of_folder"} & vars(task).keys()]
    workflows = workflows_of(unknown[0].tenant_id, unknown) if unknown else {}
    for task in unknown:
        task.folder = workflows[task.workflow_id].folder


def runs_of_trees(tenant: int, roots: Iterable[UUID] | QuerySet[Run, Any]) -> QuerySet[Run, Any]:
    """The ids of the runs of the trees of these roots: the topmost ones, which continue one another, and all below."""
    runs = Run.objects.for_tenant(tenant).order_by()
    continued = runs.filter(~Q(root_id=F("id")), root_id__in=roots, tree_id=None)
    return (
        runs.filter(pk__in=roots)
        .values("pk")
        .union(continued.values("pk"), runs.filter(tree_id__in=roots).values("pk"), all=True)
    )


def task_of(tenant: int, task_id: UUID) -> ManualTask:
    """The tenant's task. Raises Missing."""
    task = placed(tenant, ManualTask.objects.for_tenant(tenant).filter(pk=task_id)).first()
    if task is None:
        raise Missing("There is no such task.")
    return task


def tasks_named(tenant: int, tasks: Iterable[UUID]) -> dict[UUID, ManualTask]:
    """The tenant's tasks of these ids, without what only one task's page shows."""
    return placed(tenant, ManualTask.objects.for_tenant(tenant).defer(*LARGE)).in_bulk(list(tasks))


def task_about(task: ManualTask) -> UUID | None:
    """The task that nobody can decide, where an incident is about one."""
    if task.kind != INCIDENT:
        return None
    return (
        ManualTask.objects.for_tenant(task.tenant_id)
        .filter(pk=task.step_id)
        .values_list("pk", flat=True)
        .first()
    )


def is_requester(task: ManualTask, username: str) -> bool:
    """Whether they started the task's run."""
    started_by = (
        Run.objects.for_tenant(task.tenant_id).filter(pk=task.run_id).values_list("created_by", flat=True)
    )
    return any(key_of(name) == key_of(username) for name in started_by)


class Called(NamedTuple):
    """How a workflow is called: its name, and the title that people read, which is the name where it has none; and the
    folder in which it lies.
    """

    name: str
    title: str
    folder: int


def workflows_of(tenant: int, tasks: Iterable[ManualTask]) -> dict[int, Called]:
    """How the workflows of these tasks are called; one statement."""
    workflows = Workflow.objects.for_tenant(tenant).filter(pk__in={task.workflow_id for task in tasks})
    return {
        pk: Called(name, title or name, folder)
        for pk, name, title, folder in workflows.values_list("pk", "name", "title", "folder_id")
    }


def comments_of(task: ManualTask) -> QuerySet[TaskComment]:
    """What was said of a task, unordered."""
    return TaskComment.objects.for_tenant(task.tenant_id).filter(task_id=task.pk)


def last_comments(task: ManualTask, most: int, before: UUID | None) -> tuple[list[TaskComment], UUID | None]:
    """The last comments of a task, or the last ones before one, oldest first; and before which there are more."""
    comments = comments_of(task) if before is None else comments_of(task).filter(pk__lt=before)
    rows = list(comments.order_by("-pk")[: most + 1])
    page = rows[:most][::-1]
    return page, page[0].pk if len(rows) > most else None


def types_told(tasks: Sequence[UUID], key: str) -> dict[UUID, Json]:
    """The type of the fact with this key, by task; without those whose fact has none."""
    params = {"tasks": [str(task) for task in tasks], "key": key.lower()}
    return {UUID(task): kind for task, kind in SQL.value("types_told", params).items()}
