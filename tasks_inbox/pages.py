"""What the pages of the inbox show: the contexts of their templates."""

import json
from typing import Any, cast
from uuid import UUID

from accounts import once
from accounts.access import PageRequest
from lib.api.pagination import keyset_page
from lib.refusals import Conflict, Invalid, Refusal
from runs.refused import RunRefused
from tasks_inbox import actions, comments, deciding, policies, queries
from tasks_inbox.compensations import ABANDON, DONE, LABELS, RESOLUTIONS, RETRY
from tasks_inbox.forms import FormField, fields_of, read, tell
from tasks_inbox.models import COMPENSATION, OPEN, ManualTask
from tasks_inbox.queries import View
from tasks_inbox.waits import whom

Json = Any
ON_A_PAGE = 50
TABS: tuple[tuple[View, str], ...] = (
    ("open", "Open to you"),
    ("mine", "Claimed by you"),
    ("done", "Decided by you"),
)
MAX_REASON = 2000
MAX_NAME = 150
COMMENTS_ON_A_PAGE = 100
MOST_OFFERED = 200
"""So many members are offered by name; any other may be typed."""
RESOLVED = {
    RETRY: "It is tried again. If it fails for good once more, a new task opens.",
    DONE: "It counts as undone, and the run goes on with what is left to undo.",
    ABANDON: "It is given up. What is left is undone, and the run ends as failed.",
}


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
    said, earlier = queries.last_comments(task, COMMENTS_ON_A_PAGE, before=_id(request.GET.get("before", "")))
    may_comment = who.decides and task.status == OPEN
    return {
        "task": row,
        "fields": fields_of(task.form) if fields is None else fields,
        "comment_wanted": [one["label"] for one in task.outcomes if one["require_comment"]],
        # What its instructions say of the run is over then.
        "is_settled": task.kind == COMPENSATION and task.status != OPEN,
        "is_mine": task.assignee == who.username,
        "is_asked": who.is_asked(task),
        "is_handed": task.assignee == who.username and task.delegated_by is not None,
        "is_excluded": policies.is_excluded(task, who.username),
        "facts": [_told(fact["label"], fact["value"]) for fact in task.facts],
        "said": said,
        "earlier": earlier,
        "may_comment": may_comment,
        "once": once.ticket(request.principal) if may_comment else "",
        "delegates": queries.delegates_of(task, who, MOST_OFFERED) if row["may_decide"] else (),
        "entries": [_told(_label(task, key), value) for key, value in (task.data or {}).items()],
    }


def decide(request: PageRequest, task_id: UUID) -> tuple[dict[str, Json], int] | None:
    """Decide as the form says; None when that is done, otherwise the page with what was wrong, and its status."""
    task = queries.task_of(request.principal.tenant_id, task_id)
    fields = fields_of(task.form)
    data = read(fields, request.POST) if task.form is not None else None
    comment = _typed(request, "comment")
    outcome = request.POST.get("outcome", "")
    status = 422
    told: dict[str, Json] = {"comment": comment, "comment_error": "", "faults": [], "refused": ""}
    try:
        if any(field.error for field in fields):
            deciding.check_decision(task, outcome, data, comment)
        else:
            deciding.complete_task(request.principal, task_id, outcome=outcome, data=data, comment=comment)
            return None
    except Invalid as error:
        faults: list[dict[str, Json]] = list(cast(Any, error.details.get("errors", ())))
        told["comment_error"] = next((one["message"] for one in faults if one["field"] == "comment"), "")
        told["faults"] = tell(fields, [one for one in faults if one["field"] != "comment"])
    except (Refusal, RunRefused) as error:
        status, told["refused"] = 409, error.message
        task = queries.task_of(request.principal.tenant_id, task_id)
    return task_context(request, task, fields) | told, status


def resolve(request: PageRequest, task_id: UUID) -> str | tuple[dict[str, Json], int]:
    """Settle a failed compensation as the form says; gives what is to be told then, otherwise as `decide`.

    The task is the form's ticket: it is resolved once, and a form that is sent twice finds its own answer.
    """
    who = request.principal
    how = request.POST.get("resolution", "")
    reason = _typed(request, "reason")
    told: dict[str, Json] = {"reason": reason, "reason_error": "", "faults": [], "refused": ""}
    status = 422
    if how not in RESOLUTIONS:
        told["faults"] = ["Choose what is to happen."]
    elif not reason and how != RETRY:
        told["reason_error"] = f"Say why: “{LABELS[how]}” needs a reason."
    elif len(reason) > MAX_REASON:
        told["reason_error"] = f"A reason has at most {MAX_REASON:,} characters."
    else:
        try:
            actions.resolve_task(who, task_id, resolution=cast(Any, how), reason=reason)
            return RESOLVED[how]
        except (Refusal, RunRefused) as error:
            task = queries.task_of(who.tenant_id, task_id)
            if (task.decided_by, task.outcome, task.comment) == (who.username, how, reason):
                return "This form was sent before; this is what came of it."
            status, told["refused"] = 409, error.message
    return task_context(request, queries.task_of(who.tenant_id, task_id)) | told, status


def comment(request: PageRequest, task_id: UUID) -> tuple[dict[str, Json], int] | None:
    """Say of a task what the form says, once however often it is sent; None when it is said, otherwise as `decide`."""
    who, text = request.principal, _typed(request, "text")
    ticket = request.POST.get("once", "")
    try:
        comments.add_comment(who, task_id, text, id=once.id_of(who, ticket))
        return None
    except Invalid as error:
        told, status = {"text": text, "text_error": error.message, "once": ticket}, 422
    except Conflict as error:
        title = "Your comment was not kept"
        told, status = {"text": text, "refused": error.message, "refused_title": title}, 409
    return task_context(request, queries.task_of(who.tenant_id, task_id)) | told, status


def delegate(request: PageRequest, task_id: UUID) -> str | tuple[dict[str, Json], int]:
    """Hand a task to whom the form names; gives what is to be told then, otherwise as `decide`."""
    who = request.principal
    to, why = _typed(request, "to"), _typed(request, "why")
    told: dict[str, Json] = {"to": to, "why": why}
    status = 422
    if not to:
        told["to_error"] = "Choose who is to have it."
    elif len(why) > MAX_REASON:
        told["why_error"] = f"A reason has at most {MAX_REASON:,} characters."
    else:
        try:
            task = actions.delegate_task(who, task_id, to[:MAX_NAME], reason=why)
            return (
                f"{task.assignee} has this task now, and decides it for {task.delegated_by or 'themselves'}."
            )
        except Invalid as error:
            told["to_error"] = error.message
        except Refusal as error:
            status = 409
            told |= {"refused": error.message, "refused_title": "You could not give it away"}
    return task_context(request, queries.task_of(who.tenant_id, task_id)) | told, status


def put_back(task: ManualTask) -> str:
    """What is told of a task that was put back."""
    if task.assignee is None:
        return "The task is open again to all whom it asks."
    return f"The task is with {task.assignee} again."


def _typed(request: PageRequest, name: str) -> str:
    return request.POST.get(name, "").replace("\r\n", "\n").replace("\x00", "").strip()


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
