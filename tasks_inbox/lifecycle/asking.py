"""Whom a task asks from now on: by its reminders and levels, by hand, and where nobody can decide it."""

from collections.abc import Mapping, Sequence

from engine.catalogue import Json
from tasks_inbox.eligibility import policies
from tasks_inbox.eligibility.electors import electors_of, named_by
from tasks_inbox.lifecycle.waits import with_manager
from tasks_inbox.models import ESCALATED, REMINDED, ManualTask
from tasks_inbox.store import statements

KINDS = ("users", "groups", "roles")


def moved(task: ManualTask, moments: list[Json]) -> tuple[Json, list[Json]]:
    """Whom a task asks after these moments (`candidates`, `audience`, `named`), and the events. Changes nothing.

    Who is somebody's manager is looked up now.
    """
    candidates, audience, events = dict(task.candidates), list(task.audience), []
    people = None if task.named is None else list(task.named)
    for moment in moments:
        if moment["do"] == "remind":
            payload: dict[str, Json] = {"follow_up": True} if moment.get("follow_up") else {}
            events.append({"type": "TASK_REMINDED", "payload": payload, "tells": REMINDED})
            continue
        to = with_manager(task.tenant_id, moment["to"])
        marks = policies.audience_of(to)
        audience = list(dict.fromkeys([*audience, *marks]))
        if people is not None:
            there = {one["key"] for one in people}
            names = named_by(task.tenant_id, to, task.exclude, lambda: task.folder)
            people += [one for one in names if one["key"] not in there]
        names_by_kind = {
            kind: [name for name in to.get(kind) or () if name != policies.NOBODY] for kind in KINDS
        }
        for kind, names in names_by_kind.items():
            candidates[kind] = list(dict.fromkeys([*(candidates.get(kind) or ()), *names]))
        payload = {key: moment[key] for key in ("level", "by", "reason") if moment.get(key)}
        payload["to"] = {**moment["to"], **{kind: names for kind, names in names_by_kind.items() if names}}
        events.append({"type": "TASK_ESCALATED", "payload": payload, "tells": ESCALATED, "audience": marks})
    return {"candidates": candidates, "audience": audience, "named": people}, events


def ask_instead(task: ManualTask, to: Mapping[str, Sequence[str]], *, by: str, reason: str) -> None:
    """Have a task that nobody, or not enough, can decide ask these people, too: they decide in place of who can't.

    Its run must be had alone.
    """
    moment = {"do": "escalate", "to": dict(to), "by": by, "reason": reason}
    addressees, events = moved(replaced(task, by), [moment])
    statements.move_clock(task.pk, moments=task.clock or [], addressees=addressees, events=events, at=None)


def replaced(task: ManualTask, by: str) -> ManualTask:
    """The task as it counts those who can decide it, or have; of the others it is kept who replaced them."""
    able = {*task.voted, *(one.key for one in electors_of(task))}
    if task.named is not None:
        task.named = [one if one["key"] in able else {"replaced_by": by} | one for one in task.named]
    return task


def next_level(task: ManualTask) -> Json:
    """The next level of a task's escalation that is to come; None where there is none."""
    return next((moment for moment in task.clock or () if moment["do"] == "escalate"), None)
