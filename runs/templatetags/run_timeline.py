"""The lanes of a run's timeline. Written here and not as a template: a page has up to 200, and by one a lane took twice
as long.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from runs.reading.timeline import Bar, Lane
from runs.templatetags.shown import as_duration, in_words

register = template.Library()

Row = Mapping[str, Any]
_FAILED = mark_safe(" data-failed")
_CRITICAL = mark_safe(' class="critical"')
_CURRENT = mark_safe(' aria-current="true"')
_NOTHING = mark_safe("")
_BAR = '<rect class="{}" x="{}" width="{}" y="{}" height="{}" rx="2"><title>{}</title></rect>'


@register.simple_tag
def timeline_lanes(lanes: Sequence[Lane], to_step: str, selected: Row | None) -> SafeString:
    """The lanes, in their order; `to_step`: the address that selects a step, but for the step."""
    chosen = selected["node"] if selected else None
    return format_html_join("\n", "{}", ((_lane(lane, to_step, chosen),) for lane in lanes))


def _lane(lane: Lane, to_step: str, chosen: str | None) -> SafeString:
    step = lane.step
    node, title, took = step["node"], step["title"] or step["node"], step["duration_ms"]
    words = [in_words(bar) for bar in lane.bars]
    return format_html(
        '<li data-status="{}" data-step="{}"{}{}>'
        '<a class="lane-name" href="{}&amp;step={}" data-look{}>{}</a>'
        ' <svg class="lane" role="img" aria-label="{}: {}{}">{}</svg>'
        ' <span class="lane-took">{}</span></li>',
        step["status"],
        node,
        _FAILED if step["error"] else _NOTHING,
        _CRITICAL if lane.is_critical else _NOTHING,
        to_step,
        quote(node, safe=""),
        _CURRENT if chosen == node else _NOTHING,
        title,
        title,
        ", ".join(words),
        "; on the critical path" if lane.is_critical else "",
        format_html_join("", _BAR, _bars(lane.bars, words)),
        "" if took is None else as_duration(took),
    )


def _bars(bars: Sequence[Bar], words: Sequence[str]) -> Iterator[tuple[str | int, ...]]:
    for bar, said in zip(bars, words, strict=True):
        place = (6, 4) if bar.kind == "wait" else (2, 12)
        yield bar.kind, bar.x, bar.width, *place, said
