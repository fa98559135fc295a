"""Pages by which open runs go on with another version: of one run, and of all open runs of a version."""

from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render

from accounts.access import PageRequest, page
from accounts.roles import RUNS_OPERATE
from engine.migrating import Misfit
from lib.refusals import Conflict
from runs.bulk_jobs import jobs
from runs.commands import migration
from runs.commands.migration import Checked
from runs.kernel.refused import RunRefused
from runs.models.bulk import MIGRATE
from runs.reading.presentation import found_run
from runs.reading.queries import open_runs_by_version
from runs.reading.stored import NOTHING
from runs.web.forms import VersionForm
from workflows.access import guard_workflow
from workflows.models import WorkflowVersion
from workflows.queries import get_workflow, list_versions, versions_of

OFFERED = 10
"""So many versions are offered for one run, the newest ones: each is checked when the page is opened."""
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
def migrate(request: PageRequest, run_id: UUID) -> HttpResponse:
    """Moves an open run to a version that somebody chooses, having seen whether it fits."""
    who = request.principal
    run = found_run(who.tenant_id, run_id, NOTHING)
    if run["test"]:
        raise Conflict("A test run stays on what it tests: test the draft again.")
    published = (
        list_versions(who.tenant_id, run["workflow"]).filter(withdrawal=None).exclude(number=run["version"])
    )
    others = list(published.order_by("-number")[:OFFERED])
    form = VersionForm(request.POST if request.method == "POST" else None, versions=others)
    if form.is_bound and form.is_valid():
        choice = next(one for one in others if one.number == form.cleaned_data["version"])
        terms = {"by": who.username, "reason": form.cleaned_data["reason"]}
        try:
            migration.migrate_run(who.tenant_id, str(run_id), choice.pk, **terms)
        except RunRefused as refusal:
            form.add_error("version", refusal.message)
        else:
            messages.success(request, f"The run goes on with v{choice.number}.")
            return redirect("run", run_id)
    choices = [(one, _checked(who.tenant_id, run_id, one)) for one in others]
    first = next((one.number for one, checked in choices if checked.ok), None)
    context = {"run": run, "form": form, "choices": choices, "first": first}
    return render(request, "runs/migrate.html", context, status=422 if form.is_bound else 200)


def _checked(tenant: int, run_id: UUID, version: WorkflowVersion) -> Checked:
    try:
        return migration.check_run(tenant, str(run_id), version.pk)
    except RunRefused as refusal:
        return Checked([Misfit(refusal.code, None, refusal.message)])


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
            job = jobs.begin(who, name, form.cleaned_data["before"], form.cleaned_data["after"], dry_run=True)
        except Conflict as refusal:
            form.add_error("after", refusal.message)
        else:
            return redirect("bulk-job", job.pk)
    sources = [(one, counts[one.pk]) for one in versions if counts.get(one.pk)]
    targets = [one for one in versions if one.withdrawn is None]
    context = {"workflow": workflow, "form": form, "sources": sources, "versions": targets}
    context["may_move"] = any(target != source for source, _ in sources for target in targets)
    context["chosen"] = request.GET.get("from", "")
    context["jobs"] = jobs.jobs_of(who.tenant_id, name).filter(verb=MIGRATE)[:RECENT]
    return render(request, "runs/move_runs.html", context, status=422 if form.is_bound else 200)
