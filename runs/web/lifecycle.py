"""What people do to runs by the forms of pages: start, run again, resume, cancel, signal. Each ends on a run's page."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

from accounts import once
from accounts.access import PageRequest, page
from accounts.roles import RUNS_OPERATE, RUNS_READ, RUNS_SIGNAL, RUNS_START
from engine.catalogue import Json
from lib.refusals import Conflict
from lib.uuid7 import uuid7
from runs.access import guard_run
from runs.commands import dead_letters, lifecycle
from runs.commands.signals import NewSignal, send_signals
from runs.commands.starts import IfExists, NewRun, Started, Terms, start_runs
from runs.kernel.graphs import graph_of
from runs.kernel.refused import RunRefused
from runs.reading import queries
from runs.reading.presentation import NOTHING, Bounds, found_run
from runs.web import contexts
from runs.web.forms import SignalForm, StartForm, form_with
from workflows.queries import get_workflow, startable_version

_LONGEST_REASON = 1000
_OWN = Bounds(None, 0, 0)
"""A run with its own payloads whole, and without those of its steps."""


@page(RUNS_OPERATE, "POST")
def resume(request: PageRequest, run_id: UUID) -> HttpResponse:
    """Resumes a failed run."""
    return _done(request, run_id, lifecycle.resume_runs, "The run goes on at the step that failed.")


@page(RUNS_OPERATE, "POST")
def cancel(request: PageRequest, run_id: UUID) -> HttpResponse:
    """Cancels an open run; what it did is undone where that is asked."""
    undo = "compensate" in request.POST
    sentence = "The run is cancelled; what runs right now is awaited."
    return _done(
        request,
        run_id,
        partial(lifecycle.cancel_runs, compensate=undo),
        f"{sentence} Then what was done is undone." if undo else sentence,
    )


@page(RUNS_OPERATE, "POST")
def pause(request: PageRequest, run_id: UUID) -> HttpResponse:
    """Pauses a running run."""
    sentence = "The run is paused: what runs now goes on to its end, nothing new starts."
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
    dead_letters.discard(who, open_letters, reason="seen to, on the page of the run")
    messages.success(request, "Noted. The run stays as it is, and can still be resumed.")
    return redirect("run", run_id)


def _done(request: PageRequest, run_id: UUID, verb: Callable[..., None], sentence: str) -> HttpResponse:
    who = request.principal
    found_run(who.tenant_id, run_id, NOTHING)
    reason = request.POST.get("reason", "").replace("\x00", "").strip()[:_LONGEST_REASON]
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
            _send(request, run_id, new)
        except RunRefused as refusal:
            form.add_error(None, refusal.message)
        else:
            messages.success(request, f"The signal {new.name} was sent.")
            return redirect("run", run_id)
    context = {"run": run, "form": form, "once": once.ticket(who)}
    return render(request, "runs/signal.html", context, status=422 if form.is_bound else 200)


def _send(request: PageRequest, run_id: UUID, new: NewSignal) -> None:
    """Send it; what somebody changed in a form that was sent before is another signal. Raises RunRefused."""
    who = request.principal
    try:
        send_signals(who.tenant_id, [(str(run_id), new)], by=who.username)
    except RunRefused as refusal:
        if refusal.code != "signal_mismatch":
            raise
        send_signals(who.tenant_id, [(str(run_id), replace(new, signal_id=uuid7()))], by=who.username)


@page(RUNS_START, "GET", "POST")
def workflow_start(request: PageRequest, name: str) -> HttpResponse:
    """Starts a run of a workflow's latest version; what is wrong is shown at its field, with all that was typed."""
    workflow = get_workflow(request.principal.tenant_id, name)
    form = StartForm(request.POST) if request.method == "POST" else form_with({"text": ""}, None)
    return _from_form(request, form, name, {"workflow": workflow})


@page(RUNS_START, "GET", "POST")
def run_again(request: PageRequest, run_id: UUID) -> HttpResponse:
    """Starts the workflow of a run once more: with the same input, or with one that was edited on the page."""
    guard_run(request.principal, RUNS_READ, run_id)
    run = found_run(request.principal.tenant_id, run_id, _OWN)
    if run["test"]:
        raise Conflict("This was a test run: test the draft again, or start the workflow.")
    name, key = run["workflow"], run["business_key"]
    context = {"workflow": get_workflow(request.principal.tenant_id, name), "run": run}
    if request.method != "POST":
        return _from_form(request, form_with(run["input"], key), name, context)
    if "input" in request.POST:
        return _from_form(request, StartForm(request.POST), name, context, if_exists="new_if_ended")
    try:
        version = startable_version(request.principal.tenant_id, name)
        start = _started(request, version, NewRun(run["input"], key), if_exists="new_if_ended")
    except (RunRefused, Conflict) as refusal:
        messages.error(request, refusal.message)
        return redirect("run", run_id)
    return _to(request, start)


def _from_form(
    request: PageRequest,
    form: StartForm,
    workflow: str,
    context: dict[str, Json],
    *,
    if_exists: IfExists = "return",
) -> HttpResponse:
    """The run that a form started, or the form with what was wrong."""
    if form.is_bound and form.is_valid():
        try:
            version = startable_version(request.principal.tenant_id, workflow)
            item = NewRun(form.given(_takes_a_bare_text(version)), form.cleaned_data["business_key"] or None)
            return _to(request, _started(request, version, item, if_exists=if_exists))
        except (RunRefused, Conflict) as refusal:
            form.refuse(refusal)
    context |= {"form": form, **contexts.may(request.principal, workflow)}
    return render(request, "runs/start.html", context, status=422 if form.is_bound else 200)


def _takes_a_bare_text(version: int) -> bool:
    schema = graph_of(version).input_schema
    return schema is not None and schema.get("type") == "string"


def _started(request: PageRequest, version: int, item: NewRun, *, if_exists: IfExists) -> Started:
    """The run; where its form was sent before, the one that it started then. Raises RunRefused and Conflict."""
    who = request.principal
    start = partial(start_runs, Terms(who.tenant_id, version, who.username), if_exists=if_exists)
    run_id = once.id_of(who, request.POST.get("once", ""))
    try:
        return start([replace(item, id=run_id)])[0]
    except RunRefused as refusal:
        if run_id is None or refusal.code != "started_already":
            raise
    earlier = queries.get_run_for(who.tenant_id, run_id)
    if earlier is None or earlier.input != item.input:
        # Somebody went back to the form and changed what is in it: this is another run.
        return start([item])[0]
    messages.info(request, "This form was sent before; this is the run that it started.")
    return Started(run_id, item.business_key, created=True)


def _to(request: PageRequest, start: Started) -> HttpResponse:
    if start.input_mismatch:
        messages.warning(
            request,
            "There is a run with this business key already: this one. It was started with another input,"
            " and what you gave was not used.",
        )
    elif not start.created:
        messages.info(
            request, "There is a run with this business key already: this one. No other was started."
        )
    for text in start.warnings:
        messages.warning(request, text)
    return redirect("run", start.id)
