"""The definition of a workflow as JSON, and as Python: to be read, copied, taken away, and the draft to be edited."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

from accounts.access import PageRequest, page
from accounts.roles import WORKFLOWS_READ, WORKFLOWS_WRITE
from engine.problems import Problem
from lib.json import Json
from lib.refusals import Invalid, Refusal, Stale
from lib.strict_json import BadJson, strict_loads
from workflows import queries
from workflows.access import guard_workflow, may
from workflows.checking.check import check
from workflows.document.texts import ENDINGS, EXPORTS, TYPES, Export, arranged, exported, read_text
from workflows.limits import DEFINITION_TEXT_BYTES
from workflows.models import Workflow, WorkflowVersion
from workflows.versions import lifecycle
from workflows.versions.importing import Report, report
from workflows.web.forms import as_number, message_of, storable


@dataclass(frozen=True, slots=True)
class Located:
    """A problem and the line of the text where it is."""

    problem: Problem
    line: int


@page(WORKFLOWS_READ, "GET", "POST")
def definition_page(request: PageRequest, name: str) -> HttpResponse:
    """The draft, to be edited by who may, or `?version=` as it is; `?as=python` as Python, to be read."""
    workflow = queries.get_workflow(request.principal.tenant_id, name)
    if request.method == "POST":
        return _save(request, workflow)
    version = _version_in_query(request, name)
    stored = version.definition if version else workflow.draft_definition
    if request.GET.get("as") == "python":
        text = exported(stored, "python")
        return _page(request, workflow, {"version": version, "text": text, "is_python": True})
    definition = arranged(stored)
    problems = [] if version else check(definition, name=name, tenant=request.principal.tenant_id).problems
    context = {"version": version, "text": pretty(definition), "problems": _with_lines(definition, problems)}
    return _page(request, workflow, context)


@page(WORKFLOWS_WRITE, "GET", "POST")
def import_page(request: PageRequest) -> HttpResponse:
    """A definition in any dialect: first what importing it would do, then doing it."""
    if request.method != "POST":
        return render(request, "workflows/import.html", {"text": ""})
    text, name = request.POST.get("document", ""), request.POST.get("name", "").replace("\x00", "").strip()
    context: dict[str, Any] = {"text": text, "name": name}
    try:
        preview = report(request.principal, read_text(text, field="document").document, name)
        if "import" in request.POST and request.POST.get("seen") == preview.mark:
            return _import(request, preview)
        if preview.workflow is None:
            lifecycle.check_name(preview.name)
        context |= {"report": preview, "is_other": "import" in request.POST}
    except Refusal as refusal:
        context |= {"error": refusal.message, "asks_name": refusal.field == "name"}
    return render(request, "workflows/import.html", context, status=422 if "error" in context else 200)


def _import(request: PageRequest, preview: Report) -> HttpResponse:
    draft = lifecycle.import_definition(
        request.principal, storable(preview.native), expected_revision=as_number(request.POST.get("revision"))
    )
    messages.success(request, f"{draft.workflow.name} is imported as a draft. Publish it to run it.")
    return redirect("workflow", draft.workflow.name)


@page(WORKFLOWS_READ)
def download_definition(request: PageRequest, name: str) -> HttpResponse:
    """The draft or `?version=` as a file: JSON, `?format=yaml` or `?format=python`."""
    workflow = queries.get_workflow(request.principal.tenant_id, name)
    version = _version_in_query(request, name)
    definition = version.definition if version else workflow.draft_definition
    format_name = request.GET.get("format")
    file_format: Export = next((one for one in EXPORTS if one == format_name), "json")
    file = f"{name}-{f'v{version.number}' if version else 'draft'}.{ENDINGS[file_format]}"
    answer = HttpResponse(exported(definition, file_format), content_type=TYPES[file_format])
    answer["Content-Disposition"] = f'attachment; filename="{file.replace(":", "_")}"'
    return answer


def pretty(value: Json) -> str:
    """JSON as people read it."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def _save(request: PageRequest, workflow: Workflow) -> HttpResponse:
    request.principal.require(WORKFLOWS_WRITE)
    guard_workflow(request.principal, WORKFLOWS_WRITE, workflow.name)
    text = request.POST.get("definition", "")
    revision = request.POST.get("overwrite") or request.POST.get("revision")
    context: dict[str, Any] = {"text": text, "revision": as_number(request.POST.get("revision"))}
    try:
        lifecycle.save_draft(
            request.principal, workflow.name, definition=_object(text), expected_revision=as_number(revision)
        )
    except Stale:
        return _page(request, workflow, context | {"stale": workflow}, status=409)
    except Refusal as refusal:
        context |= {"error": message_of(refusal), "is_bad_json": isinstance(refusal, Invalid)}
        return _page(request, workflow, context, status=422)
    messages.success(request, "Saved as a draft. Runs still take the last published version.")
    return redirect("workflow-definition", workflow.name)


def _object(text: str) -> dict[str, Json]:
    try:
        value = strict_loads(text.encode(), max_bytes=DEFINITION_TEXT_BYTES)
    except BadJson as bad:
        raise Invalid(f"{bad.located}.") from None
    if not isinstance(value, dict):
        raise Invalid("A definition is a JSON object: it begins with { and ends with }.")
    return value


def _page(
    request: PageRequest, workflow: Workflow, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    may_write = may(request.principal, WORKFLOWS_WRITE, workflow)
    numbers = queries.version_numbers(workflow)
    frame = {"workflow": workflow, "tab": "definition", "may_write": may_write, "numbers": numbers}
    frame |= {"revision": workflow.draft_revision}
    return render(request, "workflows/definition.html", frame | context, status=status)


def _version_in_query(request: PageRequest, name: str) -> WorkflowVersion | None:
    number = as_number(request.GET.get("version"))
    return queries.get_version(request.principal.tenant_id, name, number) if number else None


def _with_lines(definition: Json, problems: list[Problem]) -> list[Located]:
    lines = dict(_lines(definition, "", 1)) if problems else {}
    return [Located(problem, _line(problem.field, lines)) for problem in problems]


def _line(path: str, lines: dict[str, int]) -> int:
    """The line of the place, or of the nearest thing around it that is there."""
    while path not in lines:
        path = path[: max(path.rfind("."), path.rfind("["), 0)]
    return lines[path]


def _lines(value: Json, path: str, line: int) -> Iterator[tuple[str, int]]:
    """Each path in a value with the line where it begins in `pretty`."""
    yield path, line
    inside = line + 1
    if isinstance(value, dict):
        parts = [(f"{path}.{key}" if path else key, item) for key, item in value.items()]
    elif isinstance(value, list):
        parts = [(f"{path}[{place}]", item) for place, item in enumerate(value)]
    else:
        return
    for at, item in parts:
        yield from _lines(item, at, inside)
        inside += pretty(item).count("\n") + 1
