"""One task as lists, pages and programs are shown it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from accounts import queries as people
from accounts.names import key_of
from engine.catalogue import Json
from tasks_inbox.eligibility.identity import DECIDING_ROLES, Who
from tasks_inbox.eligibility.quorum import ONE, needs_several
from tasks_inbox.eligibility.standing import Standing, standing_in_list
from tasks_inbox.evidence import presentation
from tasks_inbox.evidence.approves import of_task
from tasks_inbox.forms.texts import instructions_of, outcomes_of, title_of
from tasks_inbox.models import (
    FOR_OPERATORS,
    OPEN,
    HeldDecision,
    ManualTask,
    TaskComment,
    TaskFile,
    TaskNote,
)
from tasks_inbox.reading.changes import changed_since
from tasks_inbox.reading.why_nobody import why_nobody
from tasks_inbox.store.queries import LARGE, Called, comments_of


def _note_of(task: ManualTask, who: Who) -> TaskNote | None:
    notes = TaskNote.objects.for_tenant(task.tenant_id)
    return notes.filter(task_id=task.pk, username=who.username).first()


def list_rows(
    tasks: Sequence[ManualTask], workflows: Mapping[int, Called], who: Who
) -> list[dict[str, Json]]:
    """Tasks as a list shows them, with how their workflows are called; `may_decide`: it is open, and who asks may
    decide it now.
    """
    stuck = why_nobody(who, tasks)
    return [
        _row(standing_in_list(who, task, workflow.folder), workflow.name)
        | {"undecidable": stuck.get(task.pk)}
        for task in tasks
        for workflow in (workflows[task.workflow_id],)
    ]


def _row(stands: Standing, workflow: str) -> dict[str, Json]:
    task = stands.task
    return {
        "id": task.pk,
        "run_id": task.run_id,
        "workflow": workflow,
        "node": task.node,
        "kind": task.kind,
        "title": title_of(task),
        "status": task.status,
        "priority": task.priority,
        "candidates": task.candidates,
        "exclude": task.exclude,
        "assignee": task.assignee,
        "delegated_by": task.delegated_by,
        "stands_in_for": stands.stands_in_for if task.status == OPEN else None,
        "due_at": task.due_at,
        "follow_up_at": follow_up_at(task) if task.status == OPEN else None,
        "outcomes": task.outcomes,
        "outcome": task.outcome,
        "decided_by": task.decided_by,
        "decided_for": task.decided_for,
        "decided_at": task.decided_at,
        "created_at": task.created_at,
        "asked_at": None if task.returned_to else task.stopped_at,
        "asked_by": None if task.returned_to else task.stopped_by,
        "asked_of": task.asked_of,
        "returned_to": task.returned_to,
        "returned_by": task.stopped_by if task.returned_to else None,
        "test": task.is_test,
        "quorum": task.quorum or ONE,
        "proxies": [{"by": one["by"], "to": one["to"]} for one in task.proxies],
        "round": task.round,
        "may_decide": stands.may_decide,
    }


def whole_row(stands: Standing, workflow: str, files: Iterable[TaskFile] | None = None) -> dict[str, Json]:
    """A task with all that it holds, how many comments there are, and what who asks has noted of it; `files` of it,
    where they are at hand.
    """
    task, who, approves = stands.task, stands.who, of_task(stands.task)
    if files is None:
        files = list(TaskFile.objects.for_tenant(task.tenant_id).filter(task_id=task.pk, withdrawn_at=None))
    large = {name: getattr(task, name) for name in LARGE if name not in ("earlier", "texts")}
    large |= {"instructions": instructions_of(task), "outcomes": outcomes_of(task)}
    more = {
        "comments": comments_of(task).count(),
        "shown_hash": presentation.hash_with(task, who.username, files, approves),
        "changed": changed_since(task),
        "approves": None if approves is None else approves.row(),
    }
    note = _note_of(task, who)
    own = {"snoozed_until": note and note.snoozed_until, "watching": bool(note and note.watching)}
    row = _row(stands, workflow) | {"undecidable": why_nobody(who, [task]).get(task.pk)}
    decision = _held(task, who)
    is_held = decision is not None and (decision["by"] == who.username or not needs_several(task.quorum))
    may_decide = stands.may_decide and not is_held
    return row | large | more | own | {"held": decision, "may_decide": may_decide}


def _held(task: ManualTask, who: Who) -> dict[str, Json] | None:
    """What somebody is about to decide of it: who asks, or else another."""
    if task.status != OPEN:
        return None
    decisions = HeldDecision.objects.for_tenant(task.tenant_id).filter(task_id=task.pk, refused__isnull=True)
    rows = sorted(decisions, key=lambda one: one.username != who.username)
    return next(({"by": one.username, "outcome": one.outcome, "until": one.until} for one in rows), None)


def comment_row(comment: TaskComment) -> dict[str, Json]:
    """A comment as it is shown."""
    return {"id": comment.pk, "kind": comment.kind, "text": comment.text, "by": comment.by, "at": comment.at}


def delegates_of(task: ManualTask, who: Who, most: int, but: Collection[str] = ()) -> list[tuple[str, str]]:
    """Some of those to whom they may hand this task, usernames with names, `most` at most; `but` those who have a vote
    already.
    """
    members = people.members_of_roles(task.tenant_id, DECIDING_ROLES)
    if task.kind in FOR_OPERATORS:
        members = members.filter(role__in=task.candidates["roles"])
    names = members.values_list("user__username", "user__name")
    excluded_keys = {key_of(who.username), *task.exclude, *but, *(one["to_key"] for one in task.proxies)}
    members_read = names[: most + len(excluded_keys)]
    return [(name, printed) for name, printed in members_read if key_of(name) not in excluded_keys][:most]


def follow_up_at(task: ManualTask) -> datetime | None:
    """When somebody is to look after it; None where that is over, or nobody said so."""
    moments = (moment["after"] for moment in task.clock or () if moment.get("follow_up"))
    return next((task.clock_from + timedelta(seconds=after) for after in moments), None)
