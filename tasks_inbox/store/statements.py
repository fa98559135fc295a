"""The statements of tasks as typed functions (SQL in `sql/`). No decisions here."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from uuid import UUID

from accounts.names import key_of
from engine.catalogue import Json
from lib.clock import now_or_none
from lib.named_sql import Statements
from runs.store.hot import SQL_FOLDER as SQL_OF_RUNS
from runs.store.hot import Row, document
from runs.store.waits import LostWait
from tasks_inbox.limits import UNDONE_BYTES

Delegated = tuple[str | None, str | None]
"""Who has a task, and who delegated it to them."""

SQL = Statements(Path(__file__).parent / "sql", SQL_OF_RUNS)

CUT_AT = 2_000


def open_tasks(tasks: Sequence[Row]) -> None:
    """Open tasks for steps that have just begun to wait, in one statement."""
    SQL.execute("open_tasks", {"tasks": document(tasks), "now": now_or_none()})


def open_compensation_tasks(tasks: Sequence[Row], ask: Row) -> None:
    """Open tasks for compensations that failed for good, in one statement; `ask` is what all of them say alike."""
    params = {"tasks": document(tasks), "ask": document(ask), "most": UNDONE_BYTES, "cut": CUT_AT}
    SQL.execute("open_compensation_tasks", {**params, "now": now_or_none()})


def hold_compensation_task(step: str, by: str) -> Row | None:
    """Have the open task of a compensation alone, which `by` settles; None where it has none.

    Gives the task, its tenant, what its record tells of run and version, and the user `by`, if there is one.
    """
    row: Row | None = SQL.value("hold_compensation_task", {"step": step, "by": by})
    return row


def close_compensation_task(task: UUID, *, comment: str, link: Row) -> None:
    """Close the task of a compensation that is held. `link` as for `note_vote`."""
    SQL.execute("close_compensation_task", {"task": task, "comment": comment, **link})


def cancel_tasks(runs: Iterable[str]) -> list[int]:
    """Cancel the open tasks of these runs whose step waits no more; gives the tenants that had some."""
    return list(SQL.value("cancel_tasks", {"runs": sorted(runs), "now": now_or_none()}))


def missing_tasks(runs: Iterable[str]) -> list[LostWait]:
    """Steps of these open runs that wait for a task which is not there."""
    return [LostWait(*row) for row in SQL.value("missing_tasks", {"runs": sorted(runs)})]


def requesters(runs: Iterable[str]) -> dict[str, str]:
    """Who started each of these runs."""
    run_ids = sorted(runs)
    return dict(SQL.value("requesters", {"runs": run_ids})) if run_ids else {}


def hold_task(
    task: UUID, *, by: str, keys: Sequence[str], is_handed: bool, absent: str | None = None
) -> Row | None:
    """Have an OPEN task alone that nobody else has claimed, in which none of `keys` has voted.

    If `is_handed`, it must still be delegated to `by`; what `absent` has claimed is had by who stands in for them, too.
    Gives what its record tells of run and version; None otherwise.
    """
    params = {"task": task, "by": by, "keys": list(keys), "handed": is_handed, "absent": absent}
    row: Row | None = SQL.value("hold_task", params)
    return row


def hold_chain(tenant: int, first: str) -> Row:
    """Have the tenant's chain alone: `seq` and `digest` of its end, and the time."""
    chain: Row = SQL.value("hold_chain", {"tenant": tenant, "first": first, "now": now_or_none()})
    return chain


def add_decision(row: Row, *, keys: Sequence[str], why: Row) -> None:
    """Write the next link of the chain that is held, and bar those of `keys` where four eyes are wanted."""
    SQL.execute("add_decision", {**row, "keys": list(keys), "why": document(why)})


def note_vote(task: UUID, *, keys: Sequence[str], link: Row) -> bool:
    """Note that one of several has decided. `link`: outcome, by, on_behalf_of, digest, at."""
    return bool(SQL.value("note_vote", {"task": task, "keys": list(keys), **link}))


