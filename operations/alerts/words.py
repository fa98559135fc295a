"""Texts of alerts: what one says, numbers of things, and lengths of time."""

from collections.abc import Mapping
from dataclasses import dataclass

from engine.catalogue import Json

_UNITS = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))


def seconds_in_words(seconds: float) -> str:
    """So many seconds in their two largest units: `3 min 20 s`."""
    left = max(0, round(seconds))
    parts = []
    for unit, size in _UNITS:
        many, left = divmod(left, size)
        if many:
            parts.append(f"{many} {unit}")
        elif parts:
            break
    return " ".join(parts[:2]) or "0 s"


def many_of(count: int, thing: str) -> str:
    """So many things: `1 task`, `1,200 tasks`."""
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"


def counted(facts: Mapping[str, Json], thing: str) -> str:
    """As `many_of` of the fact `many`; `at least 10,000 tasks` where no more were counted (`is_bound`)."""
    return f"{'at least ' if facts['is_bound'] else ''}{many_of(facts['many'], thing)}"


def capitalized(sentence: str) -> str:
    """The sentence with a capital first letter."""
    return sentence[:1].upper() + sentence[1:]


@dataclass(frozen=True, slots=True)
class Words:
    """What an alert says: what is wrong, in a line and in a sentence or two, what to do, and where (a path)."""

    subject: str
    message: str
    advice: str
    link: str = ""
