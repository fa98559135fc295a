"""What has the name of a secret is masked in the forms of tasks, and what stays masked is as it was."""

from accounts.principal import Principal
from engine.catalogue import Json
from lib.forms.fields import Form
from lib.forms.shapes import Schema
from lib.masking import masked, masked_at, restored
from tasks_inbox.actions import drafts
from tasks_inbox.forms.form import filled, form_of
from tasks_inbox.models import ManualTask

MASKED = "This is masked, and its value is not known here: enter it."
_VALUES = ("default", "examples")


def shown_form(task: ManualTask, data: Json = None) -> Form:
    """The form of a task as it is shown at first: with its defaults, or with `data`."""
    return form_of(shown_schema(task.form)) if data is None else filled(task.form, masked(data))


def shown_schema(schema: Schema | None) -> Schema | None:
    """The schema of a form whose values may be shown: a default may be a secret of the run."""
    return None if schema is None else _shown(schema, ())


def _shown(schema: Json, names: tuple[str, ...]) -> Json:
    if isinstance(schema, list):
        return [_shown(part, names) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {key: _shown(part, names) for key, part in schema.items() if key not in ("properties", *_VALUES)}
    # In the order that it has, which is the order of its fields.
    copy: dict[str, Json] = dict.fromkeys(schema)
    copy |= parts | {key: masked_at(names, schema[key]) for key in _VALUES if key in schema}
    inner = schema.get("properties")
    if isinstance(inner, dict):
        copy["properties"] = {name: _shown(part, (*names, name)) for name, part in inner.items()}
    elif "properties" in schema:
        copy["properties"] = inner
    return copy


def true_data(who: Principal, task: ManualTask, data: Json) -> tuple[Json, list[dict[str, Json]]]:
    """What a form holds with what is masked as it was, in their draft or else by default; and what is wrong where that
    can't be known, as `Form.show` takes it.
    """
    if not restored(data)[1]:
        return data, []
    draft = drafts.draft_of(who, task)
    draft_data = draft.data if draft is not None and isinstance(draft.data, dict) else {}
    values, _ = restored(data, form_of(task.form).data | draft_data)
    # Also where a mask is what was kept.
    return values, [{"field": _field(path), "message": MASKED} for path in restored(values)[1]]


def _field(path: tuple[str | int, ...]) -> str:
    return "data" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
