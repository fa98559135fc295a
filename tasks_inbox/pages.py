"""What the pages of the inbox show: the contexts of their templates."""

import json
from typing import Any, cast
from uuid import UUID

from accounts.access import PageRequest
from lib.api.pagination import keyset_page
from lib.refusals import Invalid, Refusal
from runs.refused import RunRefused
from tasks_inbox import actions, policies, queries
from tasks_inbox.forms import FormField, fields_of, read, tell
from tasks_inbox.models import ManualTask
from tasks_inbox.queries import View
from tasks_inbox.waits import whom

Json = Any
ON_A_PAGE = 50
TABS: tuple[tuple[View, str], ...] = (
    ("open", "Open to you"),
    ("mine", "Claimed by you"),
    ("done", "Decided by you"),
)


def list_context(request: PageRequest) -> dict[str, Json]:
    """The tasks of a view, or of one run. Raises Invalid for a cursor of another list."""
    who = queries.who_is(request.principal)
    run = _id(request.GET.get("run", ""))
    view: View = next((name for name, _ in TABS if name == request.GET.get("view")), "open")
    found = queries.tasks_of(who, run=run) if run else queries.tasks_of(who, view=view)
    cursor = request.GET.get("cursor") or None
    page = keyset_page(found, request, keys=("id",), limit=ON_A_PAGE, cursor=cursor)
    names = queries.workflow_names(who.tenant_id, page.rows)
    rows = [_shown(queries.task_row(task, names[task.workflow_id], who)) for task in page.rows]
    return {
        "tasks": rows,
        "view": view,
        "run": run,
        "tabs": TABS,
        "decides": who.decides,
        "newer": _query(page.previous),
        "older": _query(page.next),
    }


def task_context(
    request: PageRequest, task: ManualTask, fields: list[FormField] | None = None
) -> dict[str, Json]:
    """What a task's page shows, its form with what was typed."""
    who = queries.who_is(request.principal)
    workflow = queries.workflow_names(who.tenant_id, [task])[task.workflow_id]
    row = _shown(queries.whole_row(task, workflow, who))
    return {
        "task": row,
        "fields": fields_of(task.form) if fields is None else fields,
        "comment_wanted": [one["label"] for one in task.outcomes if one["require_comment"]],
        "is_mine": task.assignee == who.username,
        "is_asked": who.may_decide(task),
        "is_excluded": policies.is_excluded(task, who.username),
        "facts": [_told(fact["label"], fact["value"]) for fact in task.facts],
        "entries": [_told(_label(task, key), value) for key, value in (task.data or {}).items()],
    }


def decide(request: PageRequest, task_id: UUID) -> tuple[dict[str, Json], int] | None:
    """Decide as the form says; None when that is done, otherwise the page with what was wrong, and its status."""
    task = queries.task_of(request.principal.tenant_id, task_id)
    fields = fields_of(task.form)
    data = read(fields, request.POST) if task.form is not None else None
    comment = request.POST.get("comment", "").replace("\r\n", "\n").replace("\x00", "").strip()
    outcome = request.POST.get("outcome", "")
    status = 422
    told: dict[str, Json] = {"comment": comment, "comment_error": "", "faults": [], "refused": ""}
    try:
        if any(field.error for field in fields):
            actions.check_decision(task, outcome, data, comment)
        else:
            actions.complete_task(request.principal, task_id, outcome=outcome, data=data, comment=comment)
            return None
    except Invalid as error:
        faults: list[dict[str, Json]] = list(cast(Any, error.details.get("errors", ())))
        told["comment_error"] = next((one["message"] for one in faults if one["field"] == "comment"), "")
        told["faults"] = tell(fields, [one for one in faults if one["field"] != "comment"])
    except (Refusal, RunRefused) as error:
        status, told["refused"] = 409, error.message
        task = queries.task_of(request.principal.tenant_id, task_id)
    return task_context(request, task, fields) | told, status


def _shown(row: dict[str, Json]) -> dict[str, Json]:
    chosen = next((one["label"] for one in row["outcomes"] if one["name"] == row["outcome"]), row["outcome"])
    return row | {"whom": whom(row["candidates"], "everybody who may decide tasks"), "decision": chosen}


def _label(task: ManualTask, key: str) -> str:
    return next((field.label for field in fields_of(task.form) if field.key == key), key)


def _told(label: str, value: Json) -> dict[str, Json]:
    """A value for people: a text as it is, nothing as a word, the rest as JSON."""
    if value is None or isinstance(value, str | bool):
        words = {None: "none", True: "yes", False: "no"}
        text = value if isinstance(value, str) else words[value]
        return {"label": label, "text": text, "is_code": False}
    is_number = isinstance(value, int | float)
    text = json.dumps(value, ensure_ascii=False, indent=None if is_number else 2)
    return {"label": label, "text": text, "is_code": not is_number}


def _id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _query(address: str | None) -> str | None:
    return f"?{address.partition('?')[2]}" if address else None
