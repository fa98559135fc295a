"""The page of a workflow's versions: which there are, what is different between two, editing one, withdrawing one."""

from collections.abc import Callable, Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

from accounts.access import PageRequest, page
from accounts.roles import RUNS_OPERATE, RUNS_START, WORKFLOWS_PUBLISH, WORKFLOWS_READ, WORKFLOWS_WRITE
from lib.refusals import Conflict, Invalid, Refusal, Stale
from workflows import ports, queries
from workflows.access import may
from workflows.limits import VERSION_ROWS
from workflows.models import Workflow, WorkflowVersion
from workflows.versions import comparing, lifecycle, withdrawing
from workflows.web.forms import as_number


@page(WORKFLOWS_READ)
def versions_page(request: PageRequest, name: str) -> HttpResponse:
    """The versions of a workflow, newest first; `?from=&to=` compares two of them, or one with the draft."""
    workflow = queries.get_workflow(request.principal.tenant_id, name)
    versions = list(
        queries.versions_of(workflow).defer("definition", "layout").order_by("-number")[:VERSION_ROWS]
    )
    run_counts = ports.open_runs(workflow)
    context = {
        "workflow": workflow,
        "versions": [(version, run_counts[version.pk]) for version in versions],
        "startable": next((one.number for one in versions if one.withdrawn is None), None),
        "tab": "versions",
        "may_publish": may(request.principal, WORKFLOWS_PUBLISH, workflow),
        "may_write": may(request.principal, WORKFLOWS_WRITE, workflow),
        "may_operate": may(request.principal, RUNS_OPERATE, workflow),
        "may_start": may(request.principal, RUNS_START, workflow),
    }
    comparison = _comparison_context(request, workflow, versions)
    sides = [("from", "From", comparison["one"]), ("to", "to", comparison["other"])]
    return render(request, "workflows/versions.html", context | comparison | {"sides": sides})


def _comparison_context(
    request: PageRequest, workflow: Workflow, versions: Sequence[WorkflowVersion]
) -> dict[str, Any]:
    """What is asked for with `from` and `to`, or what is offered to be asked."""
    numbers = [version.number for version in versions]
    texts = [request.GET.get(side, "") for side in ("from", "to")]
    one, other = (_side(text) for text in texts)
    if not any(texts) or one is None or other is None:
        return {"one": numbers[0] if numbers else None, "other": "draft"}
    tenant = workflow.tenant_id
    context: dict[str, Any] = {"one": one, "other": other, "is_asked": True}
    try:
        sides = [comparing.definition_of(tenant, workflow.name, side) for side in (one, other)]
        context["comparison"] = comparing.shown(*sides)
    except Refusal as refusal:
        context["why_not"] = refusal.message
    return context


def _side(text: str) -> comparing.Side | None:
    return "draft" if text == "draft" else as_number(text) or None


@page(WORKFLOWS_WRITE, "POST")
def restore_version(request: PageRequest, name: str, number: int) -> HttpResponse:
    """Makes a version the draft again; the draft that the reader saw is the one that is replaced."""
    version = queries.get_version(request.principal.tenant_id, name, number)
    revision = as_number(request.POST.get("revision"))
    try:
        lifecycle.restore(request.principal, version, expected_revision=revision)
    except Stale:
        messages.error(request, "Nothing was changed: somebody saved the draft meanwhile. Look at it first.")
        return redirect("workflow-versions", name)
    messages.success(request, f"The draft is version {number} now. Publish it when it is as you want it.")
    return redirect("workflow-edit", name)


@page(WORKFLOWS_PUBLISH, "POST")
def withdraw_version(request: PageRequest, name: str, number: int) -> HttpResponse:
    """No new runs are started with a version from now on; its open runs go on until they are moved."""
    return _changed(request, name, number, withdrawing.withdraw, "withdrawn: no new runs are started with it")


@page(WORKFLOWS_PUBLISH, "POST")
def unwithdraw_version(request: PageRequest, name: str, number: int) -> HttpResponse:
    """New runs may take a version again."""
    return _changed(request, name, number, withdrawing.restore, "restored: new runs may take it")


def _changed(
    request: PageRequest, name: str, number: int, verb: Callable[..., WorkflowVersion], became: str
) -> HttpResponse:
    reason = request.POST.get("reason", "").replace("\x00", "").strip()[:2000]
    try:
        verb(request.principal, name, number, reason=reason)
    except (Conflict, Invalid) as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, f"Version {number} is {became}.")
    return redirect("workflow-versions", name)
