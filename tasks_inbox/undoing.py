"""The page's part of undoing: what somebody is about to decide, beside their list and in it."""

from contextlib import suppress
from typing import Any
from uuid import UUID

from accounts.access import PageRequest
from lib.refusals import Refusal
from tasks_inbox import drafts, holding, queries
from tasks_inbox.models import label_of
from tasks_inbox.panes import Place

Json = Any


def undo(request: PageRequest, task_id: UUID) -> str:
    """Take back what somebody is about to decide; what they had typed is their draft then, where the task is still
    theirs to decide. Gives what is to be told: nothing of what did not count. Raises Conflict for nothing to undo.
    """
    was = holding.undo_decision(request.principal, task_id)
    if was["data"] or was["comment"]:
        with suppress(Refusal):
            drafts.save_draft(request.principal, task_id, data=was["data"] or {}, comment=was["comment"])
    return "" if was["refused"] else "Taken back: nothing was decided."


def with_held(request: PageRequest, listed: dict[str, Json]) -> dict[str, Json]:
    """A list that says which of its tasks whoever looks has just decided."""
    context = held_context(request)
    soon = {one["task_id"]: one["label"] for one in context["held"] if not one["refused"]}
    rows = [row | {"soon": soon.get(row["id"])} for row in listed["tasks"]]
    return listed | context | {"tasks": rows}


def held_context(request: PageRequest) -> dict[str, Json]:
    """What whoever looks is about to decide, and what of that did not count; the list in which they stand."""
    held = sorted(holding.held_of(request.principal), key=lambda one: one.pk, reverse=True)
    tasks = queries.tasks_named(request.principal.tenant_id, [one.task_id for one in held]) if held else {}
    return {
        "held_at": Place.of(request).address(),
        "held": [
            {
                "task_id": one.task_id,
                "title": tasks[one.task_id].title,
                "label": label_of(tasks[one.task_id].outcomes, one.outcome),
                "until": one.until,
                "comment": one.comment,
                "refused": one.refused,
            }
            for one in held
        ],
    }
