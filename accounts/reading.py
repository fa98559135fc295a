"""For whom a page is made: their time zone and how they write, by their setting, otherwise as their browser says."""

from contextlib import AbstractContextManager

from django.http import HttpRequest
from django.utils.translation.trans_real import parse_accept_lang_header

from accounts.models import COMPACT, User
from lib.locales import LOCALES, NEUTRAL, Locale, locale_of
from lib.reader import Reader, reading_as, zone_of

ZONE_COOKIE = "zone"
"""Set by static/js/zone.js, since no browser says its time zone in a header."""


def reading(request: HttpRequest, user: User | None) -> AbstractContextManager[Reader]:
    """What is made in this block is made for whoever asks; `user` is None before the login."""
    zone = (zone_of(user.time_zone) if user else "") or zone_of(request.COOKIES.get(ZONE_COOKIE, ""))
    locale = LOCALES.get(user.locale) if user else None
    compact = user is not None and user.density == COMPACT
    return reading_as(Reader(zone, locale or _asked_for(request), compact=compact))


def reader_of(user: User) -> Reader:
    """Who reads what is sent to them: there is no browser that could say anything."""
    return Reader(zone_of(user.time_zone), LOCALES.get(user.locale, NEUTRAL))


def _asked_for(request: HttpRequest) -> Locale:
    """The first language of the header that is in the list. Django reads no more of it than 500 characters."""
    tags = (tag for tag, _ in parse_accept_lang_header(request.headers.get("Accept-Language", "")))
    return next((one for tag in tags if (one := locale_of(tag)) is not NEUTRAL), NEUTRAL)
