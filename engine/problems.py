"""What `validate` finds, and pydantic's findings in those terms."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field as attribute
from typing import Any, Literal

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from engine.catalogue import Json
from engine.holes import has_holes, join_path
from engine.pointers import pointer_of

Severity = Literal["error", "warning"]
Code = Literal[
    "asks_outside_folder",
    "asks_who_starts",
    "bad_expression",
    "bad_input_schema",
    "bad_params",
    "bad_value",
    "built_in_queue",
    "calendar_elsewhere",
    "chain_too_long",
    "correction_not_used",
    "cycle",
    "decision_without_edge",
    "duplicate_edge",
    "duplicate_id",
    "edge_never_taken",
    "edge_without_outcome",
    "error_edge_never_taken",
    "four_eyes_out_of_reach",
    "gap_in_rows",
    "incompatible_input",
    "join_may_not_fire",
    "join_never_fires",
    "missing_field",
    "name_not_in_scope",
    "no_deadline",
    "no_default_edge",
    "no_edges",
    "no_steps",
    "no_such_field",
    "no_such_output",
    "nobody_may_decide",
    "no_error_edge",
    "not_a_condition",
    "not_an_object",
    "not_covered",
    "not_yet",
    "optional_fact",
    "parallel_without_join",
    "queue_without_topic",
    "quorum_out_of_reach",
    "requester_may_not_decide",
    "reserved_queue",
    "row_never_reached",
    "rows_not_checked",
    "rows_overlap",
    "several_conditions",
    "starts_apart",
    "table_test_failed",
    "text_not_corrected",
    "too_deep",
    "too_many_nodes",
    "too_much_work",
    "unknown_calendar",
    "unknown_fact",
    "unknown_field",
    "unknown_node",
    "unknown_outcome",
    "unknown_step",
    "unknown_type",
    "unknown_variable",
    "unknown_workflow",
    "unpublished_workflow",
    "unserved_queue",
    "value_never_there",
    "value_not_on_every_path",
    "variables_overlap",
    "withdrawn_version",
    "without_effect",
]

_FORMS = {
    "a valid dictionary": "an object",
    "a valid boolean": "true or false",
    "a valid integer": "a whole number",
    "a valid number": "a number",
    "a valid list": "a list",
    "a valid string": "a text",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding. `field` is a path into the document, such as `nodes[2].params.sentences`."""

    code: Code
    severity: Severity
    node: str | None
    field: str
    message: str
    fix: dict[str, Json] | None = attribute(default=None, compare=False)
    """`{title, changes}` that take the one safe way out, where whoever knows how drafts are changed found it."""

    @property
    def pointer(self) -> str:
        """The field as a JSON pointer (R-023)."""
        return pointer_of(self.field)

    def as_dict(self) -> dict[str, Json]:
        """As the API gives it."""
        return {
            "code": self.code,
            "severity": self.severity,
            "node": self.node,
            "field": self.field,
            "pointer": self.pointer,
            "message": self.message,
            "fix": self.fix,
        }


def error(code: Code, field: str, message: str, node: str | None = None) -> Problem:
    """A problem that stands against publishing."""
    return Problem(code, "error", printable(node), printable(field), printable(message))


def warning(code: Code, field: str, message: str, node: str | None = None) -> Problem:
    """A problem that the author should know of."""
    return Problem(code, "warning", printable(node), printable(field), printable(message))


