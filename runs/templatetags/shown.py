"""How values of a run are written in pages."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django import template
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from engine.statuses import StepStatus
from lib.clock import now_here
from lib.markup import icon
from lib.masking import masked, masked_at
from lib.reader import number_text, reader
from runs.kernel import wait_kinds
from runs.limits import RANKED_WORDS, SHOWN_CHARACTERS, SHOWN_FIELDS
from runs.reading.places import step_in_words
from runs.reading.timeline import Bar
from steps.catalogue import EXECUTABLE

register = template.Library()

PEEK = 160
_LINE = 90
_PROSE = 60
_LONG_LINES, _LONG_TEXT = 9, 1200
_DAY, _HOUR, _MINUTE = 86_400, 3600, 60
_WEEK = 7
_ROUNDED = ((_HOUR, _MINUTE), (12 * _HOUR, 5 * _MINUTE), (float("inf"), 30 * _MINUTE))
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
AT_RISK = 0.25
"""A deadline that is missed as likely as that is told to be at risk."""
_HUNDREDTH = 0.0001
"""Of a per cent."""


@dataclass(frozen=True, slots=True)
class Part:
    """One field of an object (or, without a name, a whole value) as text; `left_out` characters are not there.

    `ranked`: the same as names with shares of 1, best first. `is_given`: it went in as it came out.
    """

    name: str
    text: str
    is_prose: bool
    left_out: int
    ranked: tuple[tuple[str, float], ...] = ()
    is_given: bool = False

    @property
    def is_long(self) -> bool:
        """Whether it may need a box that scrolls."""
        return self.text.count("\n") > _LONG_LINES or len(self.text) > _LONG_TEXT

    @property
    def is_label(self) -> bool:
        """Whether it is the category that a text was given."""
        return self.name == "category" and self.text.startswith('"')

    @property
    def is_folded(self) -> bool:
        """Whether it is JSON of more than a few lines."""
        return not self.is_prose and self.text.count("\n") > _LONG_LINES


@register.filter
def in_parts(value: Any, input_value: Any = None) -> list[Part]:
    """A JSON value to read: an object field by field, long strings as the texts that they are, the rest as JSON.

    A text that was a text of the step's input, `input_value`, is marked so. What has the name of a secret is masked.
    """
    value, input_value = masked(value), masked(input_value)
    if not isinstance(value, Mapping) or not 0 < len(value) <= SHOWN_FIELDS or "" in value:
        return [_part("", value)]
    before = input_value if isinstance(input_value, Mapping) else {"text": input_value}
    # jsonb keeps no order of keys: a category is read before what spoke for it.
    fields = sorted(value.items(), key=lambda field: field[0] == "scores")
    return [_part(name, field, is_given=before.get(name) == field) for name, field in fields]


@register.filter
def on_one_line(text: str) -> str:
    """The text with each run of blanks, ends of lines too, as one blank."""
    return " ".join(text.split())


@register.filter
def unquoted(text: str) -> Any:
    """A text that was written as JSON."""
    return json.loads(text)


@register.filter
def source_of(step: Mapping[str, Any]) -> Part | None:
    """The text that a summary was made of or a translation of, to be read beside it."""
    before = step["input"].get("text") if isinstance(step["input"], Mapping) else step["input"]
    after = step["output"].get("text") if isinstance(step["output"], Mapping) else None
    step_type = EXECUTABLE.get(step["type"])
    is_rewritten = step_type is not None and step_type.rewrites_text
    if not is_rewritten or not isinstance(before, str) or not isinstance(after, str):
        return None
    return _part("text", before) if before != after else None


@register.filter
def under(value: Any, name: str) -> Any:
    """A value that has this name; if that is the name of a secret it is masked."""
    return masked_at([name], value)


@register.filter
def in_short(value: Any) -> str:
    """The beginning of a JSON value, on one line; what has the name of a secret is masked."""
    value = masked(value)
    return _flat(value if not isinstance(value, str) else value[:PEEK])[:PEEK]


@register.filter
def as_json(value: Any) -> str:
    """A JSON value as text, in as many lines as it takes."""
    return value if isinstance(value, str) and "\n" in value else _readable(value)


@register.filter
def type_icon(type_: str) -> str:
    """The icon of a step type."""
    return EXECUTABLE[type_].icon if type_ in EXECUTABLE else "circle-help"


@register.filter
def type_title(type_: str) -> str:
    """What people call a step type."""
    return EXECUTABLE[type_].title if type_ in EXECUTABLE else type_


@register.filter
def of_step(address: str, step: Mapping[str, Any]) -> str:
    """The address of a run's values narrowed to a step."""
    index = {} if step["index"] is None else {"index": step["index"]}
    return f"{address}?{urlencode({'node': step['node'], **index})}"


