"""What a record says of a change: the fields that differ, bounded, and of secrets only that they have changed."""

import hashlib
import json
from collections.abc import Collection, Mapping
from typing import Any

from django.db.models import Model

from accounts.limits import AUDIT_FIELDS, AUDIT_RECORD_CHARACTERS, AUDIT_VALUE_CHARACTERS
from lib.masking import is_secret_name

CHANGED = "changed"
"""Stands for a secret."""
_KEPT, _ALWAYS = 500, 50

Values = Mapping[str, Any]


def fields_of(row: Model, *names: str) -> dict[str, Any]:
    """These columns of a row as a record says them."""
    return {name: getattr(row, name) for name in names}


def digest_of(value: Any) -> str:
    """Stands for a value that may be about persons, such as an input: two are told apart, and none is kept."""
    text = json.dumps(value, sort_keys=True, default=_written)
    return f"sha256:{hashlib.sha256(text.encode(errors='replace')).hexdigest()}"


def differences(before: Values | None, after: Values | None) -> tuple[str, str]:
    """What was and what is, as JSON of the fields that differ; an empty text where there is nothing."""
    was, now = _plain(before or {}), _plain(after or {})
    names = [name for name in {**was, **now} if _differs(was, now, name)][:AUDIT_FIELDS]
    return _text(was, names), _text(now, names)


def clean(text: str, most: int) -> str:
    """A text as a record can hold it: without what no database holds, and no longer than `most`."""
    text = text[: most + 1].replace("\x00", "").encode(errors="replace").decode()
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _differs(was: Values, now: Values, name: str) -> bool:
    return name not in was or name not in now or bool(was[name] != now[name]) or now[name] == CHANGED


def _text(values: Values, names: Collection[str]) -> str:
    fields: dict[str, Any] = {}
    left = AUDIT_RECORD_CHARACTERS
    for name in names:
        if name in values:
            value = _bounded(values[name], min(left, AUDIT_VALUE_CHARACTERS))
            fields[clean(name, 100)] = value
            left -= min(left, len(json.dumps(value, ensure_ascii=False)))
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")) if fields else ""


def _plain(values: Values) -> dict[str, Any]:
    """The values as JSON has them, without secrets."""
    known: dict[str, Any] = json.loads(json.dumps(dict(values), default=_written))
    return {name: _hidden(name, value) for name, value in known.items()}


def _written(value: Any) -> Any:
    if isinstance(value, set | frozenset):
        return sorted(value)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _hidden(name: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _hidden(key, inner) for key, inner in value.items()}
    is_secret = is_secret_name(name) and value is not None and not isinstance(value, bool | int)
    if isinstance(value, list) and not is_secret:
        return [_hidden("", inner) for inner in value]
    return CHANGED if is_secret else value


def _bounded(value: Any, most: int) -> Any:
    text = json.dumps(value, ensure_ascii=False)
    if len(text) <= max(most, _ALWAYS):
        return json.loads(clean(text, AUDIT_VALUE_CHARACTERS * 2))
    raw = text.encode(errors="replace")
    return {
        "cut": clean(text, min(most, _KEPT)),
        "characters": len(text),
        "sha256": hashlib.sha256(raw).hexdigest(),
    }
