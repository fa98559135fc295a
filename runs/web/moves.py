"""The page by which an open run goes on with another version."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

from accounts.access import PageRequest, page
from accounts.roles import RUNS_OPERATE
from engine.bodies import every_step
from engine.migrating import Misfit
from engine.step_titles import step_title
from lib.refusals import Conflict
from runs.commands import migration
from runs.commands.migration import Checked
from runs.kernel.refused import RunRefused
from runs.reading.presentation import found_run
from runs.reading.stored import NOTHING
from runs.web.forms import VersionForm
from steps.catalogue import EXECUTABLE
from workflows.models import WorkflowVersion
from workflows.queries import list_versions

OFFERED = 10
"""So many versions are offered for one run, the newest ones: each is checked when the page is opened."""


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
    choices = [(one, _checked(who.tenant_id, run_id, one), _names(one)) for one in others]
    first = next((one.number for one, checked, _ in choices if checked.ok), None)
    context = {"run": run, "form": form, "choices": choices, "first": first}
    return render(request, "runs/migrate.html", context, status=422 if form.is_bound else 200)


def _names(version: WorkflowVersion) -> dict[str, str]:
    """What the steps of a version are called, those within containers among them."""
    steps = [step for _, step in every_step(version.definition["nodes"], EXECUTABLE)]
    return {
        step["id"]: step_title(step, EXECUTABLE) for step in steps if isinstance(step, dict) and "id" in step
    }


def _checked(tenant: int, run_id: UUID, version: WorkflowVersion) -> Checked:
    try:
        return migration.check_run(tenant, str(run_id), version.pk)
    except RunRefused as refusal:
        return Checked([Misfit(refusal.code, None, refusal.message)])
