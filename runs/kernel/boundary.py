"""The timers that run beside a step from when its turn has come."""

from collections.abc import Collection

from engine.graph import Node
from lib.uuid7 import uuid7
from runs.store.rows import TimerRow


def boundary_timers(node: Node, step: str, fired: Collection[str] = ()) -> list[TimerRow]:
    """The rows of a step's boundary timers, without those that only take an edge that has `fired` already.

    By when it must have begun is one without a target.
    """
    timers: list[tuple[str | None, bool, float]] = [
        (timer.target, timer.interrupting, timer.seconds)
        for timer in node.boundary
        if timer.interrupting or timer.target not in fired
    ]
    if node.start_seconds is not None:
        timers.append((None, True, node.start_seconds))
    return [
        {"id": uuid7(), "step_id": step, "target": target, "interrupting": stops, "seconds": seconds}
        for target, stops, seconds in timers
    ]
