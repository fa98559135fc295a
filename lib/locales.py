"""How dates, times and numbers are written where a reader lives. The words of pages stay English. Pure.

A short table, and not Django's formats: those come with the translations of texts, and have no form of a moment that is
short and says its year. `NEUTRAL` is what nobody mistakes, for whoever has named no language of the list.
"""

import re
from dataclasses import dataclass
from datetime import date, datetime

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_NUMBER = re.compile(r"(-?)(\d+)(?:\.(\d+))?")
_LONGEST_NUMBER = 400
"""No number that JSON holds here is written longer; what is, is a text."""
_UNGROUPED = 4
"""Whole numbers of so many digits are mostly years: they are written without groups."""


@dataclass(frozen=True, slots=True)
class Locale:
    """`day`: the order of a date; `joint`: between date and time; `colon`: between hours and minutes."""

    tag: str
    name: str
    day: str
    decimal: str
    group: str
    joint: str = ", "
    colon: str = ":"
    has_noon: bool = False

    def date(self, day: date) -> str:
        """A day."""
        month = _MONTHS[day.month - 1]
        return self.day.format(d=day.day, m=day.month, y=day.year, mon=month)

    def time(self, moment: datetime, *, seconds: bool = False) -> str:
        """A time of day."""
        hour = (moment.hour % 12 or 12) if self.has_noon else moment.hour
        parts = [f"{hour}" if self.has_noon else f"{hour:02}", f"{moment.minute:02}"]
        parts += [f"{moment.second:02}"] if seconds else []
        noon = (" AM" if moment.hour < 12 else " PM") if self.has_noon else ""
        return self.colon.join(parts) + noon

    def moment(self, moment: datetime, *, seconds: bool = False) -> str:
        """A day with its time."""
        return f"{self.date(moment)}{self.joint}{self.time(moment, seconds=seconds)}"

    def number(self, text: str) -> str:
        """A number that was written as JSON has it, digit by digit as it is; anything else stays as it is."""
        match = _NUMBER.fullmatch(text) if len(text) <= _LONGEST_NUMBER else None
        if match is None:
            return text
        sign, whole, fraction = match.groups()
        if fraction is not None or len(whole) > _UNGROUPED:
            whole = f"{int(whole):,}".replace(",", self.group)
        return f"{sign}{whole}" + (f"{self.decimal}{fraction}" if fraction is not None else "")


NEUTRAL = Locale("", "", "{y:04}-{m:02}-{d:02}", ".", "", joint=" ")
_DOTS, _SLASHES = "{d:02}.{m:02}.{y:04}", "{d:02}/{m:02}/{y:04}"
LOCALES: dict[str, Locale] = {
    one.tag: one
    for one in (
        Locale("en", "English (United States)", "{mon} {d}, {y:04}", ".", ",", has_noon=True),
        Locale("en-GB", "English (United Kingdom)", "{d} {mon} {y:04}", ".", ","),
        Locale("cs", "Čeština", "{d}. {m}. {y:04}", ",", "\u00a0"),
        Locale("da", "Dansk", _DOTS, ",", ".", colon="."),
        Locale("de", "Deutsch", _DOTS, ",", "."),
        Locale("es", "Español", "{d}/{m}/{y:04}", ",", "."),
        Locale("fr", "Français", _SLASHES, ",", "\u202f", joint=" "),
        Locale("it", "Italiano", _SLASHES, ",", "."),
        Locale("nl", "Nederlands", "{d:02}-{m:02}-{y:04}", ",", "."),
        Locale("pl", "Polski", _DOTS, ",", "\u00a0"),
        Locale("pt", "Português", _SLASHES, ",", "."),
        Locale("sv", "Svenska", "{y:04}-{m:02}-{d:02}", ",", "\u00a0", joint=" "),
    )
}
_BY_KEY = {tag.lower(): one for tag, one in LOCALES.items()}
_AMERICAN = ("en-us", "en-ph")


def locale_of(tag: str) -> Locale:
    """The locale that a language as browsers name it stands for: `de-AT` is `de`; `NEUTRAL` where none does."""
    key = tag.lower()
    language = key.partition("-")[0]
    if language == "en" and key not in ("en", *_AMERICAN):
        # The rest of the world writes the day first.
        return LOCALES["en-GB"]
    return _BY_KEY.get(key) or _BY_KEY.get(language) or NEUTRAL