def complete_task(task: UUID, *, keys: Sequence[str], data: str | None, comment: str, link: Row) -> bool:
    """Decide a task that is held. `data` is JSON; `link` as for `note_vote`."""
    return bool(
        SQL.value(
            "complete_task", {"task": task, "keys": list(keys), "data": data, "comment": comment, **link}
        )
    )


def evidence_of_run(tenant: int, run: UUID) -> str | None:
    """All that is evidence in a run of the tenant, its chain and the runs below, as a JSON text of one snapshot; None
    where there is no such run.
    """
    params = {"tenant": tenant, "run": run, "now": now_or_none()}
    return next(iter(SQL.column("evidence_of_run", params)), None)


def return_task(task: UUID, *, to: str, link: Row) -> bool:
    """Send a task that is held back to somebody for changes. `link` as for `note_vote`."""
    return bool(SQL.value("return_task", {"task": task, "to": to, **link}))


def send_again(
    task: UUID, *, round: int, facts: Json, texts: Row | None, differences: Json, by: str, why: Row
) -> bool:
    """Begin the next round of a task that was returned in this one; False where it is no longer so.

    `texts`: the `texts` of the next round, and its `title`, `instructions` and `outcomes` where they change. `why`:
    whom it bars from now on, and why. Its run must be held.
    """
    params = {"task": task, "round": round, "facts": document(facts), "changed": document(differences)}
    says = texts or {}
    params |= {name: says.get(name) for name in ("title", "instructions")}
    params |= {name: document(says[name]) if name in says else None for name in ("outcomes", "texts")}
    more = {"by": by, "bars": list(why), "why": document(why), "now": now_or_none()}
    return bool(SQL.value("send_again", params | more))


def hold_decision(
    decision_id: str,
    *,
    task: UUID,
    by: str,
    via: str,
    seconds: int,
    seen: str | None,
    batch: UUID | None,
    fields: Row,
) -> None:
    """Keep what somebody decides of a task that is held, so that it counts later. `fields`: outcome, data, comment,
    on_behalf_of.
    """
    params = {"id": decision_id, "task": task, "by": by, "via": via, "seconds": seconds, "seen": seen}
    SQL.execute("hold_decision", {**params, **fields, "batch": batch, "now": now_or_none()})


def count_together(tenant: int, by: str, batch: UUID, *, sooner: int) -> None:
    """Have what somebody decided together count at once, so many seconds `sooner` than the last of it would."""
    SQL.execute("count_together", {"tenant": tenant, "by": by, "batch": batch, "sooner": sooner})


def held_by_another(task: UUID, by: str) -> Row | None:
    """Who else is about to decide a task: `by`, `outcome` and `until`; None where nobody is."""
    return next(iter(SQL.column("held_by_another", {"task": task, "by": by})), None)


def drop_held(task: UUID, by: str, decision_id: UUID | None = None) -> Row | None:
    """Take away what somebody is about to decide, only this one if it is named; gives what it said, if it was there."""
    return next(iter(SQL.column("drop_held", {"task": task, "by": by, "id": decision_id})), None)


def due_held(limit: int) -> list[tuple[UUID, int, UUID]]:
    """Decisions that are to count now: each with its tenant and task."""
    rows = SQL.value("due_held", {"limit": limit, "now": now_or_none()})
    return [(UUID(decision_id), tenant, UUID(task)) for decision_id, tenant, task in rows]


def postpone_held(decision_id: UUID, seconds: float) -> None:
    """Have a decision that could not count now do so later."""
    SQL.execute("postpone_held", {"id": decision_id, "seconds": seconds, "now": now_or_none()})


def refuse_held(decision_id: UUID, why: str) -> None:
    """Note why a decision did not count."""
    SQL.execute("refuse_held", {"id": decision_id, "why": why})


def new_incidents(kinds: Sequence[str], since: UUID, limit: int) -> list[Row]:
    """Dead letters behind this id that are open and have no task, and repairs of the last day; of these `kinds`."""
    params = {"wanted": list(kinds), "since": since, "limit": limit, "now": now_or_none()}
    return list(SQL.value("new_incidents", params))


