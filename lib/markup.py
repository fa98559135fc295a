"""Times, icons and names as the markup of pages has them: for templates, and for tables too large for a template."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache, lru_cache

from django.template.defaultfilters import filesizeformat
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

from lib.reader import moment_text, number_text, reader, utc_text

SPRITE = "vendor/lucide-static-1.62.0/sprite.svg"
SHORT = 13
"""So much of an id is the millisecond in which it was made: two in one list hardly share it, and a search finds it."""


def moment(at: datetime) -> str:
    """A moment to the minute, as the reader writes it."""
    return moment_text(at, seconds=False)


def exactly(at: datetime) -> str:
    """A moment to the second."""
    return moment_text(at)


def clock(at: datetime) -> str:
    """The time of day of a moment, to the second."""
    return reader().time(at, seconds=True)


def minute(at: datetime) -> str:
    """The time of day of a moment, to the minute."""
    return reader().time(at)


def day(at: datetime) -> str:
    """The day of a moment, where the reader is."""
    return reader().day(at)


_FORMS: dict[str, Callable[[datetime], str]] = {
    "": moment,
    "moment": moment,
    "exact": exactly,
    "clock": clock,
    "minute": minute,
    "day": day,
}


@cache
def sprite() -> str:
    """The address of the file with all icons. Found once: a page names it hundreds of times."""
    return static(SPRITE)


@lru_cache(1000)
def icon(name: str, classes: str = "") -> SafeString:
    """An icon of the sprite by its name. It repeats what stands beside it: nothing reads it aloud."""
    return format_html(
        '<svg class="icon{}{}" aria-hidden="true" focusable="false"><use href="{}#{}"></use></svg>',
        " " if classes else "",
        classes,
        sprite(),
        name,
    )


def time_element(
    at: datetime | None, form: str = "", words: object = "", attributes: object = ""
) -> SafeString | str:
    """A moment as a `time` element; nothing where there is none.

    `form`: how much of it is told (`exact`, `clock`, `minute`, `day`, `moment`); without one a script makes it
    "3 min ago". `words` stand in its place. `attributes`: more of the element's.
    """
    if not at:
        return ""
    return format_html(
        '<time datetime="{}" title="{}"{}{}{}>{}</time>',
        iso(at),
        utc_text(at) if form and not words else both(at),
        "" if form or words else " data-ago",
        " " if attributes else "",
        attributes,
        words or _FORMS[form](at),
    )


def iso(at: datetime) -> str:
    """A moment for programs: ISO 8601, in UTC."""
    return at.astimezone(UTC).isoformat()


def both(at: datetime) -> str:
    """A moment where the reader is and in UTC, for what shows only how long ago it was."""
    here, utc = moment_text(at), utc_text(at)
    return here if here == utc else f"{here} · {utc}"


def named(words: str, name: str) -> str | SafeString:
    """What people call something; who points at it sees the name by which programs know it."""
    return words if words == name else format_html('<span title="{}">{}</span>', name, words)


def shortened(text: object, most: int) -> str:
    """A text of so many characters at most, the last an ellipsis where there were more. Django's own filter takes six
    times as long, and lists have a hundred of them.
    """
    words = str(text)
    return words if len(words) <= most else f"{words[: most - 1]}…"


def short(id: object) -> str:
    """How an id begins."""
    return f"{str(id)[:SHORT]}…"


def file_size(size: int) -> str:
    """A size in bytes, in the unit that fits."""
    count, _, unit = filesizeformat(size).partition("\xa0")
    return f"{number_text(count)}\xa0{unit}"
