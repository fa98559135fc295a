"""The shape of a rochallor document: which fields there are and of what kind, and one form of what says the same."""

from collections.abc import Callable, Mapping
from typing import Final

from engine.catalogue import Json
from engine.dialects.base import Document, Finding
from engine.holes import join_path
from engine.problems import quoted

SERVICE, USER, WAIT = "SERVICE_TASK", "USER_TASK", "WAIT"
DECISION, TRANSFORMATION = "DECISION", "TRANSFORMATION"
PARALLEL, JOIN, END = "PARALLEL_GATEWAY", "JOIN_GATEWAY", "END"
TYPES: Final = (SERVICE, USER, DECISION, TRANSFORMATION, WAIT, PARALLEL, JOIN, END)
WAITING: Final = (SERVICE, USER, WAIT)
"""Somebody else ends these: they may have timers beside them, and conditions behind them."""

Kind = tuple[Callable[[Json], bool], str]
Step = dict[str, Json]

_TEXT: Kind = (lambda value: isinstance(value, str), "a text")
_FLAG: Kind = (lambda value: isinstance(value, bool), "true or false")
_COUNT: Kind = (lambda value: type(value) is int and 0 <= value <= 100, "a whole number from 0 to 100")
_VERSION: Kind = (lambda value: type(value) is int, "a whole number")
_OBJECT: Kind = (lambda value: isinstance(value, dict), "an object")
_LIST: Kind = (lambda value: isinstance(value, list), "a list")
_TEXTS: Kind = (
    lambda value: isinstance(value, list) and all(isinstance(x, str) for x in value),
    "a list of texts",
)
_WAYS: Kind = (
    lambda value: isinstance(value, dict) and all(isinstance(x, str) for x in value.values()),
    "an object of conditions with step ids",
)
_TOP: Mapping[str, Kind] = {
    "id": _TEXT,
    "version": _VERSION,
    "name": _TEXT,
    "description": _TEXT,
    "steps": _LIST,
    "autoStartNextWorkflow": _FLAG,
    "nextWorkflowId": _TEXT,
    "metadata": _OBJECT,
}
_STEP: Mapping[str, Kind] = {
    "id": _TEXT,
    "name": _TEXT,
    "type": _TEXT,
    "description": _TEXT,
    "nextStep": _TEXT,
    "parallelNextSteps": _TEXTS,
    "joinStep": _TEXT,
    "conditionalNextSteps": _WAYS,
    "transformations": _OBJECT,
    "jobType": _TEXT,
    "delegateClass": _TEXT,
    "retryCount": _COUNT,
    "boundaryEvents": _LIST,
}
_TIMER: Mapping[str, Kind] = {
    "type": _TEXT,
    "duration": _TEXT,
    "interrupting": _FLAG,
    "targetStepId": _TEXT,
}


def matches(document: Document) -> bool:
    """Whether it is a document of rochallor: steps of types that only rochallor has."""
    steps = document.get("steps")
    return isinstance(steps, list) and any(
        isinstance(step, dict) and step.get("type") in TYPES for step in steps
    )


def normal(document: Document, findings: list[Finding]) -> dict[str, Json]:
    """The document without what says nothing: null, and what is as if it were left out; findings go to `findings`.

    It is what the public engine gives back of it, but for texts that are empty where they are needed. A `version` is
    given by whoever keeps definitions. What has the wrong shape is not in it.
    """
    top = _fields(document, _TOP, "", findings)
    top.pop("version", None)
    steps: list[Step] = []
    for at, item in enumerate(top.get("steps", ())):
        place = f"steps[{at}]"
        if not isinstance(item, dict):
            findings.append(Finding(f"{quoted(place)} must be an object.", place))
            continue
        steps.append(_step(item, place, findings))
    return _said(top, "metadata", "autoStartNextWorkflow", "nextWorkflowId", "description") | {"steps": steps}


def _step(item: Document, place: str, findings: list[Finding]) -> Step:
    step = _fields(item, _STEP, place, findings)
    timers = []
    for at, timer in enumerate(step.pop("boundaryEvents", ())):
        where = f"{place}.boundaryEvents[{at}]"
        if isinstance(timer, dict):
            timers.append({"interrupting": False, **_fields(timer, _TIMER, where, findings)})
        else:
            findings.append(Finding(f"{quoted(where)} must be an object.", where))
    rest = [name for name in _STEP if name not in ("id", "name", "type")]
    return _said(step, *rest) | ({"boundaryEvents": timers} if timers else {})


def _fields(
    item: Document, kinds: Mapping[str, Kind], place: str, findings: list[Finding]
) -> dict[str, Json]:
    """The fields that are known, are given, and fit."""
    fitting: dict[str, Json] = {}
    for name, value in item.items():
        field = join_path(place, name)
        if name not in kinds:
            findings.append(Finding(f"{quoted(field)} is not known: remove it or correct its name.", field))
        elif value is not None and not kinds[name][0](value):
            findings.append(Finding(f"{quoted(field)} must be {kinds[name][1]}.", field))
        elif value is not None:
            fitting[name] = value
    return fitting


def _said(item: dict[str, Json], *optional: str) -> dict[str, Json]:
    """The fields without those of the `optional` ones that are empty, false or zero."""
    return {name: value for name, value in item.items() if value or name not in optional}