def open_incidents(tasks: Sequence[Row]) -> list[int]:
    """Open tasks for operators; gives the tenants that got some."""
    return list(SQL.value("open_incidents", {"tasks": document(tasks), "now": now_or_none()}))


def close_incidents() -> list[int]:
    """Cancel the tasks of dead letters that are open no more; gives the tenants that had some."""
    return list(SQL.value("close_incidents", {}))


def next_open_tasks(limit: int) -> dict[int, list[UUID]]:
    """The next open tasks of steps behind where it was last looked, by tenant; it begins again behind the last one."""
    tasks: dict[int, list[UUID]] = {}
    for tenant, task in SQL.value("next_open_tasks", {"limit": limit}):
        tasks.setdefault(tenant, []).append(UUID(task))
    return tasks


def note_undecidable(tasks: Sequence[UUID], *, since: datetime | None) -> set[UUID]:
    """Note since when nobody can decide these tasks (None: somebody can); gives those of which it was not noted yet."""
    if not tasks:
        return set()
    return {UUID(id_) for id_ in SQL.value("note_undecidable", {"tasks": list(tasks), "since": since})}


def close_undecidable_incidents() -> list[int]:
    """Cancel the incidents of tasks that somebody can decide now, or that are open no more; gives the tenants."""
    return list(SQL.value("close_undecidable_incidents", {}))


def settle_incident(task: UUID, *, outcome: str, comment: str, by: str) -> bool:
    """Settle an incident that nobody else has; False where it is settled or somebody else's."""
    params = {"task": task, "outcome": outcome, "comment": comment, "by": by, "now": now_or_none()}
    return bool(SQL.value("settle_incident", params))


DueTask = tuple[UUID, int, str]


def due_tasks(limit: int, after: DueTask | None = None) -> list[DueTask]:
    """Open tasks of which a moment has come, behind `after`: the task, its tenant, and when that was."""
    id, _, at = after or (None, None, None)
    rows = SQL.value("due_tasks", {"limit": limit, "now": now_or_none(), "id": id, "at": at})
    return [(UUID(task), tenant, next_at) for task, tenant, next_at in rows]


def moments_due(task: UUID) -> tuple[int, str] | None:
    """How many of a task's moments have come, and when this is; None where it is not open or its clock stands still."""
    row = SQL.value("moments_due", {"task": task, "now": now_or_none()})
    return None if row is None else (row["due"], row["at"])


def remind(tenant: int, tasks: Sequence[UUID], *, by: str) -> int:
    """Note a reminder of those of these tasks that are open; gives how many are."""
    params = {"tenant": tenant, "tasks": list(tasks), "by": by, "now": now_or_none()}
    return int(SQL.value("remind", params))


def move_clock(task: UUID, *, moments: Json, addressees: Row, events: Json, at: str | None) -> None:
    """Note that moments of a task have come: the `moments` to come, whom it asks now, and what history says of it.

    `addressees`: `candidates`, `audience` and who was `named` (None where that counts for nothing). `at`: when;
    None: now.
    """
    people = None if addressees["named"] is None else document(addressees["named"])
    params = {
        "task": task,
        "audience": list(addressees["audience"]),
        "named": people,
        "left": document(moments),
    }
    params |= {"candidates": document(addressees["candidates"]), "events": document(events)}
    SQL.execute("move_clock", {**params, "at": at or now_or_none()})


def stop_clock(task: UUID, *, by: str) -> bool:
    """Have an open task wait for an answer; False where it does already, or is closed. Its run must be held."""
    return bool(SQL.value("stop_clock", {"task": task, "by": by, "now": now_or_none()}))


def start_clock(task: UUID, *, by: str) -> bool:
    """Go on after an answer; False where none was awaited. Its run must be held."""
    return bool(SQL.value("start_clock", {"task": task, "by": by, "now": now_or_none()}))


def loose_ends(tenant: int) -> list[tuple[int, str]]:
    """What doesn't lean on the tenant's chain of decisions as it should: place, and what is wrong."""
    return [(seq, problem) for seq, problem in SQL.value("loose_ends", {"tenant": tenant})]


