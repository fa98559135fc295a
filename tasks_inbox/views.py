"""The pages of the inbox. Looking changes nothing: whatever does is a form that is posted."""

from collections.abc import Callable
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from accounts.access import PageRequest, page
from accounts.principal import Principal
from accounts.roles import TASKS_DECIDE, TASKS_READ
from lib.refusals import Conflict, NotAllowed
from tasks_inbox import actions, pages, queries
from tasks_inbox.models import ManualTask


@page(TASKS_READ)
def inbox(request: PageRequest) -> HttpResponse:
    """The tasks that are open to whoever looks, that they have claimed, or decided."""
    return render(request, "inbox/list.html", pages.list_context(request))


@page(TASKS_READ)
def task_page(request: PageRequest, task_id: UUID) -> HttpResponse:
    """One task: what is asked and, for those whom it asks, the form to decide it."""
    task = queries.task_of(request.principal.tenant_id, task_id)
    return render(request, "inbox/detail.html", pages.task_context(request, task))


@page(TASKS_DECIDE, "POST")
def decide(request: PageRequest, task_id: UUID) -> HttpResponse:
    """Decides a task; what is wrong is shown at its field, with all that was typed."""
    wrong = pages.decide(request, task_id)
    if wrong is not None:
        return render(request, "inbox/detail.html", wrong[0], status=wrong[1])
    messages.success(request, "Your decision is kept, and the run goes on.")
    return redirect("task", task_id)


@page(TASKS_DECIDE, "POST")
def resolve(request: PageRequest, task_id: UUID) -> HttpResponse:
    """Settles a failed compensation; what is wrong is shown at its field, with all that was typed."""
    found = pages.resolve(request, task_id)
    if not isinstance(found, str):
        return render(request, "inbox/detail.html", found[0], status=found[1])
    messages.success(request, found)
    return redirect("task", task_id)


@page(TASKS_DECIDE, "POST")
def comment(request: PageRequest, task_id: UUID) -> HttpResponse:
    """Says something of a task; what is wrong is shown at its field, with what was typed."""
    wrong = pages.comment(request, task_id)
    if wrong is not None:
        return render(request, "inbox/detail.html", wrong[0], status=wrong[1])
    return redirect(f"{reverse('task', args=[task_id])}#comments")


@page(TASKS_DECIDE, "POST")
def delegate(request: PageRequest, task_id: UUID) -> HttpResponse:
    """Hands a task to somebody else; what is wrong is shown at its field, with what was typed."""
    found = pages.delegate(request, task_id)
    if not isinstance(found, str):
        return render(request, "inbox/detail.html", found[0], status=found[1])
    messages.success(request, found)
    return redirect("task", task_id)


@page(TASKS_DECIDE, "POST")
def claim(request: PageRequest, task_id: UUID) -> HttpResponse:
    """Takes a task."""
    return _done(
        request, task_id, actions.claim_task, lambda _: "This task is yours: nobody else decides it."
    )


@page(TASKS_DECIDE, "POST")
def unclaim(request: PageRequest, task_id: UUID) -> HttpResponse:
    """Puts a task back."""
    return _done(request, task_id, actions.unclaim_task, pages.put_back)


def _done(
    request: PageRequest,
    task_id: UUID,
    act: Callable[[Principal, UUID], ManualTask],
    said: Callable[[ManualTask], str],
) -> HttpResponse:
    try:
        task = act(request.principal, task_id)
    except (Conflict, NotAllowed) as refused:
        messages.error(request, refused.message)
    else:
        messages.success(request, said(task))
    return redirect("task", task_id)
