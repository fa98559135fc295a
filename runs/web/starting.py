"""The pages that start a workflow: a field for each property of its input where a schema says so, else a text or JSON.

Looking starts nothing. What is wrong is shown at its field, with all that was typed.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from accounts import once
from accounts.access import PageRequest, page
from accounts.picking import Members
from accounts.roles import RUNS_READ, RUNS_START, WORKFLOWS_READ
from engine.catalogue import Json
from lib.forms.people import offer_people
from lib.masking import masked, restored
from lib.refusals import Conflict, NotAllowed, Refusal, Unprocessable
from runs.access import guard_run
from runs.commands.start_drafts import drop_start, keep_start
from runs.commands.starts import IfExists, NewRun
from runs.files.naming import name_files, take_uploads
from runs.kernel.graphs import graph_of
from runs.kernel.refused import RunRefused
from runs.reading import queries
from runs.reading.presentation import found_run
from runs.reading.requests import is_own
from runs.reading.run_view import RunView
from runs.reading.stored import Bounds
from runs.web import contexts
from runs.web.form_starts import people_of, started, to_run
from runs.web.forms import KeyForm, StartForm, form_with
from workflows import ports
from workflows.access import may
from workflows.design import start_forms
from workflows.design.start_forms import FORMS, ROOT, Start, field_of
from workflows.design.starting import json_text
from workflows.models import Workflow
from workflows.queries import get_workflow, startable_of, startable_version

_OWN = Bounds(None, 0, 0)
"""A run with its own payloads whole, and without those of its steps."""
PERSON_REFUSALS = (Unprocessable, NotAllowed)
"""Why a run can't be filed for the person that a form names."""
MASKED = "This is masked, and its value is not known here: enter it."
BROUGHT_UP = "Your entries require more fields: fill them in below, then start it."


@dataclass(frozen=True, slots=True)
class Place:
    """What is to be started: a workflow, by the version of this number; `run`: the one that is done once more."""

    workflow: Workflow
    definition: Mapping[str, Json]
    number: int | None
    run: Mapping[str, Json] | None = None

    @property
    def schema(self) -> dict[str, Json] | None:
        """What the form is made of; None where a text or JSON is asked for."""
        return start_forms.schema_of(self.definition)

    @property
    def was(self) -> Json:
        """The input that stood in the form, masked."""
        return None if self.run is None else self.run["input"]

    @property
    def run_id(self) -> str | None:
        """The id of the run that is done once more."""
        return None if self.run is None else str(self.run["id"])

    @property
    def if_exists(self) -> IfExists:
        """What becomes of a start with the business key of another run."""
        return "return" if self.run is None else "new_if_ended"

    def blank(self, request: PageRequest) -> Start:
        """The form with nothing but defaults, and what whoever looks did before."""
        earlier = ports.Earlier() if self.run else ports.earlier(request.principal, self.workflow)
        return start_forms.about(self.definition, earlier)


@page(RUNS_START, "GET", "POST")
def workflow_start(request: PageRequest, name: str) -> HttpResponse:
    """Starts a run of a workflow by the version that new runs take; looking fills the form in as the address says."""
    place = _place(request, name)
    if request.method == "POST":
        return _sent(request, place)
    if place.schema is None:
        return _text_page(request, place, form_with({"text": ""}, None))
    who = request.principal
    earlier = ports.earlier(who, place.workflow)

    def last_input() -> Json:
        return masked(ports.last_input(who, place.workflow))

    start = start_forms.opened(place.definition, earlier, dict(request.GET.lists()), last_input)
    return _fields_page(request, place, start)


@page(RUNS_START, "GET", "POST")
def run_again(request: PageRequest, run_id: UUID) -> HttpResponse:
    """Starts the workflow of a run once more: with the same input, or with one that was edited on the page."""
    run = _run(request, run_id)
    name, key = run["workflow"], run["business_key"]
    if request.method == "POST" and not {"input", "input_kind"} & request.POST.keys():
        try:
            version = startable_version(request.principal.tenant_id, name)
            item = NewRun(run["input"], key, files_of=str(run_id))
            again = started(request, version, item, if_exists="new_if_ended")
            return to_run(request, get_workflow(request.principal.tenant_id, name), again)
        except (RunRefused, Conflict) as refusal:
            messages.error(request, refusal.message)
            return redirect("run" if RUNS_READ in request.principal.scopes else "request", run_id)
    place = _place(request, name, run)
    if request.method == "POST":
        return _sent(request, place)
    if place.schema is None:
        return _text_page(request, place, form_with(run["input"], key))
    start = replace(place.blank(request), source="run", business_key=key or "")
    return _fields_page(request, place, start_forms.filled(place.definition, start, masked(run["input"])))


