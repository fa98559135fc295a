"""Times, numbers and names as whoever reads a page writes them and calls them."""

import json
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts import people
from accounts.models import User
from lib import markup
from lib.counts import Count
from lib.reader import number_text, reader, utc_text
from workflows import titles

register = template.Library()
for tag in (markup.sprite, markup.icon, markup.time_element):
    register.simple_tag(tag)
for written in (
    markup.moment,
    markup.exactly,
    markup.clock,
    markup.minute,
    markup.day,
    markup.iso,
    markup.both,
    markup.shortened,
    markup.short,
    markup.file_size,
):
    register.filter(written)
register.filter("in_utc", utc_text)


@register.simple_tag
def reads() -> SafeString:
    """For scripts, the time zone and the locale of whoever reads, empty where they are those of the browser; for the
    style sheets, how densely lists are set for them."""
    one = reader()
    density = "compact" if one.compact else "comfortable"
    return format_html(
        ' data-zone="{}" data-locale="{}" data-density="{}"', one.zone, one.locale.tag, density
    )


@register.filter
def number(value: Any) -> Any:
    """A number of data as the reader writes it, no digit more or less; any other value as it is."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return number_text(json.dumps(value))


@register.simple_tag
def tally(count: Count | None, kind: str = "tally", *, bad: bool = False) -> SafeString:
    """How many there are, at least so many with a plus; nothing where that says nothing."""
    if count is None or not count.is_told:
        return SafeString("")
    classes = f"{kind} bad-text" if bad and count.number else kind
    title = format_html(' title="{}"', count.title) if count.title else ""
    return format_html(' <span class="{}"{}>{}</span>', classes, title, count.text)


@register.filter
def called(who: User | str | None) -> str:
    """What somebody is called, as text alone; `who` is a user, or the username of one that a page has learned."""
    if isinstance(who, User):
        return people.called(who)
    return people.name_of(who) if who else ""


@register.filter
def person(who: User | str | None) -> str | SafeString:
    """What somebody is called, as `called`; who points at it sees the username."""
    name, username = called(who), who.username if isinstance(who, User) else who or ""
    return markup.named(name, username)


@register.filter
def title_of(workflow: str) -> str:
    """What a workflow is called, as text alone."""
    return titles.title_of(workflow)


@register.filter
def titled(workflow: str) -> str | SafeString:
    """What a workflow is called; who points at it sees the name by which programs know it."""
    return markup.named(titles.title_of(workflow), workflow)
