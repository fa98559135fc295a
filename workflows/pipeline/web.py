"""The pages of the pipeline form."""

from dataclasses import dataclass, field

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from accounts.access import PageRequest, page
from accounts.roles import WORKFLOWS_PUBLISH, WORKFLOWS_WRITE
from lib.json import Json
from lib.refusals import Refusal, Stale, Unprocessable
from workflows import queries
from workflows.access import may, may_anywhere
from workflows.checking import text_pipelines
from workflows.checking.check import check
from workflows.models import Workflow
from workflows.pipeline import rules
from workflows.pipeline.rules import NotAPipeline, Pipeline, Step
from workflows.readiness.checking import readiness_of
from workflows.versions import lifecycle
from workflows.web.forms import as_number, keep_note, kept_note, message_of, note_of, storable

ANYWAY = "publish-anyway"
"""Publishing although test cases fail: offered when they did."""


@dataclass(slots=True)
class Form:
    """What was typed, the draft it was made from, what was `asked` (save, publish), and what stands against it."""

    pipeline: Pipeline
    workflow: Workflow | None = None
    name: str = ""
    note: str = ""
    revision: int = 0
    errors: dict[str, str] = field(default_factory=dict)
    stale: Workflow | None = None
    asked: str = "save"

    @property
    def base(self) -> dict[str, Json]:
        """The draft that it changes."""
        return self.workflow.draft_definition if self.workflow else {"nodes": [], "edges": []}

    @property
    def definition(self) -> dict[str, Json]:
        """The draft that it describes."""
        return rules.to_definition(self.pipeline, self.base, self.name)

    def show_problems(self, definition: dict[str, Json], tenant: int) -> None:
        """Show what the builder would show of a draft."""
        self.pipeline.show(check(definition, name=self.name or None, tenant=tenant).problems)

    def refuse(self, refusal: Refusal) -> None:
        """Show a refusal at the field that is to blame, or at the top."""
        field = refusal.field if refusal.field in ("title", "name") else "form"
        self.errors[field] = message_of(refusal)


@page(WORKFLOWS_WRITE, "GET", "POST")
def new_page(request: PageRequest) -> HttpResponse:
    """A new pipeline: nothing is kept before it is saved or published."""
    return _answer(request, None) if request.method == "POST" else _render(request, Form(Pipeline()))


@page(WORKFLOWS_WRITE, "GET", "POST")
def edit_page(request: PageRequest, name: str) -> HttpResponse:
    """The draft as a form, if it is a chain of text steps; what was typed is never lost and overwrites nothing."""
    workflow = queries.get_workflow(request.principal.tenant_id, name)
    if request.method == "POST":
        return _answer(request, workflow)
    queries.refuse_archived(workflow)
    try:
        pipeline = rules.from_definition(workflow.draft_definition)
    except NotAPipeline as reason:
        return render(request, "pipeline/no_pipeline.html", {"workflow": workflow, "why": str(reason)})
    pipeline.title = workflow.title or pipeline.title
    pipeline.description = workflow.description or pipeline.description
    form = Form(pipeline, workflow, name, kept_note(request, name), workflow.draft_revision)
    form.show_problems(workflow.draft_definition, request.principal.tenant_id)
    if pipeline.steps:
        pipeline.length = text_pipelines.refusal_of(len(pipeline.steps))
    return _render(request, form)


def _posted(request: PageRequest, workflow: Workflow | None) -> Form:
    """The form as it was sent. A new workflow gets the name that was typed, one that suits its title, or a free one."""
    form = Form(Pipeline(), workflow, workflow.name if workflow else "", note_of(request.POST))
    form.pipeline = rules.from_posted(dict(request.POST.lists()), form.base)
    form.revision = as_number(request.POST.get("revision"))
    form.name = (
        form.name
        or request.POST.get("name", "").strip()
        or rules.name_of(request.POST.get("title", "").strip())
        or queries.free_name(request.principal.tenant_id, "pipeline")
    )
    return form


