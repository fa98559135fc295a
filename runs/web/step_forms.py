"""What operators do to a run by forms that say what it means first: retry, skip, rerun from a step, another version."""

from collections.abc import Callable
from typing import Literal
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

from accounts import once
from accounts.access import PageRequest, page
from accounts.roles import RUNS_OPERATE
from engine.overrides import RerunWith
from lib.refusals import Conflict, Missing, Refusal
from runs.access import require_rerun
from runs.commands import operators, replay
from runs.kernel.graphs import shown
from runs.kernel.refused import RunRefused
from runs.reading import step_actions
from runs.reading.presentation import found_run, step_rows
from runs.reading.queries import get_run_for
from runs.reading.stored import NOTHING
from runs.web.forms import StepForm, VersionForm
from workflows.queries import list_versions

Act = Callable[[StepForm], str]

OFFERED = 100
"""How many versions a run can be resumed on by the form, the newest ones."""


@page(RUNS_OPERATE, "GET", "POST")
def retry(request: PageRequest, run_id: UUID, node: str) -> HttpResponse:
    """Tries a step again, with another input where the form has one."""

    def act(form: StepForm) -> str:
        override = RerunWith(form.given) if form.is_edited else None
        who, terms = request.principal, form.cleaned_data
        operators.retry_step(
            who.tenant_id,
            str(run_id),
            node,
            override=override,
            despite_unknown=terms["despite_unknown"],
            by=who.username,
            reason=terms["reason"],
            via=who.via,
        )
        messages.success(request, "The step is tried again.")
        return str(run_id)

    return _mended(request, run_id, node, "retry", "input", act)


@page(RUNS_OPERATE, "GET", "POST")
def skip(request: PageRequest, run_id: UUID, node: str) -> HttpResponse:
    """Skips a step, with the output that the form has."""

    def act(form: StepForm) -> str:
        terms = _terms_of(request, form)
        who = request.principal
        operators.skip_step(who.tenant_id, str(run_id), node, form.given, who=who, **terms)
        messages.success(request, "The step is skipped; the run goes on after it.")
        return str(run_id)

    return _mended(request, run_id, node, "skip", "output", act)


@page(RUNS_OPERATE, "GET", "POST")
def rerun(request: PageRequest, run_id: UUID, node: str) -> HttpResponse:
    """Starts a new run from a step, with the input that the form has: once, however often it is sent."""
    who = request.principal
    require_rerun(who, run_id)
    new = once.id_of(who, request.POST.get("once", ""))

    def act(form: StepForm) -> str:
        override = RerunWith(form.given) if form.is_edited else None
        terms = {"by": who.username, "reason": form.cleaned_data["reason"]}
        try:
            start = replay.rerun(who.tenant_id, str(run_id), node, override=override, id=new, **terms)
        except RunRefused as refusal:
            if new is None or refusal.code != "started_already":
                raise
            messages.info(request, "This form was already sent; this is the run that it started.")
            return new
        messages.success(
            request, "This run keeps what was done before; the run that you came from stays as it is."
        )
        return start.id

    return _mended(request, run_id, node, "rerun", "input", act)


def _terms_of(request: PageRequest, form: StepForm) -> dict[str, str]:
    """By whom, why and over which way."""
    who = request.principal
    return {"by": who.username, "reason": form.cleaned_data["reason"], "via": who.via}


def _mended(
    request: PageRequest, run_id: UUID, node: str, verb: str, of: Literal["input", "output"], act: Act
) -> HttpResponse:
    """The form of a verb on a step, and what it did."""
    tenant = request.principal.tenant_id
    run = found_run(tenant, run_id, NOTHING)
    record, step = get_run_for(tenant, run_id), next(iter(step_rows(tenant, run_id, node) or []), None)
    if record is None or step is None or (step["undoes"] and verb == "rerun"):
        raise Missing("There is no such step.")
    graph = shown(record.version_id).graph
    means = step_actions.means(graph, run, step)
    was = {"branch": ""} if verb == "skip" and means["decides"] and step[of] is None else step[of]
    form = StepForm(request.POST if request.method == "POST" else None, was=was)
    if form.is_bound and form.is_valid():
        try:
            return redirect("run", act(form))
        except (RunRefused, Refusal) as refusal:
            form.refuse(refusal)
    context = {"run": run, "step": step, "form": form, "verb": verb, "once": once.ticket(request.principal)}
    context["undoes"] = step["undoes"]
    context |= means
    return render(request, "runs/mend.html", context, status=422 if form.is_bound else 200)


@page(RUNS_OPERATE, "GET", "POST")
def resume_on(request: PageRequest, run_id: UUID) -> HttpResponse:
    """Resumes a failed run on a version of its workflow that somebody chooses, having seen what differs."""
    who = request.principal
    run = found_run(who.tenant_id, run_id, NOTHING)
    if run["test"]:
        raise Conflict("A test run stays on what it tests: test the draft again.")
    published = list_versions(who.tenant_id, run["workflow"])
    startable = published.filter(withdrawal=None).exclude(number=run["version"])
    others = list(startable.order_by("-number")[:OFFERED])
    versions = {one.number: one for one in others}
    form = VersionForm(request.POST if request.method == "POST" else None, versions=others)
    if form.is_bound and form.is_valid():
        try:
            choice, reason = versions[form.cleaned_data["version"]], form.cleaned_data["reason"]
            replay.resume_on(who.tenant_id, str(run_id), choice.pk, by=who.username, reason=reason)
        except RunRefused as refusal:
            form.add_error("version" if refusal.field else None, refusal.message)
        else:
            messages.success(request, f"The run goes on with v{choice.number}.")
            return redirect("run", run_id)
    here = published.get(number=run["version"]).definition
    choices = [(one, step_actions.differs(here, one.definition)) for one in others]
    context = {"run": run, "form": form, "choices": choices}
    return render(request, "runs/resume_on.html", context, status=422 if form.is_bound else 200)
