"""The form by which operators settle what is no step's question: a compensation that failed, or an incident."""

from typing import Any, cast
from uuid import UUID

from accounts.access import PageRequest
from engine.catalogue import Json
from lib.refusals import Refusal
from runs.kernel.refused import RunRefused
from tasks_inbox.actions import resolving
from tasks_inbox.lifecycle.compensations import ABANDON, DONE, RETRY
from tasks_inbox.limits import TASK_REASON_CHARACTERS
from tasks_inbox.models import COMPENSATION, FOR_OPERATORS, INCIDENT, label_of
from tasks_inbox.store import queries
from tasks_inbox.web.pages import task_context, typed

RESOLVED = {
    RETRY: "It is tried again. If it fails for good once more, a new task opens.",
    DONE: "It counts as undone, and the run goes on with what is left to undo.",
    ABANDON: "It is given up. What is left is undone, and the run ends as failed.",
}


SETTLED = {
    RETRY: "The run goes on from the step that failed. If it fails for good once more, a new task opens.",
    ABANDON: "Its dead letter is discarded, and the run has failed.",
    DONE: "Seen: nobody else needs to look.",
}


def resolve(request: PageRequest, task_id: UUID) -> str | tuple[dict[str, Json], int]:
    """Settle a failed compensation as the form says; gives what is to be told then, otherwise as `decide`.

    The task is the form's ticket: it is resolved once, and a form that is sent twice finds its own answer.
    """
    principal = request.principal
    how = request.POST.get("resolution", "")
    reason = typed(request, "reason")
    context: dict[str, Json] = {"reason": reason, "reason_error": "", "faults": [], "refused": ""}
    status = 422
    task = queries.task_of(principal.tenant_id, task_id)
    if task.kind in FOR_OPERATORS and how not in {one["name"] for one in task.outcomes}:
        context["faults"] = ["Choose what should happen."]
    elif not reason and (how == ABANDON or (how == DONE and task.kind == COMPENSATION)):
        context["reason_error"] = f"Give a reason: “{label_of(task.outcomes, how)}” needs a reason."
    elif len(reason) > TASK_REASON_CHARACTERS:
        context["reason_error"] = f"A reason has at most {TASK_REASON_CHARACTERS:,} characters."
    else:
        try:
            resolving.resolve_task(principal, task_id, resolution=cast(Any, how), reason=reason)
            return (SETTLED if task.kind == INCIDENT else RESOLVED)[how]
        except (Refusal, RunRefused) as error:
            task = queries.task_of(principal.tenant_id, task_id)
            if (task.decided_by, task.outcome, task.comment) == (principal.username, how, reason):
                return "This form was already sent; this is its result."
            status, context["refused"] = 409, error.message
    return task_context(request, queries.task_of(principal.tenant_id, task_id)) | context, status