def shape_problems(
    failure: ValidationError, value: Json, field: str, *, code: Code | None = None, holes: bool = False
) -> Iterator[Problem]:
    """Pydantic's findings about `value`, which stands at `field`.

    `code` replaces the codes of the kinds; with `holes`, values with `{{ }}` are not judged: nobody knows them yet.
    """
    by_path: dict[str, list[ErrorDetails]] = {}
    unsure: dict[str, list[tuple[ErrorDetails, Json]]] = {}
    for detail in failure.errors(include_url=False, include_context=False):
        path, there = _locate(detail, value, field)
        is_certain = not holes or detail["type"] in ("missing", "extra_forbidden") or not has_holes(there)
        if is_certain:
            by_path.setdefault(path, []).append(detail)
        else:
            unsure.setdefault(path, []).append((detail, there))
    places = sorted((*unsure, *by_path))
    for path, some in unsure.items():
        # Whatever the holes in it give, an object stays one, and a list.
        is_whole = all(_is_other_kind(detail) and isinstance(there, dict | list) for detail, there in some)
        if is_whole and not _has_below(path, places):
            by_path.setdefault(path, []).extend(detail for detail, _ in some)
    places = sorted(by_path)
    for path, details in by_path.items():
        if _is_other_kind(details[0]) and _has_below(path, places):
            # Of a union only the alternative of the value's own kind is of interest.
            continue
        yield error(code or _code(details[0]["type"]), path, _sentence(details, path))


def _has_below(path: str, places: list[str]) -> bool:
    """Whether one of the places, which are sorted, lies within the path."""
    for below in (f"{path}.", f"{path}["):
        at = bisect_left(places, below)
        if at < len(places) and places[at].startswith(below):
            return True
    return False


def printable(text: Any) -> Any:
    """The text without lone surrogates, NUL and line breaks, and not endless; None stays None."""
    if text is None:
        return None
    text = text if len(text) <= 500 else f"{text[:497]}..."
    return text.encode("utf-8", "backslashreplace").decode().replace("\x00", "\\x00").replace("\n", " ")


def quoted(value: str) -> str:
    """An id or name as it stands in a message."""
    return f"`{value if len(value) <= 80 else value[:77] + '...'}`"


def _is_other_kind(detail: ErrorDetails) -> bool:
    return detail["type"].endswith("_type") or detail["type"] == "literal_error"


def _code(kind: str) -> Code:
    if kind == "missing":
        return "missing_field"
    return "unknown_field" if kind == "extra_forbidden" else "bad_value"


def _locate(detail: ErrorDetails, value: Json, field: str) -> tuple[str, Json]:
    """The path of a finding and the value there; labels that pydantic adds for unions are not part of it."""
    for at, part in enumerate(detail["loc"]):
        last_missing = detail["type"] == "missing" and at == len(detail["loc"]) - 1
        if isinstance(part, int) and isinstance(value, list) and part < len(value):
            field, value = f"{field}[{part}]", value[part]
        elif isinstance(part, str) and isinstance(value, dict) and (part in value or last_missing):
            field, value = join_path(field, part), value.get(part)
    return field, value


def _sentence(details: list[ErrorDetails], path: str) -> str:
    name = quoted(path) if path else "the document"
    kind, message = details[0]["type"], details[0]["msg"].removeprefix("Value error, ")
    if kind == "missing":
        return f"{name} is missing: add it."
    if kind == "extra_forbidden":
        return f"{name} is not known: remove it or correct its name."
    if kind in ("too_short", "too_long"):
        # "List should have at least 1 item after validation, not 0"
        rule = message.partition(" should ")[2].partition(" after validation")[0]
        return f"{name} must {rule}."
    if kind == "string_too_short":
        return f"{name} is empty or too short: fill it in."
    if kind == "string_pattern_mismatch":
        pattern = message.partition("pattern ")[2].strip("'")
        return (
            f"{name} has characters that are not allowed, or is empty or too long: it must match {pattern}."
        )
    # Of a union pydantic says what each alternative wants.
    forms = [_form(detail["msg"]) for detail in details if detail["msg"].startswith("Input should")]
    if not forms:
        return f"{name}: {message}."
    return f"{name} must {' or '.join(dict.fromkeys(forms))}."


def _form(message: str) -> str:
    message = re.sub(r" or instance of \w+", "", message.removeprefix("Input should "))
    for theirs, ours in _FORMS.items():
        message = message.replace(theirs, ours)
    return message
