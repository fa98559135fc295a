"""Where an app above judges definitions by what there is in a tenant, such as who its people are."""

from collections.abc import Callable, Mapping, Sequence

from engine.problems import Problem
from lib.strict_json import Json

Judge = Callable[[int, Sequence[Mapping[str, Json]]], list[list[Problem]]]
_JUDGES: list[Judge] = []


def judges_definitions(judge: Judge) -> Judge:
    """Registers a function that gives, for a tenant and definitions of our own dialect, what it finds in each."""
    _JUDGES.append(judge)
    return judge


def judged(tenant: int, native: Mapping[str, Json]) -> list[Problem]:
    """What those above find; the engine has found no error in the definition."""
    return judged_each(tenant, [native])[0]


def judged_each(tenant: int, natives: Sequence[Mapping[str, Json]]) -> list[list[Problem]]:
    """What those above find in each of several definitions, with as many statements as for one."""
    judgements = [judge(tenant, natives) for judge in _JUDGES]
    return [[problem for judgement in judgements for problem in judgement[at]] for at in range(len(natives))]