@page(RUNS_START, "POST")
def fill_in(request: PageRequest, name: str) -> HttpResponse:
    """The form as it is to be filled in after what was typed, or its input as JSON, and back; starts nothing."""
    run_id = contexts.uuid_of(request.GET.get("run", ""))
    place = _place(request, name, _run(request, run_id) if run_id else None)
    if place.schema is None:
        return redirect("workflow-start", name)
    if request.POST.get("turn") == "form":
        return _turned_to_form(request, place)
    not_taken = take_uploads(request, request.principal, ROOT)
    entries, turns = _entries(request), request.POST.get("turn") == "json"
    if turns:
        form = FORMS.form_of(place.schema, entries, lenient=True, people=_people(request))
        start = replace(_typed(request, place), kind="json", given=json_text(form.data))
        return _fields_page(request, place, start)
    form = FORMS.edited(place.schema, entries, request.POST.get("edit", ""), people=_people(request))
    is_checked = request.POST.get("checked") == "yes"
    form.show(not_taken)
    errors = start_forms.check(place.schema, form, restored(form.data, place.was)[0]) if is_checked else []
    if request.headers.get("HX-Request"):
        name_files(request.principal, form, place.run_id)
        offer_people(form.each(), _people(request))
        context = {"form": form, "workflow": place.workflow, "is_checked": is_checked, "stays": _stays(place)}
        return render(request, "workflows/_start_fields.html", context)
    start = replace(_typed(request, place), form=form, is_checked=is_checked, errors=errors)
    return _fields_page(request, place, start)


@page(RUNS_START, "POST")
def keep(request: PageRequest, name: str) -> HttpResponse:
    """Keeps what was typed as who typed it left it, or forgets it."""
    place = _place(request, name)
    if request.POST.get("drop"):
        drop_start(request.principal, place.workflow)
        query = request.GET.urlencode()
        return redirect(reverse("workflow-start", args=[name]) + (f"?{query}" if query else ""))
    context: dict[str, Json] = {}
    try:
        context["draft"] = None if _has_started(request) else _keep(request, place)
    except Refusal as refusal:
        context["not_kept"] = refusal.message
    if request.headers.get("HX-Request"):
        return render(request, "forms/_draft.html", context)
    return redirect("workflow-start", name)


def _place(request: PageRequest, name: str, run: Mapping[str, Json] | None = None) -> Place:
    workflow = get_workflow(request.principal.tenant_id, name)
    version = startable_of(workflow)
    if version is None:
        return Place(workflow, {"nodes": []}, None, run)
    return Place(workflow, version.definition, version.number, run)


def _run(request: PageRequest, run_id: UUID) -> RunView:
    if not is_own(request.principal, run_id):
        request.principal.require(RUNS_READ)
        guard_run(request.principal, RUNS_READ, run_id)
    run = found_run(request.principal.tenant_id, run_id, _OWN)
    if run["test"]:
        raise Conflict("This was a test run: test the draft again, or start the workflow.")
    return run


def _sent(request: PageRequest, place: Place) -> HttpResponse:
    """The run that a form started, or the form with what was wrong."""
    if place.schema is not None and request.POST.get("input_kind") == "form":
        return _from_fields(request, place, place.schema)
    form = StartForm(request.POST, was=place.was)
    if form.is_valid() and place.schema is not None and form.cleaned_data["input_kind"] == "json":
        for path, message in start_forms.problems(place.schema, form.given(False)):
            form.refuse(RunRefused("invalid_input", message, field=field_of(path)))
    if form.is_valid():
        try:
            version = startable_version(request.principal.tenant_id, place.workflow.name)
            value, key = form.given(_takes_a_bare_text(version)), form.cleaned_data["business_key"]
            item = NewRun(value, key or None, files_of=place.run_id)
            return _start(request, place, version, item)
        except PERSON_REFUSALS as refusal:
            return _refused_person(request, place, refusal, form)
        except (RunRefused, Conflict) as refusal:
            form.refuse(refusal)
    if place.schema is None or request.POST.get("input_kind") != "json":
        return _text_page(request, place, form)
    return _refused_json(request, place, form)


def _from_fields(request: PageRequest, place: Place, schema: Mapping[str, Json]) -> HttpResponse:
    not_taken = take_uploads(request, request.principal, ROOT)
    form, key = FORMS.form_of(schema, _entries(request), people=_people(request)), KeyForm(request.POST)
    form.show(not_taken)
    data, unknown = restored(form.data, place.was)
    errors = start_forms.check(schema, form, data, dict.fromkeys(unknown, MASKED))
    key_error, person_error = "" if key.is_valid() else key.said, ""
    if not (errors or key_error or form.faults()) and any(field.is_new for field in form.each()):
        errors = [BROUGHT_UP]
    if not (errors or key_error or form.faults()):
        try:
            version = startable_version(request.principal.tenant_id, place.workflow.name)
            item = NewRun(data, key.cleaned_data["business_key"] or None, files_of=place.run_id)
            return _start(request, place, version, item)
        except PERSON_REFUSALS as refusal:
            person_error = refusal.message
        except (RunRefused, Conflict) as refusal:
            if refusal.field == "business_key":
                key_error = refusal.message
            else:
                # What is not of the input, such as an archived workflow, is at no field.
                at = refusal.field if (refusal.field or "").startswith(ROOT) else ""
                errors = form.show([{"field": at, "message": refusal.message}])
    if place.run is None:
        with suppress(Refusal):
            _keep(request, place)
    start = replace(_typed(request, place), form=form, errors=errors, key_error=key_error, is_checked=True)
    return _fields_page(request, place, start, status=422, person_error=person_error)


