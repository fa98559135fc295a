"""Checks of what a run is started with: its input against the schema of the version, and its business key."""

from collections.abc import Mapping

from engine.catalogue import Json
from engine.errors import ExpressionError, TooMuchWork
from engine.graph import Graph
from runs.kernel.refused import RunRefused, storable
from runs.limits import BUSINESS_KEY_CHARACTERS, INPUT_PROBLEMS
from steps.limits import RUN_INPUT_BYTES
from steps.schema import problem_of, problems_of


def encoded_input(graph: Graph, value: Json, field: str) -> bytes:
    """The input as it is stored. Raises RunRefused that names the place of what the schema refuses."""
    encoded = storable(value, field, max_bytes=RUN_INPUT_BYTES)
    try:
        if graph.input_schema is not None and (problem := problem_of(graph.input_schema, value)):
            path, message = problem
            details = {"errors": _faults(graph.input_schema, value, field)}
            raise RunRefused("invalid_input", message, field=f"{field}{path}", details=details)
    except TooMuchWork as error:
        raise _too_much(field, f"The input can't be checked: {error}.", error) from None
    return encoded


def business_key_of(graph: Graph, value: Json, given: str | None, where: str) -> str | None:
    """The business key: the given one, else what the definition makes of the input. Raises RunRefused."""
    key = given
    if key is None and graph.business_key is not None:
        try:
            rendered = graph.business_key.render({"input": value, "run": {}, "vars": {}})
        except TooMuchWork as error:
            raise _too_much(f"{where}input", f"The business key can't be made: {error}.", error) from None
        except ExpressionError as error:
            raise RunRefused(
                "invalid_input", f"The business key can't be made: {error}", field=f"{where}input"
            ) from None
        if isinstance(rendered, bool) or not isinstance(rendered, str | int):
            # Anything else has no one spelling, and null would make all orders without an id one.
            message = "The workflow's business key must come out as a text or a whole number."
            raise RunRefused("invalid_input", message, field=f"{where}input")
        key = str(rendered)
    if key is not None and not 0 < len(key) <= BUSINESS_KEY_CHARACTERS:
        message = f"A business key has 1 to {BUSINESS_KEY_CHARACTERS} characters."
        raise RunRefused("invalid", message, field=f"{where}business_key")
    return key


def _faults(schema: Mapping[str, Json], value: Json, field: str) -> list[dict[str, Json]]:
    """All that is wrong with an input, as programs are told it; of a pattern in the words of its author."""
    return [
        {
            "field": "".join(
                [field, *(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)]
            ),
            "code": "invalid",
            "message": text,
        }
        for path, text in problems_of(schema, value, most=INPUT_PROBLEMS)
    ]


def _too_much(place: str, message: str, error: TooMuchWork) -> RunRefused:
    return RunRefused("too_much_work", message, field=place, details={"place": place, "budget": error.budget})
