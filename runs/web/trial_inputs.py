"""The forms of the builder's Test panel: the input of a test run, and what one step reads of others."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse, JsonResponse
from django.template.loader import render_to_string

from accounts.access import PageRequest, page
from accounts.picking import Members
from accounts.roles import RUNS_START, WORKFLOWS_READ
from engine.catalogue import Json
from engine.fields_read import input_read, outputs_read
from engine.json_schema import schema_faults
from engine.step_titles import step_title
from lib.forms.carrying import left_out
from lib.forms.fields import Form
from lib.forms.people import offer_people
from lib.forms.schema_forms import SchemaForms
from lib.refusals import Invalid
from lib.strict_json import BadJson, strict_loads
from runs.files.naming import name_files, take_uploads
from runs.limits import TEST_FORM_BYTES
from steps.catalogue import CATALOGUE
from steps.schema import fits
from workflows.design import start_forms, value_forms
from workflows.design.start_forms import FORMS, ROOT

READS = SchemaForms(fits, "reads")
OUTPUTS, INPUT = "steps", "input"


@page(RUNS_START, "POST")
def trial_inputs(request: PageRequest, name: str) -> HttpResponse:
    """The forms for a `definition` as they are to be filled in after what was typed, and the values in them.

    `input`: the input that is put into the form; without it what was typed stands in it. `step`: the step that is
    tested alone, and `pins` what others gave. With `checked` errors are told at their fields. Starts nothing.
    """
    request.principal.require(WORKFLOWS_READ)
    definition = _json(request, "definition")
    if not isinstance(definition, dict):
        raise Invalid("The definition must be an object.", field="definition")
    answer: dict[str, Json] = {"input": None, "reads": None}
    schema = _input_schema(definition)
    if schema is not None:
        answer["input"] = _input(request, schema, name)
    step = request.POST.get("step", "")
    if step and (reads := _reads_schema(definition, step, has_form=schema is not None)):
        answer["reads"] = _reads(request, reads)
    return JsonResponse(answer)


def _input_schema(definition: Mapping[str, Any]) -> dict[str, Json] | None:
    """The schema of the input, if a form can be made of it; that of a draft may be none."""
    schema = definition.get("input_schema")
    if not isinstance(schema, dict) or any(schema_faults(schema, "input_schema")):
        return None
    return start_forms.schema_of(definition)


def _input(request: PageRequest, schema: Mapping[str, Json], name: str) -> Json:
    who, people = request.principal, Members(request.principal.tenant_id)
    if "input" in request.POST:
        data = _json(request, "input")
        form = FORMS.filled(schema, data if isinstance(data, dict) else {})
        unplaced = left_out(form, data) if isinstance(data, dict) else [ROOT]
        return _shown(request, form, people, [], unplaced)
    not_taken = take_uploads(request, who, ROOT)
    form = FORMS.edited(schema, _entries(request, ROOT), request.POST.get("edit", ""), people=people)
    form.show(not_taken)
    errors = start_forms.check(schema, form, form.data) if request.POST.get("checked") else []
    return _shown(request, form, people, errors, [])


def _reads_schema(definition: Mapping[str, Any], step: str, *, has_form: bool) -> dict[str, Json] | None:
    outputs = outputs_read(definition, step, CATALOGUE)
    titles = {
        one["id"]: step_title(one, CATALOGUE)
        for one in definition.get("nodes") or ()
        if isinstance(one, dict) and "id" in one
    }
    properties: dict[str, Json] = {}
    of_input = None if has_form else input_read(definition, step, CATALOGUE)
    if of_input is not None:
        properties[INPUT] = {**of_input, "title": "Input of the run"}
    if outputs:
        parts = {key: {"title": titles.get(key, key), **schema} for key, schema in outputs.items()}
        # A group that is required is there, whatever is in it.
        groups = [key for key, part in parts.items() if part.get("properties")]
        whole = {"type": "object", "properties": parts, "required": groups}
        properties[OUTPUTS] = {**whole, "title": "Outputs of other steps"}
    return {"type": "object", "properties": properties, "required": [*properties]} if properties else None


def _reads(request: PageRequest, schema: Mapping[str, Json]) -> Json:
    people, pins = Members(request.principal.tenant_id), _json(request, "pins") or {}
    entries = _entries(request, READS.root)
    if entries:
        form, errors = value_forms.typed(READS, schema, entries)
    else:
        known = {OUTPUTS: pins, INPUT: _json(request, "text_input")}
        form, errors = (
            value_forms.filled(READS, schema, _pruned(schema, known)) or value_forms.blank(READS, schema),
            [],
        )
    return _shown(request, form, people, errors, [])


def _shown(request: PageRequest, form: Form, people: Members, errors: list[str], unplaced: list[str]) -> Json:
    name_files(request.principal, form)
    offer_people(form.each(), people)
    context = {"form": form, "edit_url": "", "is_checked": bool(request.POST.get("checked"))}
    html = render_to_string("forms/_form.html", context, request)
    is_right = not errors and not form.faults()
    return {"html": html, "data": form.data, "errors": errors, "right": is_right, "unplaced": unplaced}


def _pruned(schema: Json, value: Json) -> Json:
    """A value without what the schema has no property for."""
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(properties, Mapping):
        return value
    parts = value if isinstance(value, dict) else {}
    return {key: _pruned(one, parts[key]) for key, one in properties.items() if parts.get(key) is not None}


def _entries(request: PageRequest, root: str) -> dict[str, str]:
    """What was typed into the fields of a form."""
    return {key: str(text) for key, text in request.POST.items() if key.startswith((f"{root}.", f"{root}:"))}


def _json(request: PageRequest, field: str) -> Json:
    try:
        text = request.POST.get(field, "")
        return strict_loads(text.encode(), max_bytes=TEST_FORM_BYTES) if text else None
    except (BadJson, UnicodeEncodeError):
        raise Invalid("This is not valid JSON.", field=field) from None
