"""Where an app above judges a definition by what there is in a tenant, such as who its people are."""

from collections.abc import Callable, Mapping

from engine.problems import Problem
from lib.strict_json import Json

Judge = Callable[[int, Mapping[str, Json]], list[Problem]]
_JUDGES: list[Judge] = []


def judges_definitions(judge: Judge) -> Judge:
    """Registers a function that gives, for a tenant and a definition of our own dialect, what it finds."""
    _JUDGES.append(judge)
    return judge


def judged(tenant: int, native: Mapping[str, Json]) -> list[Problem]:
    """What those above find; the engine has found no error in the definition."""
    return [problem for judge in _JUDGES for problem in judge(tenant, native)]
