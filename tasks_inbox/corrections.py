"""The facts of a returned task that can be corrected, as fields of a page, and what was typed there. Pure."""

from typing import Any

from tasks_inbox.forms import LONG_TEXT, FormField, Posted, fields_of, read
from tasks_inbox.models import ManualTask

Json = Any


def correction_fields(task: ManualTask) -> list[FormField]:
    """One for each fact that may be corrected, with its value."""
    facts = [fact for fact in task.facts if fact.get("may_change")]
    if not facts:
        return []
    properties = {fact["label"]: _schema(fact["label"], fact["value"]) for fact in facts}
    return fields_of({"type": "object", "properties": properties, "x-order": list(properties)})


def read_corrections(task: ManualTask, fields: list[FormField], posted: Posted) -> dict[str, Json]:
    """What differs from the facts, by label; what can't be read is said at its field."""
    was = {fact["label"]: fact["value"] for fact in task.facts}
    typed = read(fields, posted)
    given = {field.key: typed.get(field.key, _empty(was[field.key])) for field in fields if field.key}
    return {label: value for label, value in given.items() if value != was[label]}


def _empty(was: Json) -> Json:
    return "" if isinstance(was, str) else None


def _schema(label: str, value: Json) -> dict[str, Json]:
    schema: dict[str, Json] = {"title": label, "default": value}
    match value:
        case bool():
            return schema | {"type": "boolean"}
        case int() | float():
            return schema | {"type": "number"}
        case str():
            long = {"maxLength": LONG_TEXT + 10_000} if len(value) > LONG_TEXT or "\n" in value else {}
            return schema | {"type": "string"} | long
    return schema
