"""Files of tasks: attached by who sees them, named by fields of forms, never changed, part of the evidence.

Each is kept with what its bytes are and their SHA-256; a scan may refuse it before (docs/security.md, "Files").
"""

from collections.abc import Iterable
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse

from accounts import audit
from accounts.principal import Principal
from accounts.roles import TASKS_DECIDE, TASKS_READ
from engine.catalogue import Json
from lib.forms.fields import FormField
from lib.media import SHOWN
from lib.refusals import Conflict, Missing, NotAllowed
from runs.files import trees
from runs.files.claims import fault_of as fault_of_row
from runs.files.store import FileRow
from runs.files.trees import Source
from runs.files.uploads import described_content
from runs.kernel import live
from tasks_inbox.eligibility.refusals import open_task
from tasks_inbox.forms.form import filled
from tasks_inbox.limits import TASK_FILES
from tasks_inbox.models import ManualTask, TaskFile, TaskFileContent
from tasks_inbox.store import queries, task_files


def attach(
    principal: Principal, task_id: UUID, *, name: str, content: bytes, reason: str | None = None
) -> TaskFile:
    """Add a file to an open task: as who may decide tasks, or has started its run.

    Raises Missing, NotAllowed, Conflict for a task that is closed or has enough files, and Invalid, at `file`, for what
    is empty, too large or refused by the scan.
    """
    task = open_task(principal, task_id)
    _require_part(principal, task)
    details = {**described_content(principal.username, name, content)}
    file_id = str(details.pop("id"))
    with transaction.atomic():
        if not task_files.hold_open_task(task.tenant_id, task_id):
            raise Conflict("This task is closed: it takes no more files.", code="task_closed")
        if not task_files.add_file(
            file_id, task=task_id, content=content, details=details, by=str(details["by"]), most=TASK_FILES
        ):
            raise Conflict(f"A task has at most {TASK_FILES} files.", code="too_many_files", field="file")
        audit.record(principal, f"attach {details['sha256']}", f"task {task_id}", reason=reason)
        live.tell_inboxes([task.tenant_id])
    return file_of(principal, task_id, UUID(file_id))


def withdraw(principal: Principal, task_id: UUID, file_id: UUID, *, reason: str | None = None) -> None:
    """Take back a file that one has added: its content is forgotten, that it was there is not.

    Raises Missing, NotAllowed for another's, and Conflict where somebody has decided with it.
    """
    principal.require(TASKS_READ)
    file = file_of(principal, task_id, file_id)
    if file.by != principal.username:
        raise NotAllowed(f"Only {file.by}, who added this file, can take it back.", code="not_yours")
    with transaction.atomic():
        is_locked = task_files.hold_open_task(principal.tenant_id, task_id)
        if not is_locked or not task_files.withdraw_file(task_id, file_id, by=principal.username):
            raise Conflict("Somebody has decided with this file: it stays.", code="file_is_evidence")
        audit.record(principal, f"withdraw {file.sha256}", f"task {task_id}", reason=reason)
        live.tell_inboxes([principal.tenant_id])


def files_of(task: ManualTask) -> QuerySet[TaskFile]:
    """The files of a task, but for withdrawn ones."""
    files = TaskFile.objects.for_tenant(task.tenant_id)
    return files.filter(task_id=task.pk, withdrawn_at=None).order_by("id")


def file_of(principal: Principal, task_id: UUID, file_id: UUID) -> TaskFile:
    """One file of the tenant's task. Raises Missing, also for one that was withdrawn, and Forbidden."""
    principal.require(TASKS_READ)
    file = files_of(queries.task_of(principal.tenant_id, task_id)).filter(pk=file_id).first()
    if file is None:
        raise Missing("There is no such file.")
    return file


def content_of(file: TaskFile) -> bytes:
    """Its bytes."""
    return bytes(TaskFileContent.objects.for_tenant(file.tenant_id).get(pk=file.pk).content)


def readable_file(principal: Principal, task_id: UUID, file_id: UUID) -> tuple[FileRow, bytes]:
    """A file that whoever sees a task may read, with its bytes: one of the task, or of the tree of its run.

    Raises Missing and Forbidden.
    """
    principal.require(TASKS_READ)
    task = queries.task_of(principal.tenant_id, task_id)
    row = trees.files_of_run(principal.tenant_id, task.run_id, [str(file_id)]).get(str(file_id))
    content = row and trees.content_of(principal.tenant_id, str(file_id))
    if row is None or content is None:
        raise Missing("There is no such file.")
    return row, content


def stored_row(file: TaskFile) -> FileRow:
    """A file of a task as files of runs are described."""
    return {
        "id": str(file.pk),
        "name": file.name,
        "media_type": file.media_type,
        "size": file.size,
        "sha256": file.sha256,
        "by": file.by,
    }


SOURCE = Source(task_files.files_in_trees, task_files.file_content)
"""Files of tasks, for the trees of runs that read them."""


def evidence_of(task: ManualTask) -> list[dict[str, Json]]:
    """What a decision's record says of the files that there are."""
    names = ("name", "media_type", "size", "sha256", "by")
    return [{"id": str(file.pk)} | {name: getattr(file, name) for name in names} for file in files_of(task)]


def file_row(file: TaskFile) -> dict[str, Json]:
    """A file as it is listed."""
    names = ("id", "name", "media_type", "size", "sha256", "by", "at")
    return {name: getattr(file, name) for name in names} | {"is_shown": file.media_type in SHOWN}


def faults_of(task: ManualTask, data: Json) -> list[tuple[str, str, str]]:
    """What is wrong with the files that the data of a task's form names: field, code, sentence."""
    fields = [one for one in filled(task.form, data).each() if one.kind == "file" and one.text]
    files_by_id = {str(file.pk): file for file in files_of(task)} if fields else {}
    faults = ((one, fault_of(one, files_by_id.get(one.text))) for one in fields)
    return [(one.name, "bad_file", message) for one, message in faults if message]


def fault_of(field: FormField, file: TaskFile | None) -> str:
    """What is wrong with the file of a field; empty where it is right."""
    if file is None:
        return "This is not a file of this task: add it again."
    return fault_of_row(stored_row(file), field.accept, field.max_bytes)


def name_files(fields: Iterable[FormField], files: Iterable[TaskFile]) -> None:
    """Say of fields that hold files what they are called, and what is wrong with them; what is no file of the task any
    more is empty again.
    """
    files_by_id = {str(file.pk): file for file in files}
    for field in fields:
        file = files_by_id.get(field.text) if field.kind == "file" else None
        if file is not None:
            field.file_name, field.file_url = (
                file.name,
                reverse("api-task-file", args=[file.task_id, file.pk]),
            )
            field.error = field.error or fault_of(field, file)
        elif field.kind == "file":
            field.text = ""


def _require_part(principal: Principal, task: ManualTask) -> None:
    principal.require(TASKS_READ)
    if TASKS_DECIDE not in principal.scopes and not queries.is_requester(task, principal.username):
        raise NotAllowed(
            "Only whoever started the run, or may decide tasks, can add files.", code="not_asked"
        )
