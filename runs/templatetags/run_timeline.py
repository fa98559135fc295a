"""The lanes of a run's timeline. Written here and not as a template: a page has up to 200, and by one a lane took twice
as long.
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import quote

from django import template
from django.utils.safestring import SafeString, mark_safe

from runs.reading.timeline import Bar, Lane
from runs.templatetags.shown import as_duration, in_words

register = template.Library()

Row = Mapping[str, Any]
_FAILED, _CRITICAL, _CURRENT = " data-failed", ' class="critical"', ' aria-current="true"'


@register.simple_tag
def timeline_lanes(lanes: Sequence[Lane], to_step: str, selected: Row | None) -> SafeString:
    """The lanes, in their order; `to_step`: the address that selects a step, but for the step."""
    selected_node, address = selected["node"] if selected else None, escape(to_step)
    # What is not ours is escaped in each lane.
    return mark_safe("\n".join([_lane(lane, address, selected_node) for lane in lanes]))  # noqa: S308


def _lane(lane: Lane, address: str, selected_node: str | None) -> str:
    """Text by text: where hundreds come at once each call of `format_html` counts."""
    step = lane.step
    node, title, took = step["node"], escape(step["title"] or step["node"]), step["duration_ms"]
    words = [escape(in_words(bar)) for bar in lane.bars]
    bars = "".join([_bar(bar, text) for bar, text in zip(lane.bars, words, strict=True)])
    # A step of a run below is selected by that of the run above it, and is none of its steps.
    mine = 'class="inner"' if lane.is_inner else f'data-status="{step["status"]}" data-step="{escape(node)}"'
    return (
        f"<li {mine}"
        f"{_FAILED if step['error'] else ''}{_CRITICAL if lane.is_critical else ''}>"
        f'<a class="lane-name" href="{address}&amp;step={quote(node, safe="")}" data-look'
        f"{_CURRENT if selected_node == node and not lane.is_inner else ''}>{title}</a>"
        f' <svg class="lane" role="img" aria-label="{title}: {", ".join(words)}'
        f'{"; on the critical path" if lane.is_critical else ""}">{bars}</svg>'
        f' <span class="lane-took">{"" if took is None else escape(as_duration(took))}</span></li>'
    )


def _bar(bar: Bar, text: str) -> str:
    y, height = (6, 4) if bar.kind == "wait" else (2, 12)
    return (
        f'<rect class="{bar.kind}" x="{bar.x}" width="{bar.width}" y="{y}" height="{height}" rx="2">'
        f"<title>{text}</title></rect>"
    )