def _start(request: PageRequest, place: Place, version: int, item: NewRun) -> HttpResponse:
    """The way to the run. Raises RunRefused and Conflict."""
    run = started(request, version, item, if_exists=place.if_exists)
    if place.run is None:
        drop_start(request.principal, place.workflow)
    return to_run(request, place.workflow, run)


def _turned_to_form(request: PageRequest, place: Place) -> HttpResponse:
    form = StartForm(request.POST, is_sent=False)
    if not form.is_valid():
        return _refused_json(request, place, form)
    start = start_forms.filled(place.definition, _typed(request, place), form.given(False))
    return _fields_page(request, place, start)


def _refused_json(request: PageRequest, place: Place, form: StartForm) -> HttpResponse:
    if place.run is None:
        with suppress(Refusal):
            _keep(request, place)
    start = replace(
        _typed(request, place),
        kind="json",
        given=request.POST.get("input", ""),
        errors=[str(error) for error in form.non_field_errors()],
        key_error=" ".join(map(str, form.errors.get("business_key", ()))),
    )
    return _fields_page(request, place, start, form, status=422)


def _typed(request: PageRequest, place: Place) -> Start:
    key = request.POST.get("business_key", "").replace("\x00", "")
    return replace(place.blank(request), source="typed", business_key=key)


def _entries(request: PageRequest) -> dict[str, str]:
    """What was typed into the fields of the input."""
    names = (name for name in request.POST if name.startswith((f"{ROOT}.", f"{ROOT}:")))
    return {name: str(request.POST.get(name, "")) for name in names}


def _keep(request: PageRequest, place: Place) -> Json:
    """Keep what was typed. Raises Refusal."""
    kind = request.POST.get("input_kind", "")
    entries = start_forms.entries_to_keep(place.schema or {}, _entries(request)) if kind == "form" else {}
    extras = {name: request.POST.get(name, "") for name in (ROOT, "business_key") if request.POST.get(name)}
    return keep_start(request.principal, place.workflow, kind, entries | extras)


def _has_started(request: PageRequest) -> bool:
    """Whether the form of which this was typed has been sent: what comes late is not kept."""
    who = request.principal
    run_id = once.id_of(who, request.POST.get("once", ""))
    return run_id is not None and queries.get_run_for(who.tenant_id, run_id) is not None


def _takes_a_bare_text(version: int) -> bool:
    schema = graph_of(version).input_schema
    return schema is not None and schema.get("type") == "string"


def _stays(place: Place) -> str:
    return f"run={place.run['id']}" if place.run else ""


def _people(request: PageRequest) -> Members:
    return Members(request.principal.tenant_id)


def _text_page(request: PageRequest, place: Place, form: StartForm) -> HttpResponse:
    context = {"workflow": place.workflow, "version": place.number, "run": place.run, "form": form}
    return _page(request, context, 422 if form.is_bound else 200)


def _fields_page(
    request: PageRequest,
    place: Place,
    start: Start,
    form: StartForm | None = None,
    *,
    status: int = 200,
    person_error: str = "",
) -> HttpResponse:
    name_files(request.principal, start.form, place.run_id)
    offer_people(start.form.each() if start.form else (), _people(request))
    about = {"workflow": place.workflow, "version": place.number, "run": place.run}
    context = about | {"filling": start, "form": form, "person_error": person_error}
    query = request.GET.copy()
    query.pop(start_forms.FROM, None)
    return _page(request, context | {"stays": _stays(place), "link": query.urlencode()}, status)


def _refused_person(request: PageRequest, place: Place, refusal: Refusal, form: StartForm) -> HttpResponse:
    """The form with why it can't be filed for the person that it names."""
    context = {"workflow": place.workflow, "version": place.number, "run": place.run, "form": form}
    if place.schema is None or request.POST.get("input_kind") != "json":
        return _page(request, context | {"person_error": refusal.message}, 422)
    start = replace(_typed(request, place), kind="json", given=request.POST.get("input", ""))
    return _fields_page(request, place, start, form, status=422, person_error=refusal.message)


def _page(request: PageRequest, context: dict[str, Json], status: int) -> HttpResponse:
    context |= contexts.may(request.principal, context["workflow"].name)
    context["people"] = people_of(request.principal.tenant_id)
    context["reads"] = may(request.principal, WORKFLOWS_READ, context["workflow"])
    return render(request, "runs/start.html", context, status=status)
