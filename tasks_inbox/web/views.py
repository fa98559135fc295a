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
from engine.catalogue import Json
from lib.refusals import Conflict, NotAllowed
from runs.web.contexts import following
from tasks_inbox.actions import assignment, notes
from tasks_inbox.models import OPEN, ManualTask
from tasks_inbox.store import queries
from tasks_inbox.web import filling, pages, returns, settling, undoing

PAGE = "inbox/page.html"


@page(TASKS_READ)
def inbox(request: PageRequest) -> HttpResponse:
    """The tasks of a view: what waits for whoever looks, and what they have done with the rest.

    `?open=1` leads to the one task of the list that is open, where there is one alone.
    """
    context = pages.list_context(request)
    waiting = [row["id"] for row in context["tasks"] if row["status"] == OPEN]
    if request.GET.get("open") and len(waiting) == 1:
        return redirect(f"{reverse('task', args=waiting)}?{context['keeps']}")
    return following(request, PAGE, "inbox/_list.html", context)


@page(TASKS_READ)
def task_page(request: PageRequest, task_id: UUID) -> HttpResponse:
    """One task beside its list: what is asked and, for those whom it asks, the form to decide it."""
    task = queries.task_of(request.principal.tenant_id, task_id)
    return following(request, PAGE, "inbox/_chosen.html", pages.task_context(request, task))


@page(TASKS_READ)
def task_state(request: PageRequest, task_id: UUID) -> HttpResponse:
    """How the task stands now, for a page of it that is open."""
    task = queries.task_of(request.principal.tenant_id, task_id)
    return render(request, "inbox/_state.html", pages.state_context(request, task))


@page(TASKS_READ, "POST")
def decide(request: PageRequest, task_id: UUID) -> HttpResponse:
    """Decides a task, and opens the next; what is wrong is shown at its field, with all that was typed."""
    return _answer(request, pages.decide(request, task_id), lambda: pages.onward(request, task_id))


@page(TASKS_READ, "POST")
def fill_in(request: PageRequest, task_id: UUID) -> HttpResponse:
    """The form as it is to be filled in after what was typed; decides nothing."""
    return following(request, PAGE, "inbox/_form.html", filling.fill_in(request, task_id))


@page(TASKS_READ)
def held(request: PageRequest) -> HttpResponse:
    """What whoever looks is about to decide, for a page that is open."""
    return render(request, "inbox/_held.html", undoing.held_context(request))


@page(TASKS_READ, "POST")
def undo(request: PageRequest, task_id: UUID) -> HttpResponse:
    """Takes back what one is about to decide, and shows the task with what one had typed."""
    try:
        message = undoing.undo(request, task_id)
    except Conflict as error:
        messages.error(request, error.message)
        return redirect(pages.back(request, task_id))
    return _answer(request, message, lambda: pages.back(request, task_id))


@page(TASKS_READ, "POST")
def keep(request: PageRequest, task_id: UUID) -> HttpResponse:
    """Keeps what was typed as who typed it left it, or forgets it."""
    context = filling.keep(request, task_id)
    if request.headers.get("HX-Request"):
        return render(request, "forms/_draft.html", context)
    return redirect(pages.back(request, task_id))


@page(TASKS_READ, "POST")
def attach(request: PageRequest, task_id: UUID) -> HttpResponse:
    """Adds a file to a task."""
    return _answer(request, filling.attach(request, task_id), lambda: f"{pages.back(request, task_id)}#files")


@page(TASKS_READ, "POST")
def take_back(request: PageRequest, task_id: UUID, file_id: UUID) -> HttpResponse:
    """Takes back a file."""
    result = filling.take_back(request, task_id, file_id)
    return _answer(request, result, lambda: f"{pages.back(request, task_id)}#files")


@page(TASKS_DECIDE, "POST")
def resolve(request: PageRequest, task_id: UUID) -> HttpResponse:
    """Settles a failed compensation; what is wrong is shown at its field, with all that was typed."""
    return _answer(request, settling.resolve(request, task_id), lambda: pages.onward(request, task_id))


