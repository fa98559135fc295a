"""What may stand against archiving a workflow; apps above register it in their `AppConfig.ready`."""

from collections.abc import Callable

from workflows.models import Workflow

Guard = Callable[[Workflow], str | None]
_GUARDS: list[Guard] = []


def guard_archiving(guard: Guard) -> Guard:
    """Registers a function that says why a workflow may not be archived now, or None."""
    _GUARDS.append(guard)
    return guard


def why_not_archive(workflow: Workflow) -> str | None:
    """The first reason against archiving it."""
    return next((reason for guard in _GUARDS if (reason := guard(workflow))), None)