def _answer(request: PageRequest, workflow: Workflow | None) -> HttpResponse:
    """What comes of a press of one of the form's buttons."""
    form = _posted(request, workflow)
    action = request.POST.get("do", "save")
    if action.startswith("overwrite:"):
        revision, _, next_action = action.removeprefix("overwrite:").partition(":")
        form.revision, action = as_number(revision), next_action or "save"
    if action == "check":
        form.show_problems(form.definition, request.principal.tenant_id)
        return _render(request, form)
    if action not in ("save", "publish", "canvas", ANYWAY):
        form.pipeline = rules.rearranged(form.pipeline, action)
        return _render(request, form)
    form.asked = action
    try:
        saved = _save(request, form)
    except Stale:
        form.stale = queries.get_workflow(request.principal.tenant_id, form.name)
        return _render(request, form, status=409)
    except Refusal as refusal:
        form.refuse(refusal)
        return _render(request, form, status=422)
    keep_note(request, saved.name, form.note)
    if action == "canvas":
        return redirect("workflow-edit", saved.name)
    if action == "save":
        messages.success(request, "Saved as a draft. Runs still take the last published version.")
        return redirect("workflow-pipeline", saved.name)
    return _publish(request, saved, form, anyway=action == ANYWAY)


def _save(request: PageRequest, form: Form) -> Workflow:
    """Writes what was typed as the draft. Raises Stale, or another Refusal."""
    pipeline, old = form.pipeline, form.workflow
    if not pipeline.title:
        raise Unprocessable("Give it a title.", field="title")
    if old is None:
        definition = storable(form.definition)
        return lifecycle.create_workflow(request.principal, name=form.name, definition=definition).workflow
    queries.refuse_archived(old)
    definition = storable(form.definition)
    before = (old.draft_revision, old.draft_definition, old.title, old.description)
    if before == (form.revision, definition, pipeline.title, pipeline.description):
        return old
    return lifecycle.save_draft(
        request.principal,
        form.name,
        definition=definition,
        expected_revision=form.revision,
        title=pipeline.title,
        description=pipeline.description,
    ).workflow


def _publish(request: PageRequest, workflow: Workflow, form: Form, *, anyway: bool) -> HttpResponse:
    note = form.note
    try:
        if message := text_pipelines.refusal_of(len(form.pipeline.steps)):
            raise Unprocessable(message)
        publication = lifecycle.publish(
            request.principal,
            workflow.name,
            note=note,
            expected_revision=workflow.draft_revision,
            despite_failing_cases=anyway,
        )
    except Refusal as refusal:
        messages.error(request, f"Saved as a draft, but not published: {refusal.message}")
        failing = "?failing=1" if refusal.code == "test_cases_failed" else ""
        return redirect(reverse("workflow-pipeline", args=[workflow.name]) + failing)
    keep_note(request, workflow.name, "")
    done = "Published as" if publication.created else "There are no changes since"
    stays = "" if publication.created else ", which stays"
    messages.success(request, f"{done} version {publication.version.number}{stays}.")
    for finding in readiness_of(request.principal, publication.version, publication.problems).findings:
        if not finding.validates:
            messages.warning(request, finding.sentence)
    return redirect("workflow", workflow.name)


def _render(request: PageRequest, form: Form, status: int = 200) -> HttpResponse:
    who, choices = request.principal, rules.choices()
    context = {
        "form": form,
        "pipeline": form.pipeline,
        "choices": choices,
        "blanks": [Step("KEY", choice.name) for choice in choices],
        "may_publish": may(who, WORKFLOWS_PUBLISH, form.workflow)
        if form.workflow
        else may_anywhere(who, WORKFLOWS_PUBLISH),
        "cases_fail": "failing" in request.GET,
    }
    return render(request, "pipeline/edit.html", context, status=status)
