"""What people do to runs by the forms of pages: resume, cancel, pause. Each ends on a run's page."""

from collections.abc import Callable
from functools import partial
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect

from accounts.access import PageRequest, page
from accounts.roles import RUNS_OPERATE
from runs.commands import dead_letters, items, lifecycle, operators
from runs.kernel.refused import RunRefused
from runs.limits import RUN_REASON_CHARACTERS
from runs.reading import queries
from runs.reading.presentation import found_run
from runs.reading.stored import NOTHING


@page(RUNS_OPERATE, "POST")
def resume(request: PageRequest, run_id: UUID) -> HttpResponse:
    """Resumes a failed run."""

    def resumed(tenant: int, runs: list[str], **terms: str) -> None:
        for run in runs:
            items.resume_run(tenant, run, **terms)

    return _done(request, run_id, resumed, "The run goes on at the step that failed.")


@page(RUNS_OPERATE, "POST")
def cancel(request: PageRequest, run_id: UUID) -> HttpResponse:
    """Cancels an open run; what it did is undone where that is asked."""
    undo = "compensate" in request.POST
    sentence = "The run is cancelled; running steps are awaited."
    return _done(
        request,
        run_id,
        partial(lifecycle.cancel_runs, compensate=undo),
        f"{sentence} Then what was done is undone." if undo else sentence,
    )


@page(RUNS_OPERATE, "POST")
def pause(request: PageRequest, run_id: UUID) -> HttpResponse:
    """Pauses a running run."""
    sentence = "The run is paused: running steps finish, nothing new starts."
    return _done(request, run_id, lifecycle.pause_runs, sentence)


@page(RUNS_OPERATE, "POST")
def unpause(request: PageRequest, run_id: UUID) -> HttpResponse:
    """Lets a paused run go on."""
    return _done(request, run_id, lifecycle.unpause_runs, "The run goes on.")


@page(RUNS_OPERATE, "POST")
def seen_to(request: PageRequest, run_id: UUID) -> HttpResponse:
    """Says of a failed run that somebody has seen to it: it is not told of as unresolved any more."""
    who = request.principal
    run = found_run(who.tenant_id, run_id, NOTHING)
    open_letters = queries.dead_letters_of(who.tenant_id).filter(run_id=run["id"], resolution=None)
    dead_letters.discard(who, open_letters, reason="handled, on the page of the run")
    messages.success(request, "Noted. The run stays as it is, and can still be resumed.")
    return redirect("run", run_id)


@page(RUNS_OPERATE, "POST")
def leave(request: PageRequest, run_id: UUID, node: str) -> HttpResponse:
    """Leaves the failure of a step as it is that asks what becomes of it: the run fails by it."""
    who = request.principal
    run = found_run(who.tenant_id, run_id, NOTHING)
    letters = queries.dead_letters_of(who.tenant_id).filter(run_id=run["id"], node=node, resolution=None)
    try:
        # Of a test, and of an item's own run, there are no letters.
        if not dead_letters.discard(who, letters, reason="left as it is, on the page of the run"):
            operators.leave_failed(who.tenant_id, run["id"], node)
        messages.success(request, "Noted: the step stays failed.")
    except RunRefused as refusal:
        messages.error(request, refusal.message)
    return redirect("run", run_id)


def _done(request: PageRequest, run_id: UUID, verb: Callable[..., None], sentence: str) -> HttpResponse:
    who = request.principal
    found_run(who.tenant_id, run_id, NOTHING)
    reason = request.POST.get("reason", "").replace("\x00", "").strip()[:RUN_REASON_CHARACTERS]
    try:
        verb(who.tenant_id, [str(run_id)], by=who.username, reason=reason)
    except RunRefused as refusal:
        messages.error(request, f"{refusal.message} Nothing was changed.")
    else:
        messages.success(request, sentence)
    return redirect("run", run_id)