@page(TASKS_DECIDE, "POST")
def comment(request: PageRequest, task_id: UUID) -> HttpResponse:
    """Says something of a task; what is wrong is shown at its field, with what was typed."""
    wrong = pages.comment(request, task_id)
    return _answer(request, wrong or "", lambda: f"{pages.back(request, task_id)}#comments")


@page(TASKS_READ, "POST")
def answer(request: PageRequest, task_id: UUID) -> HttpResponse:
    """Answers what was asked of who started the run."""
    return _answer(request, returns.answer(request, task_id), lambda: pages.back(request, task_id))


@page(TASKS_DECIDE, "POST")
def give_back(request: PageRequest, task_id: UUID) -> HttpResponse:
    """Returns a task for changes, and opens the next; what is wrong is shown at its field, with what was typed."""
    return _answer(request, returns.give_back(request, task_id), lambda: pages.onward(request, task_id))


@page(TASKS_DECIDE, "POST")
def escalate(request: PageRequest, task_id: UUID) -> HttpResponse:
    """Has a task ask others, too; what is wrong is shown at its field, with what was typed."""
    return _answer(request, returns.escalate(request, task_id), lambda: pages.back(request, task_id))


@page(TASKS_READ, "POST")
def send_again(request: PageRequest, task_id: UUID) -> HttpResponse:
    """Sends a returned task again; what is wrong is shown at its field, with what was typed."""
    return _answer(request, returns.send_again(request, task_id), lambda: pages.back(request, task_id))


@page(TASKS_DECIDE, "POST")
def delegate(request: PageRequest, task_id: UUID) -> HttpResponse:
    """Hands a task to somebody else; what is wrong is shown at its field, with what was typed."""
    return _answer(request, pages.delegate(request, task_id), lambda: pages.back(request, task_id))


@page(TASKS_DECIDE, "POST")
def claim(request: PageRequest, task_id: UUID) -> HttpResponse:
    """Takes a task."""
    return _done(
        request, task_id, assignment.claim_task, lambda _: "This task is yours: nobody else can decide it."
    )


@page(TASKS_DECIDE, "POST")
def unclaim(request: PageRequest, task_id: UUID) -> HttpResponse:
    """Puts a task back."""
    return _done(request, task_id, assignment.unclaim_task, pages.put_back)


@page(TASKS_DECIDE, "POST")
def snooze(request: PageRequest, task_id: UUID) -> HttpResponse:
    """Keeps a task out of one's own lists for a while, and opens the next; or wakes it."""
    try:
        messages.success(request, pages.snooze(request, task_id))
    except Conflict as error:
        messages.error(request, error.message)
        return redirect(pages.back(request, task_id))
    return redirect(pages.onward(request, task_id))


@page(TASKS_READ, "POST")
def watch(request: PageRequest, task_id: UUID) -> HttpResponse:
    """Watches a task, or no more."""
    watching = request.POST.get("watching") == "yes"
    notes.watch_task(request.principal, task_id, watching=watching)
    messages.success(request, "You watch this task." if watching else "You no longer watch this task.")
    return redirect(pages.back(request, task_id))


def _answer(
    request: PageRequest, result: str | tuple[dict[str, Json], int], then: Callable[[], str]
) -> HttpResponse:
    """The page with what was wrong; otherwise what is to be told, at the address that comes then."""
    if not isinstance(result, str):
        return render(request, PAGE, result[0], status=result[1])
    if result:
        messages.success(request, result)
    return redirect(then())


def _done(
    request: PageRequest,
    task_id: UUID,
    act: Callable[[Principal, UUID], ManualTask],
    words: Callable[[ManualTask], str],
) -> HttpResponse:
    try:
        task = act(request.principal, task_id)
    except (Conflict, NotAllowed) as error:
        messages.error(request, error.message)
    else:
        messages.success(request, words(task))
    return redirect(pages.back(request, task_id))
