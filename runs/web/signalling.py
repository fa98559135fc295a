"""The page that sends a run a signal by hand: by fields, where steps read some of its content, else as JSON."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

from accounts import once
from accounts.access import PageRequest, page
from accounts.roles import RUNS_SIGNAL
from engine.catalogue import Json
from lib.forms.fields import Form
from lib.forms.schema_forms import SchemaForms
from lib.strict_json import BadJson, strict_dumps
from lib.uuid7 import uuid7
from runs.commands.signals import NewSignal, Sent, send_signals
from runs.kernel.refused import RunRefused
from runs.limits import SIGNAL_BYTES
from runs.reading.presentation import found_run
from runs.reading.signal_fields import Signals, signals_of
from runs.reading.stored import NOTHING
from runs.web.forms import SignalForm
from steps.schema import fits
from workflows.design import value_forms
from workflows.design.starting import json_text

ROOT = "content"
FORMS = SchemaForms(fits, ROOT)


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a signal as it stands: fields, or with `kind` json a text; `unplaced`: no field can hold it."""

    kind: Literal["form", "json"]
    form: Form | None = None
    text: str = ""
    errors: list[str] = field(default_factory=list)
    unplaced: bool = False

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong with it."""
        return not self.errors and (self.form is None or not self.form.faults())


@page(RUNS_SIGNAL, "GET", "POST")
def signal(request: PageRequest, run_id: UUID) -> HttpResponse:
    """Sends a run a signal by hand: once, however often the form is sent."""
    who = request.principal
    run = found_run(who.tenant_id, run_id, NOTHING)
    data = request.POST if request.method == "POST" else None
    form = SignalForm(data, initial=request.GET.dict())
    name = str((data or request.GET).get("name", "")).strip()
    signals = signals_of(who, run_id, name)
    content, turn = _content(request, signals), request.POST.get("turn")
    if turn:
        content = _turned(form, content, signals, turn)
    elif form.is_bound and form.is_valid() and content.is_sound:
        value = form.value if content.form is None else dict(content.form.data)
        signal_id = once.id_of(who, request.POST.get("once", "")) or uuid7()
        new = NewSignal(signal_id, form.cleaned_data["name"], value)
        try:
            sent = _send(request, run_id, new)
        except RunRefused as refusal:
            form.add_error(None, refusal.message)
        else:
            messages.success(request, _became(new, sent))
            return redirect("run", run_id)
    context = {"run": run, "form": form, "content": content, "signals": signals, "once": once.ticket(who)}
    status = 422 if form.is_bound and not turn else 200
    return render(request, "runs/signal.html", context | {"is_turned": bool(turn)}, status=status)


def _content(request: PageRequest, signals: Signals) -> Content:
    """What was typed, or the blank form."""
    schema = signals.schema
    if request.method != "POST":
        return Content("json") if schema is None else Content("form", value_forms.blank(FORMS, schema))
    if request.POST.get("kind") != "form":
        return Content("json", text=request.POST.get("payload", ""))
    if schema is None:
        return Content("json", errors=["No field of this signal is known: write its content as JSON."])
    entries = {name: str(text) for name, text in request.POST.items() if name.startswith(f"{ROOT}.")}
    form, errors = value_forms.typed(FORMS, schema, entries)
    return Content("form", form, errors=[*errors, *_too_large(form.data)])


def _too_large(value: Mapping[str, Json]) -> list[str]:
    try:
        strict_dumps(value, max_bytes=SIGNAL_BYTES)
    except BadJson as error:
        return [f"{error.message[:1].upper()}{error.message[1:]}."]
    return []


def _turned(form: SignalForm, content: Content, signals: Signals, turn: str) -> Content:
    """The content as JSON, or in fields; JSON that no field can hold stays JSON."""
    if turn == "json" and content.form is not None:
        return Content("json", text=json_text(content.form.data) if content.form.data else "")
    if turn != "form" or signals.schema is None or "payload" in form.errors:
        return content
    form_with_value = value_forms.filled(FORMS, signals.schema, {} if form.value is None else form.value)
    return replace(content, unplaced=True) if form_with_value is None else Content("form", form_with_value)


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
