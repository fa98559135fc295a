"""Filling in a task before it is decided: the form as it follows what is typed, the draft, the files."""

from contextlib import suppress
from uuid import UUID

from accounts.access import PageRequest
from accounts.picking import Members
from engine.catalogue import Json
from lib.refusals import Invalid, Missing, Refusal
from runs.files.limits import FILE_BYTES
from tasks_inbox.actions import decision, drafts
from tasks_inbox.eligibility.refusals import require_answer
from tasks_inbox.forms import files
from tasks_inbox.forms.form import edited, form_of
from tasks_inbox.forms.people import name_people
from tasks_inbox.store import queries
from tasks_inbox.web.masked import shown_schema, true_data
from tasks_inbox.web.pages import mark_needed, task_context, typed
from tasks_inbox.web.panes import Place, id_of
from tasks_inbox.web.uploads import posted


def fill_in(request: PageRequest, task_id: UUID) -> dict[str, Json]:
    """The form with what was typed, as it is to be filled in now, after the edit that was asked for.

    Once it was sent with faults, it goes on to say what is wrong.
    """
    task = queries.task_of(request.principal.tenant_id, task_id)
    require_answer(request.principal, task)
    edit = request.POST.get("edit", "")
    _forget(request, task_id, edit)
    entries, not_taken = posted(request, task_id)
    form = edited(shown_schema(task.form), entries, edit, people=Members(task.tenant_id))
    form.show(not_taken)
    is_checked = request.POST.get("checked") == "yes"
    if is_checked:
        data, unknown = true_data(request.principal, task, form.data)
        form.show(unknown)
        form.show({"field": name, "message": text} for name, _, text in decision.data_faults(task, data))
    context = {"is_checked": is_checked, "comment": typed(request, "comment")}
    if not request.headers.get("HX-Request"):
        return task_context(request, task, form) | context
    mark_needed(form, task)
    files.name_files(form.each(), files.files_of(task))
    name_people(task, form.each())
    return context | {"task": {"id": task.pk}, "form": form, "stays": Place.of(request).address()}


def keep(request: PageRequest, task_id: UUID) -> dict[str, Json]:
    """Keep what was typed, or forget it if the form says so; gives what is to be told."""
    principal = request.principal
    if request.POST.get("drop"):
        drafts.drop_draft(principal, task_id)
        return {}
    task = queries.task_of(principal.tenant_id, task_id)
    require_answer(principal, task)
    form = form_of(shown_schema(task.form), request.POST.dict(), lenient=True)
    hidden = {name.removeprefix("data."): text for name, text in form.hidden if not set(name[5:]) & set(".[")}
    data, _ = true_data(principal, task, hidden | form.data)
    comment = typed(request, "comment")
    try:
        return {"draft": drafts.save_draft(principal, task_id, data=data, comment=comment)}
    except Refusal as error:
        return {"not_kept": error.message}


def attach(request: PageRequest, task_id: UUID) -> str | tuple[dict[str, Json], int]:
    """Add the file that was chosen; gives what is to be told then, otherwise the page with what was wrong."""
    upload = request.FILES.get("file")
    try:
        if upload is None:
            raise Invalid("Choose a file.", code="required", field="file")
        content = upload.read(FILE_BYTES + 1)
        file = files.attach(request.principal, task_id, name=upload.name or "", content=content)
        return f"“{file.name}” was added to the task."
    except Refusal as error:
        status, context = 422 if isinstance(error, Invalid) else 409, {"file_error": error.message}
    return task_context(request, queries.task_of(request.principal.tenant_id, task_id)) | context, status


def take_back(request: PageRequest, task_id: UUID, file_id: UUID) -> str | tuple[dict[str, Json], int]:
    """Take back a file; as `attach`."""
    try:
        files.withdraw(request.principal, task_id, file_id)
        return "The file was removed."
    except Missing:
        raise
    except Refusal as error:
        context = {"file_error": error.message}
    return task_context(request, queries.task_of(request.principal.tenant_id, task_id)) | context, 409


def _forget(request: PageRequest, task_id: UUID, edit: str) -> None:
    """A file that is taken out of the form again is taken back, if that may be."""
    verb, _, name = edit.partition(" ")
    file_id = id_of(request.POST.get(name, "")) if verb == "clear" else None
    if file_id is not None:
        with suppress(Refusal):
            files.withdraw(request.principal, task_id, file_id)
