"""What a start begins, as the environment says it (docs/operations.md, "A restored copy")."""

import os

from config import environment

VARIABLE = "HANDOFF_START"
_WORK, _OBSERVE = "work", "observe"


def observes() -> bool:
    """Whether nothing is executed, sent or changed (`HANDOFF_START=observe`). Raises BadEnvironment."""
    value = os.environ.get(VARIABLE, "").strip().lower() or _WORK
    if value not in (_WORK, _OBSERVE):
        raise environment.BadEnvironment(f"{VARIABLE} must be {_WORK} or {_OBSERVE}, not {value[:20]!r}.")
    return value == _OBSERVE


def problems() -> list[str]:
    """A line where it cannot be understood."""
    try:
        observes()
    except environment.BadEnvironment as problem:
        return [str(problem)]
    return []
