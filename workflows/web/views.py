"""Pages that show workflows, and what can be done with one as a whole."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render

from accounts import once
from accounts.access import PageRequest, page
from accounts.folders import folder_names
from accounts.roles import (
    EDIT,
    MEMBERS_MANAGE,
    RUNS_OPERATE,
    RUNS_START,
    WORKFLOWS_PUBLISH,
    WORKFLOWS_READ,
    WORKFLOWS_WRITE,
)
from engine.dialects import DialectError, to_native
from engine.problems import Problem
from lib import markup
from lib.refusals import Conflict, Invalid, Missing
from workflows import ports, queries
from workflows.access import may, may_anywhere, sees_nothing
from workflows.checking.check import check
from workflows.design.drawing import draw
from workflows.design.picture import picture
from workflows.design.start_forms import FROM, Start, opened, schema_of
from workflows.design.starting import start_form
from workflows.models import Workflow, WorkflowVersion
from workflows.versions import lifecycle
from workflows.versions.carried import in_use
from workflows.versions.examples import COMPLIANCE, examples, offered

ON_A_PAGE = 50


@page(WORKFLOWS_READ)
def workflows_page(request: PageRequest) -> HttpResponse:
    """The workflows, newest first; `?q=` looks in name, title and description."""
    q = request.GET.get("q", "").strip().replace("\x00", "")[:200]
    workflows = queries.listed_workflows(request.principal, q)
    rows = Paginator(workflows, ON_A_PAGE).get_page(request.GET.get("page"))
    context: dict[str, Any] = {"workflows": rows, "q": q} | _about(request, "list")
    context["sees_nothing"] = sees_nothing(request.principal)
    if not rows and not q and not context["sees_nothing"]:
        context |= {"offers": offered(request.principal.tenant_id, COMPLIANCE)}
    return render(request, "workflows/list.html", context)


@page(WORKFLOWS_READ)
def examples_page(request: PageRequest) -> HttpResponse:
    """The examples, with a sentence and a picture each, and what stands against publishing it here."""
    context = {"offers": offered(request.principal.tenant_id)} | _about(request, "examples")
    return render(request, "workflows/examples.html", context)


@page(WORKFLOWS_PUBLISH, "POST")
def take_example(request: PageRequest, example: str) -> HttpResponse:
    """A published workflow like the example."""
    source = next((each for each in examples() if each.name == example), None)
    if source is None:
        raise Missing(f"There is no example {example}.")
    workflow, is_published = lifecycle.create_from_example(request.principal, source)
    how = (
        ": start it with its sample, or change it." if is_published else ", as a draft: see what is missing."
    )
    messages.success(request, f"It is yours now{how}")
    return redirect("workflow", workflow.name)


@page(WORKFLOWS_READ)
def workflow_page(request: PageRequest, name: str) -> HttpResponse:
    """A workflow: what the version does that new runs take, a form to start it, its last runs, and what starts it."""
    workflow, startable, latest = _with_versions(request, name)
    context = {
        "workflow": workflow,
        "latest": latest,
        "startable": startable and startable.number,
        **_drawn(workflow, latest),
        "start": start_form(startable.definition) if startable else None,
        "filling": _filling(request, workflow, startable),
        "missing": [] if latest else _publish_errors(request, workflow),
        "once": once.ticket(request.principal),
    }
    context |= _use(request, workflow) | _about(request, "overview", workflow)
    return render(request, "workflows/detail.html", context)


@page(WORKFLOWS_WRITE, "POST")
def archive_workflow(request: PageRequest, name: str) -> HttpResponse:
    """No new runs from now on; `undo` takes it out of the archive."""
    try:
        lifecycle.update_workflow(request.principal, name, archived="undo" not in request.POST)
    except Conflict as refusal:
        messages.error(request, refusal.message)
        return redirect("workflow", name)
    if "undo" in request.POST:
        messages.success(request, f"{name} can be started again.")
        return redirect("workflow", name)
    messages.success(request, f"{name} is archived. Its runs and versions stay.")
    return redirect("workflows")


@page(WORKFLOWS_WRITE, "POST")
def move_workflow(request: PageRequest, name: str) -> HttpResponse:
    """Puts it into another folder: others may reach it then."""
    try:
        moved = lifecycle.update_workflow(
            request.principal, name, folder=request.POST.get("folder", "").replace("\x00", "")[:200]
        )
    except (Conflict, Invalid) as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, f"It is in {moved.folder.name} now, with its runs and tasks.")
    return redirect("workflow", name)


@page(WORKFLOWS_WRITE, "POST")
def duplicate_workflow(request: PageRequest, name: str) -> HttpResponse:
    """A new workflow with the same draft."""
    copy = lifecycle.duplicate(request.principal, name)
    messages.success(request, f"This is {copy.name}, a copy of the draft of {name}.")
    return redirect("workflow-edit", copy.name)


def _is_as_published(workflow: Workflow, latest: WorkflowVersion) -> bool:
    """Whether publishing the draft would give this version again."""
    try:
        return bool(to_native(workflow.draft_definition, None, workflow.name) == latest.definition)
    except DialectError:
        return False


def _filling(request: PageRequest, workflow: Workflow, latest: WorkflowVersion | None) -> Start | None:
    """The form with a field for each property of the input, for who may start it; None where there is none."""
    may_start = RUNS_START in request.principal.scopes and workflow.archived_at is None
    if latest is None or not may_start or schema_of(latest.definition) is None:
        return None
    earlier = ports.earlier(request.principal, workflow)
    # Who sees it for the first time sees what it takes; afterwards the sample is in the way.
    is_new = earlier.kept is None and earlier.started_at is None
    start = opened(latest.definition, earlier, {FROM: ["sample"]} if is_new else {}, lambda: None)
    ports.name_files(request.principal, start.form)
    return start


def _use(request: PageRequest, workflow: Workflow) -> dict[str, Any]:
    """How many runs are open, what starts others, and into which folders it may be moved."""
    open_runs = ports.open_runs(workflow)
    return {
        "folders": folder_names(request.principal, EDIT) if _may_move(request) else [],
        "open_runs": open_runs.total(),
        "carried": in_use(workflow, open_runs),
        "triggers": ports.triggers_of(request.principal, workflow),
    }


def _drawn(workflow: Workflow, latest: WorkflowVersion | None) -> dict[str, Any]:
    """What the words and the picture are made of: the version as it was laid out, else the draft; whether both say the
    same.
    """
    definition = latest.definition if latest else workflow.draft_definition
    drawing = picture(definition, latest.layout if latest else workflow.draft_layout)
    return {
        "drawing": draw(definition),
        "picture": drawing and {**drawing, "sprite": markup.sprite()},
        "is_as_published": latest is not None and _is_as_published(workflow, latest),
    }


def _with_versions(
    request: PageRequest, name: str
) -> tuple[Workflow, WorkflowVersion | None, WorkflowVersion | None]:
    """The workflow, the version that new runs take, and the one that is shown."""
    workflow = queries.get_workflow(request.principal.tenant_id, name)
    startable = queries.startable_of(workflow)
    return workflow, startable, startable or queries.latest_of(workflow)


def _may_move(request: PageRequest) -> bool:
    return MEMBERS_MANAGE in request.principal.scopes


def _publish_errors(request: PageRequest, workflow: Workflow) -> list[Problem]:
    """What stands against publishing the draft for the first time."""
    checked = check(workflow.draft_definition, name=workflow.name, tenant=request.principal.tenant_id)
    return [problem for problem in checked.problems if problem.severity == "error"]


def _about(request: PageRequest, tab: str, workflow: Workflow | None = None) -> dict[str, Any]:
    """What they may do with the workflow, or with some workflow where the page is of none."""
    who = request.principal
    flags = {
        "may_write": WORKFLOWS_WRITE,
        "may_publish": WORKFLOWS_PUBLISH,
        "may_start": RUNS_START,
        "may_operate": RUNS_OPERATE,
    }
    return {"tab": tab} | {
        flag: may(who, scope, workflow) if workflow else may_anywhere(who, scope)
        for flag, scope in flags.items()
    }
