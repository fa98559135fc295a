"""The facts of a returned task that can be corrected, as fields of a page, and what was typed there."""

from accounts.picking import Members
from engine.catalogue import Json
from lib.forms.build import Typed
from lib.forms.fields import Form
from lib.forms.values import LONG_TEXT
from tasks_inbox.forms.form import form_of
from tasks_inbox.forms.people import name_people
from tasks_inbox.models import ManualTask


def correction_form(task: ManualTask, entries: Typed | None = None) -> Form:
    """A field for each fact that may be corrected, with its value, or with what was typed."""
    facts = [fact for fact in task.facts if fact.get("may_change")]
    properties = {
        fact["label"]: _schema(fact["label"], fact["value"]) | _typed(fact.get("type")) for fact in facts
    }
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "x-order": list(properties),
    }
    form = form_of(schema if facts else None, entries, people=Members(task.tenant_id))
    name_people(task, form.each())
    return form


def corrections_of(task: ManualTask, form: Form) -> dict[str, Json]:
    """What differs from the facts, by label."""
    was = {fact["label"]: fact["value"] for fact in task.facts}
    values = {key: form.data.get(key, _empty(was[key])) for key in form.properties() if key}
    return {label: value for label, value in values.items() if value != was[label]}


def _typed(kind: Json) -> dict[str, Json]:
    """What the field of a fact of this type needs besides; its label stays its title."""
    return {key: value for key, value in (kind or {}).items() if key != "title"}


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
