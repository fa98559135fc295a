"""How long a run was at work and how long it waited for people, by its steps; pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from engine.catalogue import Json
from steps.catalogue import EXECUTABLE

_MS = timedelta(milliseconds=1)
Span = tuple[datetime, datetime]


@dataclass(frozen=True, slots=True)
class Times:
    """In milliseconds. What went on at the same time counts once."""

    machine: float = 0.0
    people: float = 0.0


def times_of(steps: Iterable[Mapping[str, Json]], now: datetime) -> Times:
    """Of steps as they are shown, also in runs below, those that go on until `now`. What waits for a time, a signal or
    another run is neither's.
    """
    machine: list[Span] = []
    people: list[Span] = []
    for step in steps:
        begun, step_type = step["started_at"], EXECUTABLE.get(step["type"])
        if begun is None or step_type is None or step.get("kept_from"):
            continue
        span = begun, max(begun, step["completed_at"] or now)
        if step_type.asks_people:
            people.append(span)
        elif not step_type.has_children and step_type.kind != "wait":
            machine.append(span)
    return Times(_together(machine), _together(people))


def _together(spans: Iterable[Span]) -> float:
    """How long there was any of these."""
    total, until = timedelta(), None
    for begun, ended in sorted(spans):
        if until is None or ended > until:
            total += ended - (begun if until is None else max(begun, until))
            until = ended
    return total / _MS
