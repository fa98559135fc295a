"""Percentiles for people: between which times they lie."""

from collections.abc import Sequence

from django import template

from runs.templatetags.shown import as_duration

register = template.Library()


@register.filter
def as_range(ends_ms: Sequence[float] | None) -> str:
    """The two milliseconds between which a percentile lies: `1.7–2 s`, one time where both read alike."""
    if ends_ms is None:
        return "–"
    low, high = (as_duration(end) for end in ends_ms)
    if low == high:
        return low
    number, _, unit = low.partition(" ")
    is_short = high.count(" ") == 1 and low.count(" ") == 1 and high.endswith(f" {unit}")
    return f"{number if is_short else low}–{high}"


@register.filter
def as_upper_end(ends_ms: Sequence[float] | None) -> str:
    """The milliseconds that a percentile does not exceed."""
    return as_duration(None if ends_ms is None else ends_ms[1])
