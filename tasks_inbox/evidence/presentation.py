"""What somebody is shown of a task: its question, and the files that others have added; and what changed of that since.

Whoever adds a file or takes one back knows of it: what they were shown stays as it was, for them alone. A decision's
record has the digest of its question and all files that there were by then, each by itself (`ledger`, `forms.files`).
"""

from collections.abc import Iterable, Sequence
from uuid import UUID

from tasks_inbox.evidence import ledger
from tasks_inbox.evidence.approves import Approves, approves_of, of_task
from tasks_inbox.limits import FILE_CHANGES
from tasks_inbox.models import ManualTask, TaskFile

AGAIN = "Look again before you decide."


def hash_of(task: ManualTask, username: str, files: Iterable[TaskFile] | None = None) -> str:
    """What binds a decision to what they were shown (docs/security.md, "Decisions").

    `files` are those of the task, where they are at hand.
    """
    if files is None:
        return hashes_of([task], username)[task.pk]
    return hash_with(task, username, files, of_task(task))


def hash_with(task: ManualTask, username: str, files: Iterable[TaskFile], approves: Approves | None) -> str:
    """As `hash_of`, where the files of the task and what it covers are at hand."""
    return _hash(task, [file for file in files if file.by != username], approves)


def hashes_of(tasks: Sequence[ManualTask], username: str) -> dict[UUID, str]:
    """As `hash_of`, of several tasks of one tenant, by their ids; one statement."""
    files: dict[UUID, list[TaskFile]] = {}
    for file in _files(tasks, username):
        if file.withdrawn_at is None:
            files.setdefault(file.task_id, []).append(file)
    approves = approves_of(tasks)
    return {task.pk: _hash(task, files.get(task.pk, ()), approves.get(task.pk)) for task in tasks}


def changed_since(task: ManualTask, username: str, seen: str, approves: Approves | None) -> str | None:
    """What is not as they have seen it, in a sentence that names files; None where all is.

    `approves`: what the task covers.
    """
    every = list(_files([task], username))
    here = {file.pk: file for file in every if file.withdrawn_at is None}
    if _hash(task, here.values(), approves) == seen:
        return None
    steps = [(file.at, True, file) for file in every]
    steps += [(file.withdrawn_at, False, file) for file in every if file.withdrawn_at is not None]
    then = dict(here)
    for _, is_added, file in sorted(steps, key=lambda step: step[0], reverse=True)[:FILE_CHANGES]:
        if is_added:
            then.pop(file.pk, None)
        else:
            then[file.pk] = file
        if _hash(task, then.values(), approves) == seen:
            changes = [f"“{one.name}” was added by {one.by}" for key, one in here.items() if key not in then]
            changes += [
                f"“{one.name}” was taken back by {one.by}" for key, one in then.items() if key not in here
            ]
            return f"What you saw has changed: {', '.join(changes)}. {AGAIN}"
    if approves is not None:
        return f"This task, or what the steps after it would do, was changed while you looked at it. {AGAIN}"
    return f"This task was changed while you looked at it. {AGAIN}"


def _files(tasks: Sequence[ManualTask], username: str) -> Iterable[TaskFile]:
    """The files that others have added to these tasks, also those that were taken back, in their order."""
    if not tasks:
        return ()
    files = TaskFile.objects.for_tenant(tasks[0].tenant_id).exclude(by=username)
    return files.filter(task_id__in=[task.pk for task in tasks]).order_by("id")


def _hash(task: ManualTask, files: Iterable[TaskFile], approves: Approves | None) -> str:
    file_rows = [[str(file.pk), file.name, file.sha256] for file in sorted(files, key=lambda file: file.pk)]
    covers = {} if approves is None else {"covers": approves.digest}
    if not file_rows and not covers:
        return ledger.shown_hash(task)
    return ledger.digest_of(ledger.canonical({"question": ledger.shown(task), "files": file_rows, **covers}))
