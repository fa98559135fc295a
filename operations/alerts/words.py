"""Texts of alerts: what one says, numbers of things, and lengths of time."""

from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Words:
    """What an alert says: what is wrong, in a line and in a sentence or two, what to do, and where (a path)."""

    subject: str
    message: str
    advice: str
    link: str = ""
