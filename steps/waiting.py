"""What a step of the kind `wait` waits for, as the document that its `run` gives and the engine keeps with the step.

`kind` names who can end it: `timer` (nobody else), `signal` (with its `name`), `task` (with what a person is asked),
`children` (the steps of a container, one for each of its `items`), `run` (a run of its own), or what an app has
registered. `timer` is the one moment at which it ends anyhow: `{kind: wait|timeout, seconds | until}`; what a wait says
in `working_days` of a `calendar` is a moment once it begins.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal

from engine.catalogue import Json
from lib.uuid7 import uuid7

Wait = dict[str, Json]
TimerKind = Literal["wait", "timeout"]


def for_timer(*, seconds: float | None = None, until: datetime | None = None) -> Wait:
    """A wait that only time ends: `seconds` after the step's turn came, or at `until`."""
    return {"kind": "timer", "timer": _timer("wait", seconds, until)}


def for_working_days(days: int, calendar: str | None) -> Wait:
    """A wait that ends so many working days after the step's turn came; without a `calendar` the default one counts."""
    return {"kind": "timer", "timer": {"kind": "wait", "working_days": days, "calendar": calendar}}


def for_signal(name: str, *, timeout_seconds: float | None = None) -> Wait:
    """A wait for a signal of this name; it times out so many seconds after it began."""
    wait: Wait = {"kind": "signal", "name": name}
    return wait if timeout_seconds is None else wait | {"timer": _timer("timeout", timeout_seconds, None)}


def for_person(task: dict[str, Json]) -> Wait:
    """A wait for somebody's decision about `task`: what is asked, who may decide, what there is to choose from."""
    return {"kind": "task", "task": task}


def for_children(items: Sequence[Json], *, at_once: int, tolerated: int = 0) -> Wait:
    """A wait of a container until its body was done for each of `items`.

    At most `at_once` of them at the same time; with more failures than are `tolerated` the container fails.
    """
    return {
        "kind": "children",
        "items": list(items),
        "total": len(items),
        "at_once": at_once,
        "tolerated": tolerated,
    }


def for_rounds(value: Json, *, most: int, count: int | None = None) -> Wait:
    """A wait of a loop until its rounds are over: after `count` of them, or when its conditions say so.

    The first is given this `value`, each other one what the one before gave; there are `most` at most.
    """
    wait = for_children([value], at_once=1) | {"rounds": most}
    return wait if count is None else wait | {"count": count}


def for_run(workflow: str, run_input: Json, *, version: int | None = None) -> Wait:
    """A wait for the end of a run of its own: of this workflow, with this input, on its latest version or this one.

    The id of the run is chosen here, so that whoever begins it twice begins one.
    """
    wait: Wait = {"kind": "run", "run": uuid7(), "workflow": workflow, "input": run_input}
    return wait if version is None else wait | {"version": version}


def for_part(part_input: Json) -> Wait:
    """A wait of a container's child for the end of a run of the container's own steps, which see this."""
    return {"kind": "run", "run": uuid7(), "part": True, "input": part_input}


def _timer(kind: TimerKind, seconds: float | None, until: datetime | None) -> dict[str, Json]:
    if until is not None:
        return {"kind": kind, "until": until.astimezone(UTC).isoformat()}
    return {"kind": kind, "seconds": seconds}
