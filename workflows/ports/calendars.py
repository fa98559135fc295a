"""The working calendars that definitions name, which an app above keeps: a version keeps their ids."""

from collections.abc import Callable, Mapping

from lib.strict_json import Json

Pin = Callable[[int, int, Mapping[str, Json]], Mapping[str, int | None]]
_PINS: list[Pin] = []


def pins_calendars(pin: Pin) -> Pin:
    """Registers a function that gives, for a tenant, a folder and a definition, the ids of the calendars that this
    names, None for those that it can't use; they stay what they are until the transaction ends.
    """
    _PINS.append(pin)
    return pin


def pinned(tenant: int, folder: int, native: Mapping[str, Json]) -> tuple[dict[str, int], list[str]]:
    """The ids of the calendars that a definition of this folder names, and the names of those that it can't use."""
    ids = {name: id_ for pin in _PINS for name, id_ in pin(tenant, folder, native).items()}
    calendars = {name: id_ for name, id_ in sorted(ids.items()) if id_ is not None}
    return calendars, sorted(ids.keys() - calendars.keys())
