"""What the steps that come with Handoff say of what they asked outside: with whom, how it went, how long it took."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from engine.errors import StepError
from steps.base import StepContext
from steps.limits import PLACE_CHARACTERS


@dataclass(slots=True)
class Outcome:
    """How it went, in a few words."""

    words: str = ""


@contextmanager
def one_line(context: StepContext, what: str) -> Iterator[Outcome]:
    """Say in one line how `what` went that is done within it, and how long it took; of a StepError its code is told.

    Nothing that came or went is told, nor what stands behind the `?` of an address.
    """
    outcome, began = Outcome(), time.monotonic()
    try:
        yield outcome
    except StepError as error:
        context.log(_line(what, began, outcome.words, error.code), "warning")
        raise
    context.log(_line(what, began, outcome.words))


def place_of(url: str) -> str:
    """Where a request goes, to be read: the address without a name, a password and what is asked for."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return "an address that can't be read"
    place = f"{parts.scheme}://{host}{f':{port}' if port else ''}{parts.path}"
    return place if len(place) <= PLACE_CHARACTERS else f"{place[: PLACE_CHARACTERS - 1]}…"


def _line(what: str, began: float, *words: str) -> str:
    took = f"{(time.monotonic() - began) * 1000:,.0f} ms"
    return f"{what}: {', '.join([*filter(None, words), took])}"
