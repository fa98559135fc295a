"""What a view that may have nothing to say yet tells the server in front of it, so that no thread waits."""

from collections.abc import Callable, MutableMapping, Set
from dataclasses import dataclass
from typing import Any

Topics = Set[Any]

_KEY = "handoff.attempt"


def _nothing(topics: Topics) -> Topics:
    return frozenset()


@dataclass(slots=True)
class Attempt:
    """One try at an answer.

    `wait_seconds`: how long the caller would wait for a better one, which is about `topics`. `look` gives those
    topics, of all that anybody waits for, about which there is something to say now. `undo` takes back what the view
    did for a caller who turns out to have left. `is_first`: whether it is the caller's own call, not one more try.
    `caller`: by whom those who wait are counted.
    """

    wait_seconds: float = 0.0
    topics: Topics = frozenset()
    look: Callable[[Topics], Topics] = _nothing
    undo: Callable[[], None] | None = None
    is_first: bool = True
    caller: str = ""


def with_attempt(
    scope: MutableMapping[str, Any], *, is_first: bool = True
) -> tuple[MutableMapping[str, Any], Attempt]:
    """The ASGI scope of a try, and the attempt that its view will fill in."""
    attempt = Attempt(is_first=is_first)
    return {**scope, _KEY: attempt}, attempt


def attempt_of(environ: MutableMapping[str, Any]) -> Attempt:
    """The attempt of the server in front, by a request's WSGI environment; behind any other one nobody reads it."""
    attempt: Attempt = environ.get("asgi.scope", {}).get(_KEY) or Attempt()
    return attempt
