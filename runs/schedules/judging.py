"""Whether the working calendars that a definition names are there: one that is not counts as the default one."""

from collections.abc import Iterator, Mapping, Sequence

from engine.bodies import all_it_does
from engine.catalogue import Json
from engine.problems import Problem, quoted, warning
from engine.templates import has_holes
from runs.schedules.calendars import calendars_of
from steps.catalogue import EXECUTABLE

Place = tuple[str, str, str | None]
"""The name of a calendar, the field at which it stands, and of which node."""


def judge(tenant: int, natives: Sequence[Mapping[str, Json]]) -> list[list[Problem]]:
    """Of each definition the calendars that it names and that are not there; one statement for all of them."""
    places = [list(_named_in(native)) for native in natives]
    names = {name for each in places for name, _, _ in each}
    there = (
        set(calendars_of(tenant).filter(name__in=names).values_list("name", flat=True)) if names else set()
    )
    return [[_missing(*place) for place in each if place[0] not in there] for each in places]


def _missing(name: str, field: str, node: str | None) -> Problem:
    message = f"There is no working calendar {quoted(name)}: make it, or name another one."
    return warning("unknown_calendar", field, message, node)


def _named_in(native: Mapping[str, Json]) -> Iterator[Place]:
    if calendar := native.get("sla_calendar"):
        yield calendar, "sla_calendar", None
    for field, step, node, _ in all_it_does(native, EXECUTABLE):
        yield from _named_by(field, step, node)


def _named_by(field: str, step: Mapping[str, Json], node: str) -> Iterator[Place]:
    """Those that a step and its timers name."""
    for at, timer in enumerate(step.get("boundary_timers") or ()):
        if timer.get("calendar"):
            yield timer["calendar"], f"{field}.boundary_timers[{at}].calendar", node
    step_type = EXECUTABLE.get(str(step.get("type")))
    calendar = (step.get("params") or {}).get("calendar")
    if step_type and step_type.keeps_calendar and isinstance(calendar, str) and not has_holes(calendar):
        yield calendar, f"{field}.params.calendar", node
