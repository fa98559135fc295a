"""How many steps a text pipeline has (R-012): a setting, for each `configuration` and for the pipeline form."""

from collections.abc import Mapping

from django.conf import settings

from engine.catalogue import Json
from engine.dialects import DialectError, detect
from engine.problems import Problem, error
from lib.refusals import Unprocessable
from steps.catalogue import CATALOGUE, TEXT_GROUPS


def refusal_of(steps: int) -> str | None:
    """Why a text pipeline can't have this number of steps; None where it can."""
    least, most = settings.HANDOFF_PIPELINE_STEPS
    if least <= steps <= most:
        return None
    allowed = f"{least} to {most} steps" if least < most else f"exactly {most} step{'s' if most > 1 else ''}"
    return (
        f"A text pipeline has {allowed}; this one has {steps}. The settings HANDOFF_PIPELINE_STEPS_MIN and _MAX "
        "change that; a workflow that is made in the builder may have any number."
    )


def problems_of(document: Json, dialect: str | None, native: Mapping[str, Json]) -> list[Problem]:
    """What is wrong with the length of a document that is a `configuration` of text steps alone."""
    try:
        is_configuration = (dialect or detect(document)) == "configuration"
    except DialectError:
        return []
    nodes = native.get("nodes")
    if not is_configuration or not isinstance(nodes, list) or not all(map(_is_text_step, nodes)):
        return []
    message = refusal_of(len(nodes))
    return [] if message is None else [error("bad_value", "configuration", message)]


def refuse(document: Json, dialect: str | None, native: Mapping[str, Json]) -> None:
    """Raises Unprocessable for such a document: an import stores a definition that is no `configuration` any more."""
    problems = problems_of(document, dialect, native)
    for problem in problems:
        raise Unprocessable(
            problem.message,
            code="invalid_definition",
            field=f"document.{problem.field}",
            details={"problems": [one.as_dict() for one in problems]},
        )


def _is_text_step(node: Json) -> bool:
    kind = node.get("type") if isinstance(node, dict) else None
    return isinstance(kind, str) and kind in CATALOGUE and CATALOGUE[kind].group in TEXT_GROUPS
