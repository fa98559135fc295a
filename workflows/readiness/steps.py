"""The steps of a draft that may have errors, those in containers and those that undo others, too. Pure."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from engine.bodies import body_of
from engine.catalogue import BODY
from lib.json import Json
from steps.base import StepType
from steps.catalogue import EXECUTABLE
from workflows.limits import BODY_LEVELS


class DraftStep(NamedTuple):
    """A step of a draft: the id of its node, its place, its type as its params make it, and its params."""

    node: str | None
    field: str
    type: StepType
    params: Mapping[str, Json]


def steps_of(native: Mapping[str, Json]) -> Iterator[DraftStep]:
    """Every step of a definition of whatever quality whose type is known, in the order of the definition."""
    yield from _listed("nodes", native.get("nodes"), None, BODY_LEVELS)


def _listed(field: str, steps: Json, node: str | None, levels: int) -> Iterator[DraftStep]:
    for at, step in enumerate(steps if isinstance(steps, list) else ()):
        own = step.get("id") if isinstance(step, Mapping) else None
        yield from _within(f"{field}[{at}]", step, own if isinstance(own, str) else node, levels)


def _within(field: str, step: Json, node: str | None, levels: int) -> Iterator[DraftStep]:
    if not isinstance(step, Mapping) or not levels:
        return
    kind, raw = step.get("type"), step.get("params")
    params = raw if isinstance(raw, Mapping) else {}
    if isinstance(kind, str) and (step_type := EXECUTABLE.get(kind)) is not None:
        yield DraftStep(node, f"{field}.params", step_type.with_params(params), params)
    yield from _within(f"{field}.compensate", step.get("compensate"), node, levels - 1)
    body = body_of(step, EXECUTABLE)
    if body is not None:
        yield from _within(f"{field}.params.{BODY}", body, node, levels - 1)
        yield from _listed(f"{field}.params.{BODY}.steps", body.get("steps"), node, levels - 1)
