"""The page by which all open runs of a version go on with another one."""

from django import forms
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render

from accounts.access import PageRequest, page
from accounts.roles import RUNS_OPERATE
from lib.refusals import Conflict
from operations.bulk import service
from operations.bulk.models import MIGRATE
from runs.reading.queries import open_runs_by_version
from workflows.access import guard_workflow
from workflows.queries import get_workflow, versions_of

RECENT = 10
"""So many earlier jobs are offered again."""


class MoveForm(forms.Form):
    """From which version to which."""

    before = forms.TypedChoiceField(
        coerce=int, error_messages={"required": "Choose the version the runs are on now."}
    )
    after = forms.TypedChoiceField(
        coerce=int, error_messages={"required": "Choose the version to move them to."}
    )

    def __init__(self, data: QueryDict | None, *, numbers: list[int]) -> None:
        super().__init__(data)
        for field in self.fields.values():
            field.choices = [(number, f"v{number}") for number in numbers]  # type: ignore[attr-defined]


@page(RUNS_OPERATE, "GET", "POST")
def move_runs(request: PageRequest, name: str) -> HttpResponse:
    """Asks from which version to which the open runs go, and finds out what would become of each."""
    who = request.principal
    guard_workflow(who, RUNS_OPERATE, name)
    workflow = get_workflow(who.tenant_id, name)
    versions = list(versions_of(workflow).order_by("-number").defer("definition"))
    counts = open_runs_by_version(workflow, most=None)
    numbers = [one.number for one in versions if one.number is not None]
    form = MoveForm(request.POST if request.method == "POST" else None, numbers=numbers)
    if form.is_bound and form.is_valid():
        try:
            job = service.begin(
                who, name, form.cleaned_data["before"], form.cleaned_data["after"], dry_run=True
            )
        except Conflict as refusal:
            form.add_error("after", refusal.message)
        else:
            return redirect("bulk-job", job.pk)
    sources = [(one, counts[one.pk]) for one in versions if counts.get(one.pk)]
    targets = [one for one in versions if one.withdrawn is None]
    context = {"workflow": workflow, "form": form, "sources": sources, "versions": targets}
    context["may_move"] = any(target != source for source, _ in sources for target in targets)
    context["chosen"] = request.GET.get("from", "")
    context["jobs"] = service.jobs_of(who.tenant_id, name).filter(verb=MIGRATE)[:RECENT]
    return render(request, "bulk/move_runs.html", context, status=422 if form.is_bound else 200)
