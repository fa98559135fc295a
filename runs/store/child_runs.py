"""The statements of child runs and of messages between runs as typed functions (SQL in `sql/child_runs.sql`)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from engine.catalogue import Json
from lib.clock import now_or_none
from runs.store.hot import SQL, document
from runs.store.rows import AgainRow, ChildWaitRow, FormerWaitRow
from runs.store.waits import LostWait


class Message(NamedTuple):
    """What one run tells another: `run` is told, by `origin`; `step`: of the run that is told."""

    id: int
    tenant: int
    run: str
    kind: str
    origin: str | None
    step: str | None
    payload: Mapping[str, Json] | None


_USERNAME: Final = re.compile(r"[\w.@+-]+")
"""A person's name: those of schedules, webhooks and services have a blank or a colon."""


class Beginner(NamedTuple):
    """A run that begins another one, with what that takes over from it."""

    id: str
    tenant: int
    shard: int
    priority: int
    created_by: str
    is_test: bool
    depth: int
    chained: int
    status: str
    undo: bool
    tree: str
    place: Sequence[tuple[str, int | None]]
    business_key: str | None
    workflow: int
    acts_for: str | None
    counted_in: str | None
    output: Json

    @property
    def person(self) -> str:
        """The name by which it acts: a member's username, or that of no member."""
        return self.acts_for or self.created_by

    @property
    def people(self) -> tuple[str, ...]:
        """Whose rights it has at most: of a run that somebody filed for another member those of both."""
        names = (self.acts_for, self.created_by)
        is_filed = all(name is not None and _USERNAME.fullmatch(name) for name in names)
        return (self.person, self.created_by) if is_filed else (self.person,)

    @property
    def counting_tree(self) -> str:
        """The tree in whose count are the runs that it starts."""
        return self.counted_in or self.tree


class ChildState(NamedTuple):
    """How the run stands that a step waits for; `is_too_large`: its output, which is left out then.

    `variables`: those that it has set, of a part.
    """

    step: str
    run: str
    status: str
    has_ended: bool
    output: Json
    is_too_large: bool
    error: Mapping[str, Json] | None
    variables: Mapping[str, Json] | None


class FormerChild(NamedTuple):
    """The run that a step, or its item, had before: the newest of its chain, and the first of it (`chain`)."""

    step: str
    run: str
    chain: str
    version: int


def beginners(runs: Iterable[str], *, with_output: bool = False) -> dict[str, Beginner]:
    """These runs by id, as those that begin others."""
    rows = SQL.value("parents_of", {"runs": sorted(runs), "with_output": with_output})
    return {row[0]: Beginner(*row) for row in rows}


def child_states(waits: Sequence[ChildWaitRow], *, most: int) -> dict[str, ChildState]:
    """By step, how the run stands that it waits for, if it is there; outputs of up to `most` bytes."""
    rows = SQL.value("child_states", {"waits": document(waits), "most": most})
    return {row[0]: ChildState(*row) for row in rows}


def runs_with_former_children(runs: Iterable[str]) -> set[str]:
    """Those of these runs in which a step that begins to wait may have had a child run before."""
    return set(SQL.column("runs_with_former_children", {"runs": sorted(runs)}))


def former_children(waits: Sequence[FormerWaitRow]) -> list[FormerChild]:
    """The runs that these steps had before, of those that can go on with them."""
    return [FormerChild(*row) for row in SQL.value("former_children", {"waits": document(waits)})]


def resume_children(waits: Sequence[AgainRow]) -> None:
    """Tell runs to go on for steps of runs that are held FOR UPDATE."""
    SQL.execute("resume_children", {"waits": document(waits), "now": now_or_none()})


def resume_later(run: str, step: str) -> None:
    """Have a run that is closing go on for this step when it has ended."""
    SQL.execute("resume_later", {"run": run, "step": step, "now": now_or_none()})


def belong_to_step(run: str, step: str) -> bool:
    """Have a run, which is held FOR UPDATE, belong to this step; False where that waits no more."""
    return bool(SQL.column("belong_to_step", {"run": run, "step": step}))


def tell_parent(run: str, step: str) -> None:
    """Have a run tell the step that waits for it how it stands."""
    SQL.execute("tell_parent", {"run": run, "step": step, "now": now_or_none()})


def tell_children(runs: Iterable[str], kind: str, payload: Mapping[str, Json]) -> int:
    """Tell the open children of these runs to `pause` or `unpause`; gives how many there are."""
    params = {"runs": sorted(runs), "kind": kind, "payload": document(payload), "now": now_or_none()}
    return int(SQL.value("tell_children", params))


def end_children(runs: Iterable[str]) -> int:
    """Tell the children for which no step of these runs waits any more to end; gives how many there are."""
    return int(SQL.value("end_children", {"runs": sorted(runs), "now": now_or_none()}))


def steps_without_child(runs: Iterable[str]) -> list[LostWait]:
    """Steps of these runs that wait for a run of which nothing will be heard."""
    return [LostWait(*row) for row in SQL.value("steps_without_child", {"runs": sorted(runs)})]


def due_messages(limit: int) -> list[tuple[int, str]]:
    """The messages that are due, the oldest first: id and kind."""
    return [(id_, kind) for id_, kind in SQL.value("due_messages", {"limit": limit, "now": now_or_none()})]


def take_messages(messages: Iterable[int]) -> list[Message]:
    """Those of these messages that nobody else has in hand; they are gone with this transaction."""
    return [Message(*row) for row in SQL.value("take_messages", {"messages": sorted(messages)})]


def postpone_message(message: int) -> None:
    """Try this message again later."""
    SQL.execute("postpone_message", {"message": message, "now": now_or_none()})


def note_no_follower(run: str, payload: Mapping[str, Json]) -> None:
    """Keep in history why no run follows this one."""
    SQL.execute("note_no_follower", {"run": run, "payload": document(payload), "now": now_or_none()})
