"""The forms by which a task goes back for changes, comes again, is answered, or asks others, too."""

from uuid import UUID

from accounts import people
from accounts.access import PageRequest
from accounts.names import key_of
from accounts.queries import groups_of
from engine.catalogue import Json
from lib.refusals import Invalid, Refusal
from runs.kernel.refused import RunRefused
from tasks_inbox.actions import comments, escalating, rounds
from tasks_inbox.forms.texts import title_of
from tasks_inbox.lifecycle.waits import people_in, whom
from tasks_inbox.store import queries
from tasks_inbox.web.corrections import correction_form, corrections_of
from tasks_inbox.web.pages import task_context, typed


def give_back(request: PageRequest, task_id: UUID) -> str | tuple[dict[str, Json], int]:
    """Return a task as the form says; gives what is to be told then, otherwise the page with what was wrong."""
    principal, why, to = request.principal, typed(request, "back_why"), typed(request, "back_to")
    context: dict[str, Json] = {"back_why": why, "back_to": to}
    try:
        seen = request.POST.get("seen") or None
        task = rounds.return_task(principal, task_id, comment=why, to=to or None, seen=seen)
        people.learn(task.tenant_id, [task.returned_to])
        holder = people.name_of(task.returned_to or "")
        return f"“{title_of(task)}” is with {holder} now. It comes back when they send it again."
    except Invalid as error:
        context["back_to_error" if error.field == "to" else "back_why_error"] = error.message
        return _page(request, task_id, context, 422)
    except (Refusal, RunRefused) as error:
        return _refused(request, task_id, context, error, "It was not returned")


def send_again(request: PageRequest, task_id: UUID) -> str | tuple[dict[str, Json], int]:
    """Send a returned task again as the form says; as `give_back`."""
    principal, remark = request.principal, typed(request, "again_comment")
    task = queries.task_of(principal.tenant_id, task_id)
    # Who takes it back is shown no fields.
    corrects = bool(request.POST.get("corrects"))
    form = correction_form(task, request.POST.dict() if corrects else None)
    facts = corrections_of(task, form) if corrects else {}
    context: dict[str, Json] = {"corrections": form.fields, "again_comment": remark}
    if any(field.error for field in form.fields):
        return _page(request, task_id, context, 422)
    try:
        rounds.send_again(principal, task_id, facts=facts, comment=remark)
        return f"“{title_of(task)}” was sent again: those who decide it are notified."
    except Invalid as error:
        path = f"data{(error.field or '').removeprefix('facts')}"
        faults = form.show([{"field": path, "message": error.message}]) if error.field != "comment" else []
        context |= {"again_error": error.message if error.field == "comment" else " ".join(faults)}
        return _page(request, task_id, context, 422)
    except (Refusal, RunRefused) as error:
        return _refused(request, task_id, context, error, "It was not sent again")


def escalate(request: PageRequest, task_id: UUID) -> str | tuple[dict[str, Json], int]:
    """Have a task ask others, too, as the form says; as `give_back`."""
    principal, to, why = request.principal, typed(request, "up_to"), typed(request, "up_why")
    context: dict[str, Json] = {"up_to": to, "up_why": why}
    try:
        candidates = _named(principal.tenant_id, to) if to else None
        task = escalating.escalate_task(principal, task_id, to=candidates, reason=why)
        people.learn(task.tenant_id, people_in(task.candidates))
        return f"It is escalated. Asked now: {whom(task.candidates, 'everybody who may decide tasks')}."
    except Invalid as error:
        context["up_why_error" if error.field == "reason" else "up_to_error"] = error.message
        return _page(request, task_id, context, 422)
    except (Refusal, RunRefused) as error:
        return _refused(request, task_id, context, error, "It was not escalated")


def _named(tenant: int, name: str) -> dict[str, list[str]]:
    """A group of the tenant, where there is one of that name, or a person."""
    is_group = groups_of(tenant).filter(key=key_of(name)).exists()
    return {"groups" if is_group else "users": [name]}


def answer(request: PageRequest, task_id: UUID) -> str | tuple[dict[str, Json], int]:
    """Answer the question that is open, for who started the run and decides no tasks; as `give_back`."""
    text = typed(request, "text")
    try:
        comments.answer(request.principal, task_id, text)
        return "Your answer is kept, and the task is no longer waiting."
    except Invalid as error:
        return _page(request, task_id, {"text": text, "text_error": error.message}, 422)
    except Refusal as error:
        return _refused(request, task_id, {"text": text}, error, "Your answer was not kept")


def _page(
    request: PageRequest, task_id: UUID, context: dict[str, Json], status: int
) -> tuple[dict[str, Json], int]:
    task = queries.task_of(request.principal.tenant_id, task_id)
    return task_context(request, task) | context, status


def _refused(
    request: PageRequest, task_id: UUID, context: dict[str, Json], error: Refusal | RunRefused, title: str
) -> tuple[dict[str, Json], int]:
    return _page(request, task_id, context | {"refused": error.message, "refused_title": title}, 409)