_BAR_WORDS = {
    "work": "has been at work for",
    "done": "took",
    "failed": "failed after",
    "lost": "was lost after",
    "cancelled": "was cancelled after",
}


@register.filter
def in_words(bar: Bar) -> str:
    """A bar of a timeline as a sentence would say it."""
    took = as_duration(bar.milliseconds)
    if bar.kind in ("wait", "people"):
        return f"waited {took}{' for people' if bar.kind == 'people' else ''}"
    attempt = f"attempt {bar.attempt} " if bar.attempt else ""
    return f"{attempt}{_BAR_WORDS[bar.kind]} {took}"


@register.filter
def at(mapping: Mapping[str, Any], key: str | None) -> Any:
    """What a mapping has there, if anything."""
    return mapping.get(key) if key else None


@register.filter
def title_in(node: str, steps: Iterable[Mapping[str, Any]]) -> str:
    """What a node is called among the steps of a run; its id where it is not among them."""
    return next((str(step["title"]) for step in steps if step["node"] == node), node)


@register.filter
def item(title: str, index: int | None) -> str:
    """What a step is called, or one of its items."""
    return step_in_words(title, index)


@register.filter
def percent(share: float) -> int:
    """A share of 1 as a percent."""
    return round(100 * share)


ICONS = {
    "PENDING": "circle-dashed",
    "QUEUED": "clock",
    "RUNNING": "loader-circle",
    "WAITING": "clock",
    "WAITING_FOR_MANUAL_ACTION": "user-check",
    "COMPENSATING": "undo-2",
    "COMPENSATED": "undo-2",
    "PAUSED": "circle-pause",
    "COMPLETED": "circle-check",
    "FAILED": "circle-x",
    "FAILING": "circle-x",
    "CANCELLING": "ban",
    "CANCELLED": "ban",
    "SKIPPED": "skip-forward",
}


@register.filter
def in_percent(share: float | None) -> str:
    """A share of 1 in per cent, to the hundredth; what is not all or nothing is never told as if it were."""
    if share is None:
        return "–"
    if 0 < share < _HUNDREDTH:
        return f"< {number_text('0.01')} %"
    if 1 - _HUNDREDTH < share < 1:
        return f"> {number_text('99.99')} %"
    return f"{number_text(f'{100 * share:.2f}'.rstrip('0').rstrip('.'))} %"


@register.filter
def status_icon(status: str) -> str:
    """The icon that repeats a status: its word says it."""
    return ICONS.get(status, "circle")


@register.simple_tag
def status_pill(status: str) -> SafeString:
    """A status with its icon, as all pages show it."""
    return format_html(
        '<span class="status" data-status="{}">{}{}</span>',
        status,
        icon(status_icon(status)),
        as_words(status),
    )


@register.simple_tag
def step_mark(status: str) -> SafeString:
    """A step's status on its card in the graph: the icon, with its word for who points at it or can't see it."""
    return format_html(
        '<span class="graph-status" data-of="{0}" title="{1}">{2}<span class="sr-only">{1}</span></span>',
        status,
        as_words(status),
        icon(status_icon(status)),
    )


@register.simple_tag
def step_marks() -> SafeString:
    """All of them, for a page that is told what became of steps before it reads that."""
    return format_html_join("", "{}", ((step_mark(status),) for status in StepStatus))


@register.filter
def as_words(status: str) -> str:
    """A status for people: `WAITING_FOR_MANUAL_ACTION` is "Needs a person"."""
    if status == "WAITING_FOR_MANUAL_ACTION":
        return "Needs a person"
    return status.replace("_", " ").capitalize()


@register.filter
def wait_part(waiting: Mapping[str, Any] | None) -> str | None:
    """The template that belongs beside a step that waits for this."""
    return wait_kinds.page_part(waiting) if waiting else None


@register.filter
def asks_operator(waiting: Mapping[str, Any] | None) -> bool:
    """Whether a step that waits for this waits for an operator to say what becomes of it."""
    return wait_kinds.asks_operator(waiting or {})


