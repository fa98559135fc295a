"""The page of the visual builder: what the island in it begins with. Everything else it asks of the API."""

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse

from accounts.access import PageRequest, page
from accounts.roles import RUNS_START, WORKFLOWS_PUBLISH, WORKFLOWS_READ, WORKFLOWS_WRITE
from engine.dialects import DialectError, to_native
from engine.limits import WORKFLOW_NODES
from lib import markup
from lib.json import Json
from workflows import ports, queries
from workflows.access import may
from workflows.design import palette, snippets
from workflows.models import Workflow


@page(WORKFLOWS_READ)
def builder_page(request: PageRequest, name: str) -> HttpResponse:
    """The draft on a canvas; who may not change it may look."""
    workflow = queries.get_workflow(request.principal.tenant_id, name)
    boot = _boot(request, workflow)
    return render(request, "workflows/builder.html", {"workflow": workflow, "boot": boot})


def _boot(request: PageRequest, workflow: Workflow) -> dict[str, Json]:
    who = request.principal
    is_open = workflow.archived_at is None
    definition, reason = _drawable(workflow)
    latest = queries.latest_version(request.principal.tenant_id, workflow.name)
    return {
        "name": workflow.name,
        "title": workflow.title,
        "revision": workflow.draft_revision,
        "definition": definition,
        "cannot": reason,
        "layout": workflow.draft_layout,
        "saved_at": workflow.draft_updated_at.isoformat(),
        "saved_by": workflow.draft_updated_by.username,
        "latest": latest.number if latest else None,
        "most_steps": WORKFLOW_NODES,
        "published": [node["id"] for node in latest.definition["nodes"]] if latest else [],
        "archived": not is_open,
        "may_write": may(who, WORKFLOWS_WRITE, workflow) and is_open,
        "may_publish": may(who, WORKFLOWS_PUBLISH, workflow) and is_open,
        "may_start": may(who, RUNS_START, workflow) and is_open,
        "me": request.user.username,
        # A browser is used by several people, and a name by several tenants and workflows.
        "kept_as": f"{request.user.pk}.{workflow.pk}",
        "step_types": palette.step_types(),
        "definition_schema": palette.definition_schema(),
        "snippets": snippets.snippets(),
        "triggers": _triggers(request, workflow),
        "sprite": markup.sprite(),
        "urls": _urls(workflow),
    }


def _triggers(request: PageRequest, workflow: Workflow) -> list[Json]:
    """The schedules and webhooks that start runs of the workflow and that the caller may see; there are few of each
    (`OVERVIEW_ROWS`).
    """
    return [
        {"kind": one.kind, "name": one.name, "does": one.does, "is_on": one.is_on, "path": one.path}
        for one in ports.triggers_of(request.principal, workflow)
        if one.starts
    ]


def _drawable(workflow: Workflow) -> tuple[dict[str, Json], str | None]:
    """The draft in our own dialect; where it can't be read as one, as it is and the reason."""
    try:
        return to_native(workflow.draft_definition, None, workflow.name), None
    except DialectError as error:
        return dict(workflow.draft_definition), error.message


def _urls(workflow: Workflow) -> dict[str, Json]:
    return {
        "api": f"/api/v1/workflows/{workflow.name}",
        "workflows": "/api/v1/workflows",
        "calendars": "/api/v1/calendars",
        "members": "/api/v1/members",
        "groups": "/api/v1/groups",
        "test_form": reverse("workflow-test-form", args=[workflow.name]),
        "workflow": reverse("workflow", args=[workflow.name]),
        "versions": reverse("workflow-versions", args=[workflow.name]),
        "definition": reverse("workflow-definition", args=[workflow.name]),
        "pipeline": _pipeline_url(workflow),
        "runs": "/runs/",
        "telemetry": "/api/v1/telemetry/step-types",
    }


def _pipeline_url(workflow: Workflow) -> str | None:
    fits = ports.PIPELINE_FORMS.first
    if fits is None or workflow.archived_at is not None or not fits(workflow.draft_definition):
        return None
    return reverse("workflow-pipeline", args=[workflow.name])
