"""What a view that may have nothing to say yet tells the server in front of it, so that no thread waits."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, TypeVar

W = TypeVar("W")
Topics = Set[Any]
Waiting = Mapping[Any, int]
"""How many wait for each of some topics."""

_KEY = "handoff.attempt"


@dataclass(slots=True)
class Attempt:
    """One try at an answer.

    `wait_seconds`: how long the caller would wait for a better one, which is about `topics`. `undo` takes back what the
    view did for a caller who turns out to have left. `is_first`: whether it is the caller's own call, not one more try.
    `caller`: by whom those who wait are counted.
    """

    wait_seconds: float = 0.0
    topics: Topics = frozenset()
    undo: Callable[[], None] | None = None
    is_first: bool = True
    caller: str = ""


def counted(waiting: Iterable[Topics]) -> Waiting:
    """How many of them wait for each topic."""
    return Counter(topic for topics in waiting for topic in topics)


def told(waiting: Sequence[tuple[W, Topics]], news: Waiting) -> Iterator[W]:
    """Those of the waiting, who comes first first, that have something to do with the news: of each topic no more than
    there is news for. The others would come for nothing. Who is told by what there is enough of takes nothing else.
    """
    many = counted(topics for _, topics in waiting)
    enough = {topic for topic, there in news.items() if there >= many.get(topic, 0)}
    left = dict(news)
    for one, topics in waiting:
        if not enough.isdisjoint(topics):
            yield one
            continue
        topic = next((topic for topic in topics if left.get(topic)), None)
        if topic is not None:
            left[topic] -= 1
            yield one


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
