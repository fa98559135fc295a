"""The lines of a run's story. Written here and not as a template: a page has up to 200, and by one a line took a fifth
of a millisecond.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from html import escape
from typing import Any
from urllib.parse import quote

from django import template
from django.utils.safestring import SafeString, mark_safe

from accounts import people
from lib import markup
from lib.reader import utc_text
from runs.reading.story import Line
from runs.templatetags.shown import with_code

register = template.Library()


@register.simple_tag
def story_lines(lines: Sequence[Line], to_step: str, selected: Mapping[str, Any] | None) -> SafeString:
    """The lines, in their order, each day under its date; `to_step`: the address that selects a step, but for the
    step.
    """
    selected_node, address = selected["node"] if selected else None, escape(to_step)
    # What is not ours is escaped in each line.
    return mark_safe("\n".join(_lines(lines, address, selected_node)))  # noqa: S308


def _lines(lines: Sequence[Line], address: str, selected_node: str | None) -> Iterator[str]:
    day: str | None = None
    times: dict[datetime, tuple[str, str, str]] = {}
    for line in lines:
        # Many happen in a second, and are written alike.
        second = line.at.replace(microsecond=0)
        texts = times.get(second)
        if texts is None:
            texts = times[second] = (
                markup.day(second),
                escape(utc_text(second)),
                escape(markup.clock(second)),
            )
        today, utc, clock = texts
        if today != day:
            day = today
            yield f'<li class="story-day">{markup.time_element(line.at, "day")}</li>'
        time = f'<time datetime="{markup.iso(line.at)}" title="{utc}" class="quiet">{clock}</time>'
        yield _line(line, time, address, selected_node)


def _line(line: Line, time: str, address: str, selected_node: str | None) -> str:
    node, text = line.node, escape(line.text)
    if node:
        text = f'<a href="{address}&amp;step={quote(node, safe="")}" data-look>{text}</a>'
    if line.place:
        text += f' <small class="quiet">{escape(line.place)}</small>'
    more = f'<p class="quiet small">{with_code(line.more)}</p>' if line.more else ""
    current = ' aria-current="true"' if node and node == selected_node else ""
    return (
        f'<li class="story-line {line.tone}"{current}>{time} '
        f"<div><p>{_who(line.by) if line.by else ''}{text}</p>{more}</div></li>"
    )


def _who(username: str) -> str:
    name = people.name_of(username)
    label = markup.named(name, username)
    return f"{label if isinstance(label, SafeString) else escape(label)} "
