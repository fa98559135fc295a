"""The wait of the kind `task`: opens tasks when steps begin to wait for people, and cancels those that nobody needs."""

from collections.abc import Mapping, Sequence
from typing import Any

from lib.uuid7 import uuid7
from runs.claimed import Ending, Held
from runs.waits import Entered, WaitKind
from tasks_inbox import policies, store

Json = Any

_ASKED = (
    "kind",
    "title",
    "instructions",
    "facts",
    "outcomes",
    "form",
    "candidates",
    "priority",
    "due_seconds",
)
SHOWN_NAMES = 3


def _open(entered: Entered) -> list[tuple[Held, Ending]]:
    store.open_tasks([_row(held, wait["task"]) for held, wait in entered])
    return []


def _row(held: Held, task: Mapping[str, Json]) -> dict[str, Json]:
    row: dict[str, Json] = {"id": uuid7(), "run_id": held.run_id, "step_id": held.id, "node": held.node}
    # What was null is not there when a task is opened anew, by what its step says that it waits for.
    row |= {key: task.get(key) for key in _ASKED}
    row["facts"] = [{"value": None} | fact for fact in task["facts"]]
    row["audience"] = policies.audience_of(task["candidates"])
    row["exclude"] = policies.excluded(task["exclude"])
    return row


def _in_words(wait: Mapping[str, Json]) -> str:
    task = wait["task"]
    does = "fill in" if task["kind"] == "form" else "decide"
    return f"{whom(task['candidates'], 'somebody')} to {does} “{task['title']}”"


def whom(candidates: Mapping[str, Json], everybody: str) -> str:
    """Those whom a task asks, in words: `ann, the group Finance or an approver`; `everybody` where it names nobody."""
    named = [
        *(candidates.get("users") or ()),
        *(f"the group {name}" for name in candidates.get("groups") or ()),
        *(f"an {role}" for role in candidates.get("roles") or ()),
    ]
    if not named:
        return everybody
    return _either(named if len(named) <= SHOWN_NAMES else [*named[: SHOWN_NAMES - 1], "others"])


def _either(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


TASK = WaitKind(enter=_open, in_words=_in_words, leave=store.cancel_tasks, missing=store.missing_tasks)