def give_task(
    task: UUID, *, assignee: str | None, before: str | None, delegated_by: str | None, by: str
) -> bool:
    """Give an OPEN task that is `before`'s, by that delegation, to `assignee` (None: nobody), by none.

    It is `by` who does; whom they give it to is told. False where it is no longer so.
    """
    params = {"task": task, "assignee": assignee, "before": before, "delegated_by": delegated_by, "by": by}
    return bool(SQL.value("give_task", {**params, "now": now_or_none()}))


def who(tenant: int, user: int, username: str) -> Row:
    """The keys of somebody's `groups`, and the `absent` for whom they stand in now: with role, groups, workflows."""
    row: Row = SQL.value("who", {"tenant": tenant, "user": user, "username": username, "now": now_or_none()})
    return row


def open_by_mark(tenant: int, names: Mapping[str, str]) -> dict[str, int]:
    """How many OPEN tasks ask each of these marks, by the name that `names` gives it."""
    rows = SQL.value("open_by_mark", {"tenant": tenant, "marks": list(names)})
    return {names[mark]: count for mark, count in rows}


def delegate_task(task: UUID, *, by: str, to: str, before: Delegated, after: str | None, reason: str) -> bool:
    """Hand an OPEN task that is as `before` says to somebody, `delegated_by` whom `after` names.

    False where it is no longer so. Its run must be held FOR UPDATE.
    """
    assignee, delegated_by = before
    params = {"task": task, "by": by, "to": to, "assignee": assignee, "delegated_by": delegated_by}
    more = {"after": after, "reason": reason or None, "now": now_or_none()}
    return bool(SQL.value("delegate_task", params | more))


def hand_vote(task: UUID, *, by: str, to: str, reason: str) -> bool:
    """Note that `by` has handed their vote to `to`; False where one of them has voted, or has handed on or has one."""
    params = {"task": task, "by": by, "to": to, "by_key": key_of(by), "to_key": key_of(to)}
    return bool(SQL.value("hand_vote", {**params, "reason": reason, "now": now_or_none()}))


def take_vote_back(task: UUID, key: str) -> bool:
    """Give the vote back to whose it is, of who handed it or who has it; False where there is none."""
    return bool(SQL.value("take_vote_back", {"task": task, "key": key}))


def add_comment(
    comment: str,
    *,
    tenant: int,
    task: UUID,
    by: str,
    text: str,
    kind: str,
    mentions: Sequence[str],
    link: Row,
) -> bool:
    """Write a comment of this id to an OPEN task of the tenant, and have those told whom it mentions.

    `link`, the next one of the chain, which is held: seq, record, digest, at.

    False where it is none, or the comment is there.
    """
    params = {"comment": comment, "tenant": tenant, "task": task, "by": by, "text": text, "kind": kind}
    return bool(SQL.value("add_comment", params | link | {"mentions": list(mentions)}))


def snooze_task(note: str, *, tenant: int, task: UUID, by: str, until: datetime | None) -> None:
    """Note that somebody doesn't want to see a task before that time; None: that they do."""
    params = {"note": note, "tenant": tenant, "task": task, "by": by, "until": until}
    SQL.execute("snooze_task", params)


def watch_task(note: str, *, tenant: int, task: UUID, by: str, watching: bool) -> None:
    """Note whether somebody watches a task."""
    params = {"note": note, "tenant": tenant, "task": task, "by": by, "watching": watching}
    SQL.execute("watch_task", params)


def save_draft(
    draft: str, *, tenant: int, task: UUID, user: int, key: str, data: str, comment: str, shown_hash: str
) -> bool:
    """Keep what somebody has typed instead of what they had before; `data` is JSON.

    False where the task is closed, or they, known by `key`, have decided it.
    """
    params = {"draft": draft, "tenant": tenant, "task": task, "user": user, "key": key, "data": data}
    more = {"comment": comment, "shown_hash": shown_hash, "now": now_or_none()}
    return bool(SQL.column("save_draft", params | more))


def count_open(most: int) -> int:
    """How many tasks of all tenants are open, up to `most`."""
    return int(SQL.column("count_open", {"most": most})[0])
