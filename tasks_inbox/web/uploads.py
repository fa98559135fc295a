"""What was posted with files: each becomes a file of the task, and its field holds that."""

from uuid import UUID

from accounts.access import PageRequest
from engine.catalogue import Json
from lib.refusals import Refusal
from runs.files.limits import FILE_BYTES
from tasks_inbox.forms import files

FIELDS = "data."


def posted(request: PageRequest, task_id: UUID) -> tuple[dict[str, str], list[dict[str, Json]]]:
    """What was typed, by the name of its field, and what is wrong with files that could not be taken."""
    fields, faults = request.POST.dict(), []
    texts = {name: text for name, text in fields.items() if isinstance(text, str)}
    for name, upload in request.FILES.items():
        if not name.startswith(FIELDS) or isinstance(upload, list):
            continue
        content = upload.read(FILE_BYTES + 1)
        try:
            file = files.attach(request.principal, task_id, name=upload.name or "", content=content)
            texts[name] = str(file.pk)
        except Refusal as error:
            faults.append({"field": name, "message": error.message})
    return texts, faults
