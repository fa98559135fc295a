"""The working calendars that a definition names: whether its workflow may use them, and their ids for its versions."""

from collections.abc import Iterator, Mapping, Sequence

from engine.bodies import all_it_does
from engine.catalogue import Json
from engine.holes import has_holes
from engine.problems import Problem, error, quoted, warning
from runs.calendars.calendars import calendars_of
from runs.store.calendars import hold_calendars
from steps.catalogue import EXECUTABLE
from workflows.models import Workflow

Place = tuple[str, str, str | None]
"""The name of a calendar, the field at which it stands, and of which node."""


def judge(tenant: int, natives: Sequence[Mapping[str, Json]]) -> list[list[Problem]]:
    """Of each definition the calendars that it names and that are not there, or belong to another folder than its
    workflow; two statements for all of them. Of a workflow that is not there yet nobody knows the folder.
    """
    places = [list(_named_in(native)) for native in natives]
    names = {name for each in places for name, _, _ in each}
    if not names:
        return [[] for _ in natives]
    folder_of = dict(calendars_of(tenant).filter(name__in=names).values_list("name", "folder_id"))
    workflows = Workflow.objects.for_tenant(tenant).filter(name__in=[str(one.get("name")) for one in natives])
    home_of = dict(workflows.values_list("name", "folder_id"))
    return [
        [
            problem
            for place in each
            if (problem := _problem(place, folder_of, home_of.get(str(native.get("name")))))
        ]
        for native, each in zip(natives, places, strict=True)
    ]


def pinned(tenant: int, folder: int, native: Mapping[str, Json]) -> dict[str, int | None]:
    """The ids of the calendars that a definition of this folder names, None for one that it can't use. Until the
    transaction ends these are neither removed nor moved.
    """
    names = {name for name, _, _ in _named_in(native)}
    return {**dict.fromkeys(names), **(hold_calendars(tenant, folder, names) if names else {})}


def _problem(place: Place, folder_of: Mapping[str, int | None], home: int | None) -> Problem | None:
    name, field, node = place
    if name not in folder_of:
        message = f"There is no working calendar {quoted(name)}: make it, or name another one."
        return warning("unknown_calendar", field, message, node)
    if home is None or folder_of[name] in (None, home):
        return None
    message = (
        f"The working calendar {quoted(name)} belongs to another folder: name one of the workflow's folder or of the"
        " tenant."
    )
    return error("calendar_elsewhere", field, message, node)


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
