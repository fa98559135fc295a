"""The page's part of undoing: what somebody is about to decide, beside their list and in it."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from uuid import UUID

from accounts import people
from accounts.access import PageRequest
from engine.catalogue import Json
from lib.refusals import Refusal
from tasks_inbox.actions import bulk, drafts, holding
from tasks_inbox.actions.bulk import DONE, UNDO, BulkCommand
from tasks_inbox.forms.texts import title_of
from tasks_inbox.models import HeldDecision, ManualTask, label_of
from tasks_inbox.store import queries
from tasks_inbox.web.panes import Place


def undo(request: PageRequest, task_id: UUID) -> str:
    """Take back what somebody is about to decide; what they had typed is their draft then, where the task is still
    theirs to decide. Gives what is to be told: nothing of what did not count. Raises Conflict for nothing to undo.
    """
    was = holding.undo_decision(request.principal, task_id)
    if was["data"] or was["comment"]:
        with suppress(Refusal):
            drafts.save_draft(request.principal, task_id, data=was["data"] or {}, comment=was["comment"])
    return "" if was["refused"] else "Taken back: nothing was decided."


def undo_together(request: PageRequest, ids: Sequence[UUID]) -> list[dict[str, Json]]:
    """Take back all of these that somebody is about to decide and that don't count yet; what became of each.

    The comment that they gave all of them is their draft of each then, where they had none.
    """
    comments = {one.task_id: one.comment for one in holding.held_of(request.principal)}
    results = bulk.act(request.principal, ids, BulkCommand(UNDO))
    for one in results:
        if one["result"] == DONE and comments.get(one["id"]):
            with suppress(Refusal):
                drafts.start_draft(request.principal, one["id"], comment=comments[one["id"]])
    return results


def with_held(request: PageRequest, pane: dict[str, Json]) -> dict[str, Json]:
    """A list that says which of its tasks whoever looks has just decided, and which of them others just decide."""
    me = request.principal.username
    decisions = holding.held_of(request.principal, [row["id"] for row in pane["tasks"]])
    context = _context(request, [one for one in decisions if one.username == me])
    soon = {id: one["label"] for one in context["held"] if not one["refused"] for id in one["task_ids"]}
    deciders: dict[UUID, list[str]] = {}
    for one in decisions:
        if one.username != me:
            deciders.setdefault(one.task_id, []).append(one.username)
    people.learn(request.principal.tenant_id, [name for names in deciders.values() for name in names])
    rows = [
        row | {"soon": soon.get(row["id"]), "decided_soon_by": _who_decides(deciders.get(row["id"], ()))}
        for row in pane["tasks"]
    ]
    return pane | context | {"tasks": rows}


def _who_decides(names: Sequence[str]) -> str:
    if len(names) > 1:
        return f"{len(names)} others are deciding"
    return f"{people.name_of(names[0])} is deciding" if names else ""


def held_context(request: PageRequest) -> dict[str, Json]:
    """What whoever looks is about to decide, and what of that did not count; the list in which they stand."""
    return _context(request, holding.held_of(request.principal))


def _context(request: PageRequest, decisions: Sequence[HeldDecision]) -> dict[str, Json]:
    latest = sorted(decisions, key=lambda one: one.pk, reverse=True)
    tasks = (
        queries.tasks_named(request.principal.tenant_id, [one.task_id for one in decisions])
        if decisions
        else {}
    )
    return {
        "held_at": Place.of(request).address(),
        "held": [_entry(ones, tasks) for ones in _together(latest)],
    }


def _together(decisions: Iterable[HeldDecision]) -> list[list[HeldDecision]]:
    """What is undone by one press each: what was decided together, and each of the others by itself."""
    batches: dict[UUID, list[HeldDecision]] = {}
    for one in decisions:
        batches.setdefault(one.pk if one.refused or one.batch is None else one.batch, []).append(one)
    return list(batches.values())


def _entry(ones: Sequence[HeldDecision], tasks: Mapping[UUID, ManualTask]) -> dict[str, Json]:
    one = ones[0]
    task = tasks[one.task_id]
    return {
        "task_id": one.task_id,
        "task_ids": [each.task_id for each in ones],
        "title": title_of(task),
        "label": label_of(task.outcomes, one.outcome),
        "until": min(each.until for each in ones),
        "comment": one.comment,
        "refused": one.refused,
    }
