"""The files of a run on pages."""

from functools import partial
from uuid import UUID

from django import template
from django.template import RequestContext
from django.urls import reverse

from runs.files import trees
from runs.files.trees import FileView

register = template.Library()

_ADDRESSES = {"run": "api-run-file", "request": "api-request-file", "task": "api-task-file"}


@register.simple_tag(takes_context=True)
def files_of_run(
    context: RequestContext, run_id: UUID | str, place: str, place_id: UUID | str
) -> list[FileView]:
    """The files that a run was started with, as whoever sees this `run`, `request` or `task` reaches them."""
    request = context.get("request")
    if request is None:
        return []
    address = partial(_address, _ADDRESSES[place], place_id)
    return trees.files_used(request.principal.tenant_id, run_id, address)


@register.simple_tag(takes_context=True)
def files_of_steps(context: RequestContext, run_id: UUID | str) -> list[FileView]:
    """The files that steps of a run have kept, as whoever sees the run reaches them."""
    request = context.get("request")
    if request is None:
        return []
    address = partial(_address, _ADDRESSES["run"], run_id)
    return trees.files_kept(request.principal.tenant_id, run_id, address)


def _address(route: str, place_id: UUID | str, file_id: str) -> str:
    return reverse(route, args=[place_id, file_id])
