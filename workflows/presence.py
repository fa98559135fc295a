"""Who has a draft open now. It is kept for some seconds and in no table (`lib.quiet_store`): where Redis is away
nobody is seen, and that is all.

Each open tab says now and then that it is there, and which step it has. After `SEEN_SECONDS` that is over.
"""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from lib.quiet_store import quiet_store
from workflows.limits import PERSON_TABS, PRESENT_PEOPLE

SEEN_SECONDS = 20
_STORE = quiet_store("who is here")


@dataclass(frozen=True, slots=True)
class Tab:
    """A draft that somebody has open: who, which step they have selected there, and whether they may edit it."""

    user_id: int
    tab: str
    username: str
    name: str
    step: str | None
    may_edit: bool

    @property
    def field(self) -> str:
        """What it is called where it is kept."""
        return f"{self.user_id}:{self.tab}"


def stay(workflow_id: int, tab: Tab) -> list[dict[str, object]]:
    """Say that a tab is there; gives the other people who are, each once, with the steps that they have selected."""
    now = time.time()
    value = orjson.dumps([now, tab.username, tab.name, tab.step, tab.may_edit])
    entries = _asked(workflow_id, values={tab.field: value})
    stays, over = _sorted_out(entries, now)
    if over:
        _asked(workflow_id, drop=over)
    return _people(stays, but=tab.user_id)


def leave(workflow_id: int, tab: Tab) -> None:
    """Say that a tab is closed."""
    _asked(workflow_id, drop=[tab.field])


def _asked(
    workflow_id: int, *, values: Mapping[str, bytes] | None = None, drop: Iterable[str] = ()
) -> dict[bytes, bytes]:
    """All that is known of a workflow after this; nothing while that is not there to say."""
    key = f"here:{workflow_id}"
    commands: list[tuple[object, ...]] = [
        ("HSET", key, field, value) for field, value in (values or {}).items()
    ]
    if fields := list(drop):
        commands.append(("HDEL", key, *fields))
    commands += [("EXPIRE", key, 2 * SEEN_SECONDS), ("HGETALL", key)]
    answers = _STORE.ask(commands)
    return answers[-1] if answers else {}


def _sorted_out(entries: Mapping[bytes, bytes], now: float) -> tuple[list[tuple[int, list[Any]]], list[str]]:
    """What counts, the newest first, as user and entry; and the fields of what is over or too many."""
    read = [(field.decode(), orjson.loads(value)) for field, value in entries.items()]
    read.sort(key=lambda pair: pair[1][0], reverse=True)
    stays: list[tuple[int, list[Any]]] = []
    tabs: dict[int, int] = {}
    over: list[str] = []
    for field, entry in read:
        user = int(field.partition(":")[0])
        tabs[user] = tabs.get(user, 0) + 1
        if now - entry[0] > SEEN_SECONDS or tabs[user] > PERSON_TABS:
            over.append(field)
        else:
            stays.append((user, entry))
    return stays, over


def _people(stays: Iterable[tuple[int, list[Any]]], *, but: int) -> list[dict[str, object]]:
    people: dict[int, dict[str, object]] = {}
    steps: dict[int, list[str]] = {}
    for user, (_, username, name, step, may_edit) in stays:
        if user == but:
            continue
        people.setdefault(user, {"username": username, "name": name, "may_edit": may_edit})
        if step is not None and step not in steps.setdefault(user, []):
            steps[user].append(step)
    # In an order that stays, whoever has spoken last.
    return [people[user] | {"steps": steps.get(user, [])} for user in sorted(people)][:PRESENT_PEOPLE]