@register.filter
def with_code(message: str | None) -> SafeString:
    """A message in which `names` are set as code."""
    return mark_safe(re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(message or "")))  # noqa: S308 (escaped first)


@register.filter
def deadline(run: Mapping[str, Any]) -> str:
    """How a run stands to its deadline."""
    over = run.get("sla_paused_at") or run["completed_at"] or datetime.now(UTC)
    apart = as_duration(abs(over - run["sla_deadline"]) / timedelta(milliseconds=1))
    if run["completed_at"] is None and run.get("sla_paused_at"):
        stopped = "paused" if run["status"] == "PAUSED" else "paused while waiting"
        return f"{stopped}, overdue by {apart}" if run["sla_breached"] else f"{stopped} with {apart} left"
    if run["completed_at"] is None:
        return f"overdue by {apart}" if run["sla_breached"] else f"due in {apart}"
    return f"ended {apart} {'after' if run['sla_breached'] else 'before'} its deadline"


@register.filter
def probable_time(at: datetime) -> str:
    """By when something is probably so: no more exact than anybody knows, with the day of the week where it is within
    one, or else its date.
    """
    now = now_here().astimezone(reader().clock)
    here = _rounded(at.astimezone(reader().clock), (at - now).total_seconds())
    days = (here.date() - now.date()).days
    if days == 0:
        return reader().time(here)
    return f"{_WEEKDAYS[here.weekday()]} {reader().time(here)}" if 0 < days < _WEEK else reader().moment(here)


def _rounded(at: datetime, away: float) -> datetime:
    """The next full minute, five minutes or half an hour, by how far away it is."""
    step = next(step for until, step in _ROUNDED if away < until)
    return at + timedelta(seconds=-at.timestamp() % step)


@register.filter
def at_risk(run: Mapping[str, Any]) -> int | None:
    """How likely an open run misses its deadline, in per cent, where somebody should look after it."""
    risk = run["deadline_risk"]
    return None if risk is None or risk < AT_RISK or run["sla_breached"] else min(99, round(100 * risk))


@register.filter
def lasted(run: Mapping[str, Any]) -> str:
    """How long an ended run took."""
    if run["completed_at"] is None:
        return "–"
    return as_duration((run["completed_at"] - run["created_at"]) / timedelta(milliseconds=1))


@register.filter
def so_far(since: datetime) -> str:
    """How long ago something began, as long as it goes on."""
    return as_duration((now_here() - since) / timedelta(milliseconds=1))


@register.filter
def as_duration(milliseconds: float | None) -> str:
    """Milliseconds for people, in at most two units."""
    if milliseconds is None:
        return "–"
    if milliseconds < 999.5:
        return f"{milliseconds:.0f} ms" if milliseconds >= 1 else "< 1 ms"
    if milliseconds < 59_950:
        return f"{number_text(f'{milliseconds / 1000:.1f}')} s"
    seconds = round(milliseconds / 1000)
    if seconds < _HOUR:
        return f"{seconds // _MINUTE} min {seconds % _MINUTE} s"
    if seconds < _DAY:
        return f"{seconds // _HOUR} h {seconds % _HOUR // _MINUTE} min"
    return f"{seconds // _DAY} d {seconds % _DAY // _HOUR} h"


def _part(name: str, value: Any, *, is_given: bool = False) -> Part:
    is_prose = isinstance(value, str) and (len(value) > _PROSE or "\n" in value)
    text = value if is_prose else _readable(value)
    left_out = max(0, len(text) - SHOWN_CHARACTERS)
    return Part(
        name, text[:SHOWN_CHARACTERS], is_prose, left_out, _ranked(name, value), is_prose and is_given
    )


def _ranked(name: str, value: Any) -> tuple[tuple[str, float], ...]:
    """Keywords and the scores of categories as names with their shares; nothing where they are anything else."""
    pairs: list[tuple[Any, Any]] = []
    if name == "keywords" and isinstance(value, list):
        pairs = [
            (each.get("keyword"), each.get("score")) if isinstance(each, Mapping) else ("", None)
            for each in value
        ]
    elif name == "scores" and isinstance(value, Mapping):
        pairs = list(value.items())
    if len(pairs) > RANKED_WORDS or not all(
        isinstance(word, str) and _is_share(score) for word, score in pairs
    ):
        return ()
    return tuple(sorted(pairs, key=lambda pair: -pair[1]))


def _is_share(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


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
