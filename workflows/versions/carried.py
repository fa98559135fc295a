"""Published versions in which an edge without an outcome carries a refusal on (`engine.ports`): they run as before.

Only versions of the first rules can be such. A version never changes, so each is judged once in a process.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Max, QuerySet

from engine.bodies import every_step
from engine.step_titles import step_title
from engine.validate import validate
from lib.json import Json
from steps.catalogue import EXECUTABLE
from workflows.models import Workflow, WorkflowVersion

_READ = 200
"""So many definitions are read at once."""
_judged: dict[int, tuple[str, ...]] = {}


@dataclass(frozen=True, slots=True)
class Carried:
    """A version, and the titles of the steps behind which a refusal goes on; `is_latest`: new runs take it."""

    tenant_id: int
    workflow_id: int
    workflow: str
    title: str
    version_id: int
    number: int
    steps: tuple[str, ...]
    is_latest: bool


def carried_in(workflow: Workflow) -> list[Carried]:
    """Those of a workflow, newest first."""
    rows = WorkflowVersion.objects.for_tenant(workflow.tenant_id).filter(workflow=workflow, rules=1)
    return _found(rows, None)[0]


def in_use(workflow: Workflow, open_runs: Mapping[int, int]) -> list[tuple[Carried, int]]:
    """Those of a workflow that new runs take or that have open runs, with how many; `open_runs`: by version."""
    every = [(one, open_runs.get(one.version_id, 0)) for one in carried_in(workflow)]
    return [(one, count) for one, count in every if one.is_latest or count]


def carried_anywhere(most_read: int | None = None) -> tuple[list[Carried], bool]:
    """Those of all tenants; with `most_read`, so many new definitions are read at most, and whether some are left."""
    return _found(WorkflowVersion.unsafe_all_tenants.filter(rules=1, is_test=False), most_read)


def _found(rows: QuerySet[WorkflowVersion], most_read: int | None) -> tuple[list[Carried], bool]:
    ids = list(rows.order_by("-pk").values_list("pk", flat=True))
    unknown = [pk for pk in ids if pk not in _judged]
    for at in range(0, len(unknown[:most_read]), _READ):
        some = rows.filter(pk__in=unknown[:most_read][at : at + _READ])
        _judged.update((pk, _steps_in(definition)) for pk, definition in some.values_list("pk", "definition"))
    bad = [pk for pk in ids if _judged.get(pk)]
    left = most_read is not None and len(unknown) > most_read
    return ([_carried(row) for row in _rows(rows, bad)] if bad else []), left


def _rows(rows: QuerySet[WorkflowVersion], ids: list[int]) -> Any:
    columns = ("tenant_id", "workflow_id", "workflow__name", "workflow__title", "pk", "number")
    latest = Max("workflow__versions__number")
    return (
        rows.filter(pk__in=ids)
        .annotate(latest=latest)
        .order_by("-pk")
        .values_list(*columns, "latest", "workflow__archived_at")
    )


def _carried(row: tuple[Any, ...]) -> Carried:
    tenant, workflow, name, title, pk, number, latest, archived_at = row
    is_latest = number == latest and archived_at is None
    return Carried(tenant, workflow, name, title, pk, number, _judged[pk], is_latest)


def _steps_in(definition: dict[str, Json]) -> tuple[str, ...]:
    steps = [step for _, step in every_step(definition.get("nodes"), EXECUTABLE) if isinstance(step, dict)]
    if not any(step.get("type") in EXECUTABLE and EXECUTABLE[step["type"]].asks_people for step in steps):
        return ()
    titles = {step.get("id"): step_title(step, EXECUTABLE) for step in steps}
    problems = validate(definition, EXECUTABLE)
    names = [titles.get(one.node) for one in problems if one.code == "edge_without_outcome"]
    return tuple(dict.fromkeys(name for name in names if name))
