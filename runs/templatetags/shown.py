"""How values of a run are written in pages."""

from typing import Any

import orjson
from django import template

register = template.Library()


@register.filter
def as_json(value: Any) -> str:
    """A JSON value, indented."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


@register.filter
def as_duration(milliseconds: float | None) -> str:
    """Milliseconds for people."""
    if milliseconds is None:
        return "–"
    if milliseconds < 1000:
        return f"{milliseconds:.0f} ms"
    seconds = milliseconds / 1000
    return f"{seconds:.1f} s" if seconds < 60 else f"{seconds // 60:.0f} min {seconds % 60:.0f} s"
