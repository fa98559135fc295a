"""Pages of workflows."""

from django.http import HttpResponse
from django.shortcuts import render

from accounts.access import PageRequest, page
from accounts.roles import WORKFLOWS_READ
from workflows import queries


@page(WORKFLOWS_READ)
def workflows_page(request: PageRequest) -> HttpResponse:
    """The workflows, newest first."""
    q = request.GET.get("q", "").strip()
    found = queries.list_workflows(request.principal.tenant_id, q=q or None).order_by("-created_at", "-id")
    return render(request, "workflows/list.html", {"workflows": found[:200], "q": q})


@page(WORKFLOWS_READ)
def new_page(request: PageRequest) -> HttpResponse:
    """Begin a pipeline."""
    return render(request, "workflows/new.html")


@page(WORKFLOWS_READ)
def workflow_page(request: PageRequest, name: str) -> HttpResponse:
    """A workflow with its versions."""
    workflow = queries.get_workflow(request.principal.tenant_id, name)
    return render(request, "workflows/detail.html", {"workflow": workflow})
