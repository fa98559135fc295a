"""The form of a verb for many runs that needs more than a reason: a version to go on with, or who gets the tasks."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

from accounts.access import PageRequest
from accounts.queries import groups_of
from accounts.roles import OPERATE
from lib.refusals import Invalid, Missing
from operations.bulk import selection, service
from operations.bulk.aims import Aim
from operations.bulk.models import MIGRATE, REASSIGN
from runs.access import readable
from runs.models import Run
from runs.reading.filters import FilterForm
from workflows.queries import get_workflow, versions_of

OFFERED = 50
"""So many versions are offered, the newest ones, and so many groups."""


class ReassignForm(forms.Form):
    """To whom the open tasks of runs are given: a member or a group."""

    assignee = forms.CharField(required=False, max_length=150)
    group = forms.CharField(required=False, max_length=150)

    def aim(self) -> Aim:
        """What was asked for."""
        return Aim(assignee=self.cleaned_data["assignee"], group=self.cleaned_data["group"])


class MigrateForm(forms.Form):
    """With which version runs go on."""

    version = forms.IntegerField(
        min_value=1, max_value=2**31 - 1, error_messages={"required": "Choose a version."}
    )

    def aim(self) -> Aim:
        """What was asked for."""
        return Aim(version=self.cleaned_data["version"])


FORMS: dict[str, type[ReassignForm | MigrateForm]] = {REASSIGN: ReassignForm, MIGRATE: MigrateForm}


@dataclass(frozen=True, slots=True)
class Target:
    """The runs that were selected: `ids`, or None for all that the `query` finds; of one `workflow`, if it is one."""

    query: str
    ids: list[str] | None
    workflow: str | None


def aimed(request: PageRequest, verb: str, keeps: str, back: str) -> HttpResponse:
    """Asks for the rest; with it a bulk job begins, which only looks first."""
    form = FORMS[verb](request.POST if "confirm" in request.POST else None)
    try:
        target = _target(request, verb)
        if form.is_bound and form.is_valid() and (job := _begun(request, verb, target, form)):
            return redirect("bulk-job", job)
        context = _context(request, verb, target)
    except (Invalid, Missing) as error:
        messages.error(request, error.message)
        return redirect(back)
    context |= {"form": form, "verb": verb, "keeps": keeps, "back": back}
    return render(request, "bulk/aim.html", context, status=422 if form.is_bound else 200)


def _begun(request: PageRequest, verb: str, target: Target, form: ReassignForm | MigrateForm) -> str | None:
    """The id of the job; None where the form tells what is wrong. Raises Invalid where it is not the form's."""
    aim = form.aim()
    if target.ids is not None:
        aim = Aim(aim.version, aim.assignee, aim.group, target.workflow)
    try:
        job = service.begin_verb(
            request.principal, verb, target.query, aim=aim, runs=target.ids, dry_run=True
        )
    except Invalid as refusal:
        if refusal.field not in form.fields:
            raise
        form.add_error(refusal.field, refusal.message)
        return None
    return str(job.pk)


def _target(request: PageRequest, verb: str) -> Target:
    """Raises Invalid where nothing is selected, or can't be taken with this verb."""
    if selection.is_all(request):
        form = FilterForm(request.GET)
        filters = form.asked(request.principal.username)
        if not form.is_valid():
            raise Invalid("The filter can’t be read.")
        target = Target(form.searched(), None, filters.get("workflow"))
    else:
        ids = selection.picked(request)
        if not ids:
            raise Invalid("No run is selected.")
        target = Target("", ids, _workflow_of(request, ids))
    if verb == MIGRATE and target.workflow is None:
        raise Invalid("Versions are of one workflow: narrow the list to one, or select runs of one.")
    return target


def _workflow_of(request: PageRequest, ids: list[str]) -> str | None:
    """The one workflow of these runs, of those that they may operate; None where they are of several."""
    who = request.principal
    runs = readable(Run.objects.for_tenant(who.tenant_id).filter(pk__in=ids), who, OPERATE)
    names = list(runs.order_by().values_list("version__workflow__name", flat=True).distinct()[:2])
    return names[0] if len(names) == 1 else None


def _context(request: PageRequest, verb: str, target: Target) -> dict[str, Any]:
    tenant = request.principal.tenant_id
    context: dict[str, Any] = {"chosen": target, "ids": ",".join(target.ids or ())}
    if verb == REASSIGN:
        return context | {"groups": groups_of(tenant).order_by("name")[:OFFERED]}
    workflow = get_workflow(tenant, target.workflow or "")
    versions = versions_of(workflow).filter(withdrawal=None).order_by("-number").defer("definition")[:OFFERED]
    return context | {"workflow": workflow, "versions": versions}
