"""The pages that change a draft: the pipeline form, and the definition as JSON."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from accounts.access import PageRequest, page
from accounts.roles import WORKFLOWS_PUBLISH, WORKFLOWS_WRITE
from lib.refusals import Refusal, Stale, Unprocessable
from workflows import queries
from workflows.access import may, may_anywhere
from workflows.checking.check import check
from workflows.models import Workflow
from workflows.versions import lifecycle
from workflows.web import pipelines
from workflows.web.forms import NEW, Form, as_number, keep_note, kept_note, note_of, storable
from workflows.web.pipelines import NotAPipeline, Pipeline, Step

ANYWAY = "publish-anyway"
"""Publishing although test cases fail: offered when they did."""


@page(WORKFLOWS_WRITE, "GET", "POST")
def new_page(request: PageRequest) -> HttpResponse:
    """A new pipeline: nothing is kept before it is saved or published."""
    if request.method != "POST":
        return _form(request, Form(Pipeline()))
    name = request.POST.get("name", "").strip() or _name_for(request)
    form = Form(pipelines.from_posted(dict(request.POST.lists()), NEW), name=name, note=note_of(request.POST))
    return _answer(request, form)


@page(WORKFLOWS_WRITE, "GET", "POST")
def edit_page(request: PageRequest, name: str) -> HttpResponse:
    """The draft as a form, if it is a chain of text steps; what was typed is never lost and overwrites nothing."""
    workflow = queries.get_workflow(request.principal.tenant_id, name)
    if request.method == "POST":
        return _answer(request, _posted_form(request, workflow))
    queries.refuse_archived(workflow)
    try:
        pipeline = pipelines.from_definition(workflow.draft_definition)
    except NotAPipeline as reason:
        return render(request, "workflows/no_pipeline.html", {"workflow": workflow, "why": str(reason)})
    pipeline.title = workflow.title or pipeline.title
    pipeline.description = workflow.description or pipeline.description
    pipeline.show(check(workflow.draft_definition, name=name, tenant=request.principal.tenant_id).problems)
    note = kept_note(request, name)
    return _form(request, Form(pipeline, workflow, name, note, workflow.draft_revision))


def _name_for(request: PageRequest) -> str:
    """A name that suits the title; for one without a letter that a name can have, one that is free."""
    title = request.POST.get("title", "").strip()
    return pipelines.name_of(title) or queries.free_name(request.principal.tenant_id, "pipeline")


def _posted_form(request: PageRequest, workflow: Workflow) -> Form:
    form_fields = dict(request.POST.lists())
    pipeline = pipelines.from_posted(form_fields, workflow.draft_definition)
    return Form(
        pipeline, workflow, workflow.name, note_of(request.POST), as_number(request.POST.get("revision"))
    )


def _answer(request: PageRequest, form: Form) -> HttpResponse:
    """What comes of a press of one of the form's buttons."""
    action = request.POST.get("do", "save")
    if action.startswith("overwrite:"):
        revision, _, next_action = action.removeprefix("overwrite:").partition(":")
        form.revision, action = as_number(revision), next_action or "save"
    if action == "check":
        return _show_check(request, form)
    if action not in ("save", "publish", "canvas", ANYWAY):
        form.pipeline = pipelines.rearranged(form.pipeline, action)
        return _form(request, form)
    form.asked = action
    try:
        workflow = _save(request, form)
    except Stale:
        form.stale = queries.get_workflow(request.principal.tenant_id, form.name)
        return _form(request, form, status=409)
    except Refusal as refusal:
        form.refuse(refusal)
        return _form(request, form, status=422)
    keep_note(request, workflow.name, form.note)
    if action == "canvas":
        return redirect("workflow-edit", workflow.name)
    if action == "save":
        return _redirect_saved(request, workflow)
    return _publish(request, workflow, form.note, anyway=action == ANYWAY)


def _show_check(request: PageRequest, form: Form) -> HttpResponse:
    """The form with what stands against publishing it; nothing is saved."""
    base = form.workflow.draft_definition if form.workflow else NEW
    definition = pipelines.to_definition(form.pipeline, base, form.name)
    form.pipeline.show(check(definition, name=form.name or None, tenant=request.principal.tenant_id).problems)
    return _form(request, form)


def _save(request: PageRequest, form: Form) -> Workflow:
    """Writes what was typed as the draft. Raises Stale, or another Refusal."""
    if not form.pipeline.title:
        raise Unprocessable("Give it a title.", field="title")
    pipeline, old = form.pipeline, form.workflow
    if old:
        queries.refuse_archived(old)
    base = old.draft_definition if old else NEW
    definition = storable(pipelines.to_definition(pipeline, base, form.name))
    if old is None:
        return lifecycle.create_workflow(request.principal, name=form.name, definition=definition).workflow
    same = (old.draft_definition, old.title, old.description) == (
        definition,
        pipeline.title,
        pipeline.description,
    )
    if same and old.draft_revision == form.revision:
        return old
    return lifecycle.save_draft(
        request.principal,
        form.name,
        definition=definition,
        expected_revision=form.revision,
        title=pipeline.title,
        description=pipeline.description,
    ).workflow


def _redirect_saved(request: PageRequest, workflow: Workflow) -> HttpResponse:
    messages.success(request, "Saved as a draft. Runs still take the last published version.")
    return redirect("workflow-pipeline", workflow.name)


def _publish(request: PageRequest, workflow: Workflow, note: str, *, anyway: bool) -> HttpResponse:
    try:
        publication = lifecycle.publish(
            request.principal,
            workflow.name,
            note=note,
            expected_revision=workflow.draft_revision,
            despite_failing_cases=anyway,
        )
    except Refusal as refusal:
        messages.error(request, f"Saved as a draft, but not published: {refusal.message}")
        if refusal.code == "test_cases_failed":
            return redirect(f"{reverse('workflow-pipeline', args=[workflow.name])}?failing=1")
        return redirect("workflow-pipeline", workflow.name)
    keep_note(request, workflow.name, "")
    message = (
        "Published as version {}."
        if publication.created
        else "There are no changes since version {}, which stays."
    )
    messages.success(request, message.format(publication.version.number))
    return redirect("workflow", workflow.name)


def _form(request: PageRequest, form: Form, status: int = 200) -> HttpResponse:
    context: dict[str, Any] = {
        "form": form,
        "pipeline": form.pipeline,
        "choices": pipelines.choices(),
        "blanks": [Step("KEY", choice.name) for choice in pipelines.choices()],
        "may_publish": may(request.principal, WORKFLOWS_PUBLISH, form.workflow)
        if form.workflow
        else may_anywhere(request.principal, WORKFLOWS_PUBLISH),
        "cases_fail": "failing" in request.GET,
    }
    return render(request, "workflows/edit.html", context, status=status)
