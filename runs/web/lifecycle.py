"""What people do to runs by the forms of pages: resume, cancel, signal. Each ends on a run's page."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

from accounts import once
from accounts.access import PageRequest, page
from accounts.roles import RUNS_OPERATE, RUNS_SIGNAL
from lib.uuid7 import uuid7
from runs.commands import dead_letters, items, lifecycle, operators
from runs.commands.signals import NewSignal, Sent, send_signals
from runs.kernel.refused import RunRefused
from runs.limits import RUN_REASON_CHARACTERS
from runs.reading import queries
from runs.reading.presentation import found_run
from runs.reading.stored import NOTHING
from runs.web.forms import SignalForm


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


@page(RUNS_SIGNAL, "GET", "POST")
def signal(request: PageRequest, run_id: UUID) -> HttpResponse:
    """Sends a run a signal by hand: once, however often the form is sent."""
    who = request.principal
    run = found_run(who.tenant_id, run_id, NOTHING)
    form = SignalForm(request.POST if request.method == "POST" else None, initial=request.GET.dict())
    if form.is_bound and form.is_valid():
        signal_id = once.id_of(who, request.POST.get("once", "")) or uuid7()
        new = NewSignal(signal_id, form.cleaned_data["name"], form.value)
        try:
            sent = _send(request, run_id, new)
        except RunRefused as refusal:
            form.add_error(None, refusal.message)
        else:
            messages.success(request, _became(new, sent))
            return redirect("run", run_id)
    context = {"run": run, "form": form, "once": once.ticket(who)}
    return render(request, "runs/signal.html", context, status=422 if form.is_bound else 200)


def _became(new: NewSignal, sent: Sent) -> str:
    """What became of a signal, in a sentence."""
    if sent.is_kept:
        return f"The signal {new.name} was sent. No step waits for it now: it is kept for the one that will."
    return f"The signal {new.name} was sent."


def _send(request: PageRequest, run_id: UUID, new: NewSignal) -> Sent:
    """Send it; what somebody changed in a form that was sent before is another signal. Raises RunRefused."""
    who = request.principal
    try:
        (sent,) = send_signals(who.tenant_id, [(str(run_id), new)], by=who.username)
    except RunRefused as refusal:
        if refusal.code != "signal_mismatch":
            raise
        another = replace(new, signal_id=uuid7())
        (sent,) = send_signals(who.tenant_id, [(str(run_id), another)], by=who.username)
    return sent
