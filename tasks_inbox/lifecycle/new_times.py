"""Deadline, reminders and levels of an open task by another version of its workflow, counted from when it was asked."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from engine.catalogue import Json
from runs.kernel import live
from runs.kernel.wait_kinds import Moment, Retimed, Wait
from runs.store.attempts import ClaimedStep
from tasks_inbox.lifecycle.working_time import SAYS_HOW, counted_from
from tasks_inbox.store import clocks

TIMES = ("clock", "due_seconds", "due_working_days", "calendar")
"""What of a wait says when something happens to its task."""


class _Key(NamedTuple):
    """Which of its moments one is: the first reminder, the second level."""

    does: str
    detail: Json
    number: int


def retime(step: ClaimedStep, wait: Wait, again: Wait) -> Retimed | None:
    """The moments of the open task of a step that are others by another version; None where all are the same.

    What has happened already does not happen again.
    """
    task, other = wait["task"], again["task"]
    if all(task.get(name) == other.get(name) for name in TIMES):
        return None
    row = clocks.clock_of(step.id)
    if row is None:
        return None
    start, due_at, clock, facts = row
    was = _by_key(counted_from(step, task, start).get("clock") or ())
    left = _by_key(clock or (), _over(was, clock or ()))
    becomes = counted_from(step, {**task, **_times_of(other), "facts": []}, start)
    moments = {
        key: one for key, one in _by_key(becomes["clock"] or ()).items() if key in left or key not in was
    }
    due = becomes.get("due_seconds")
    changed = [Moment("due", None, due_at, None if due is None else start + timedelta(seconds=due))]
    for key in [*left, *(key for key in moments if key not in left)]:
        changed.append(Moment(key.does, None, _at(start, left.get(key)), _at(start, moments.get(key))))
    new_facts = [one for one in facts if _name(one) not in SAYS_HOW] + list(becomes["facts"])
    apply = partial(
        _apply, step, sorted(moments.values(), key=lambda one: one["after"]), due_seconds=due, facts=new_facts
    )
    changed = [one for one in changed if one.before != one.after]
    return Retimed(changed, {**wait, "task": {**task, **_times_of(other)}}, apply)


def _apply(step: ClaimedStep, clock: Sequence[Json], *, due_seconds: Json, facts: Sequence[Json]) -> None:
    clocks.set_clock(step.id, clock=clock, due_seconds=due_seconds, facts=facts)
    live.tell_inboxes([step.tenant_id])


def _times_of(task: Mapping[str, Json]) -> dict[str, Json]:
    return {name: task.get(name) for name in TIMES}


def _name(fact: Mapping[str, Json]) -> str:
    return str(fact["label"]).lower().replace(" ", "_")


def _at(start: datetime, moment: Mapping[str, Json] | None) -> datetime | None:
    return None if moment is None else start + timedelta(seconds=moment["after"])


def _over(was: Mapping[_Key, Json], left: Sequence[Mapping[str, Json]]) -> Counter[tuple[str, Json]]:
    """How many moments of each sort have come: those that were to come, without those that still are."""
    return Counter((key.does, key.detail) for key in was) - Counter(_sort(one) for one in left)


def _sort(moment: Mapping[str, Json]) -> tuple[str, Json]:
    return moment["do"], moment.get("level") or moment.get("follow_up")


def _by_key(
    moments: Iterable[Mapping[str, Json]], over: Mapping[tuple[str, Json], int] | None = None
) -> dict[_Key, Mapping[str, Json]]:
    """Moments by what they are; of those of a sort so many are `over`."""
    numbers = Counter(over or {})
    by_key: dict[_Key, Mapping[str, Json]] = {}
    for one in moments:
        sort = _sort(one)
        by_key[_Key(*sort, numbers[sort])] = one
        numbers[sort] += 1
    return by_key
