"""How values of a run are written in pages."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

MOST_CHARACTERS = 100_000
MOST_NAMED = 30
PEEK = 160
_LINE = 90
_PROSE = 60
_LONG_LINES, _LONG_TEXT = 9, 1200
_DAY, _HOUR, _MINUTE = 86_400, 3600, 60


@dataclass(frozen=True, slots=True)
class Part:
    """One field of an object (or, without a name, a whole value) as text; `left_out` characters are not there."""

    name: str
    text: str
    is_prose: bool
    left_out: int

    @property
    def is_long(self) -> bool:
        """Whether it may need a box that scrolls."""
        return self.text.count("\n") > _LONG_LINES or len(self.text) > _LONG_TEXT


@register.filter
def in_parts(value: Any) -> list[Part]:
    """A JSON value to read: an object field by field, long strings as the texts that they are, the rest as JSON."""
    if isinstance(value, Mapping) and 0 < len(value) <= MOST_NAMED and "" not in value:
        return [_part(name, field) for name, field in value.items()]
    return [_part("", value)]


@register.filter
def in_short(value: Any) -> str:
    """The beginning of a JSON value, on one line."""
    return _flat(value if not isinstance(value, str) else value[:PEEK])[:PEEK]


ICONS = {
    "PENDING": "circle-dashed",
    "QUEUED": "clock",
    "RUNNING": "loader-circle",
    "WAITING": "clock",
    "WAITING_FOR_MANUAL_ACTION": "clock",
    "PAUSED": "circle-pause",
    "COMPLETED": "circle-check",
    "FAILED": "circle-x",
    "FAILING": "circle-x",
    "CANCELLING": "ban",
    "CANCELLED": "ban",
    "SKIPPED": "skip-forward",
}


@register.filter
def status_icon(status: str) -> str:
    """The icon that repeats a status: its word says it."""
    return ICONS.get(status, "circle")


@register.filter
def as_words(status: str) -> str:
    """A status for people: `WAITING_FOR_MANUAL_ACTION` is "Waiting for manual action"."""
    return status.replace("_", " ").capitalize()


@register.filter
def with_code(message: str | None) -> SafeString:
    """A message in which `names` are set as code."""
    return mark_safe(re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(message or "")))  # noqa: S308 (escaped first)


@register.filter
def lasted(run: Mapping[str, Any]) -> str:
    """How long an ended run took."""
    if run["completed_at"] is None:
        return "–"
    return as_duration((run["completed_at"] - run["created_at"]) / timedelta(milliseconds=1))


@register.filter
def as_duration(milliseconds: float | None) -> str:
    """Milliseconds for people, in at most two units."""
    if milliseconds is None:
        return "–"
    if milliseconds < 999.5:
        return f"{milliseconds:.0f} ms" if milliseconds >= 1 else "< 1 ms"
    if milliseconds < 59_950:
        return f"{milliseconds / 1000:.1f} s"
    seconds = round(milliseconds / 1000)
    if seconds < _HOUR:
        return f"{seconds // _MINUTE} min {seconds % _MINUTE} s"
    if seconds < _DAY:
        return f"{seconds // _HOUR} h {seconds % _HOUR // _MINUTE} min"
    return f"{seconds // _DAY} d {seconds % _DAY // _HOUR} h"


def _part(name: str, value: Any) -> Part:
    is_prose = isinstance(value, str) and (len(value) > _PROSE or "\n" in value)
    text = value if is_prose else _readable(value)
    return Part(name, text[:MOST_CHARACTERS], is_prose, max(0, len(text) - MOST_CHARACTERS))


def _flat(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _readable(value: Any, indent: str = "") -> str:
    """Indented JSON in which whatever fits on a line stays on it."""
    flat = _flat(value)
    if len(indent) + len(flat) <= _LINE or not isinstance(value, dict | list) or not value:
        return flat
    deeper = indent + "  "
    if isinstance(value, dict):
        lines = [f"{deeper}{_flat(key)}: {_readable(each, deeper)}" for key, each in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    return "[\n" + ",\n".join(deeper + _readable(each, deeper) for each in value) + f"\n{indent}]"
