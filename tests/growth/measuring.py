"""How work grows with its text: four times the text may take six times the CPU."""

import gc
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache

from tests.growth.shapes import mixtures, texts

FACTOR, ALLOWED = 4, 6
# What is shorter is noise, and harmless: a small text's share of it is taken for so much.
FLOOR_SECONDS = 0.01
ROUNDS = 5
ENOUGH = 3
# How many times the time of a small text a large one takes where work grows with the third power.
THIRD_POWER = FACTOR**3
# Plain texts: what begins only where a text is long shows with them.
PLAIN = (repr("a"), repr("a b c. "), "different words", "different lines")

Work = Callable[[str], object]


def steep(work: Work, size: int, shapes: Iterable[str] | None = None) -> dict[str, float]:
    """Shapes of texts (of these, or all) whose work grows too fast from `size` characters on, each with how many times
    the CPU four times the text takes; some of them, where there are many.
    """
    small, large = _texts(size), _texts(FACTOR * size)
    return _steep(work, small, large, _to_read(work, small) if shapes is None else shapes)


def steep_in_mixtures(work: Work, size: int) -> dict[str, float]:
    """As `steep`, with few texts."""
    large = dict(mixtures(FACTOR * size))
    return _steep(work, dict(mixtures(size)), large, large)


def steep_in(work: Work, shapes: Mapping[str, Callable[[int], str]], size: int) -> dict[str, float]:
    """As `steep`, with texts that are made in these ways, in a length."""
    small, large = ({name: made(long) for name, made in shapes.items()} for long in (size, FACTOR * size))
    return _steep(work, small, large, shapes)


def _steep(
    work: Work, small: Mapping[str, str], large: Mapping[str, str], shapes: Iterable[str]
) -> dict[str, float]:
    found: dict[str, float] = {}
    with _no_collector():
        for shape in shapes:
            if (times := _growth(work, small[shape], large[shape])) > ALLOWED:
                found[shape] = round(times, 1)
            if len(found) == ENOUGH:
                break
    return found


def _to_read(work: Work, small: Mapping[str, str]) -> Iterator[str]:
    """The shapes whose large text may take too long, and plain ones. It can't take too long where the small text takes
    next to nothing, even if work grows with the third power; so it is with most, and large texts take most of the time
    of these tests. Where small ones take longer more often than not (large ones are refused), no more are asked.
    """
    asked = spared = 0
    for shape in small:
        if shape not in PLAIN and 2 * spared >= asked:
            asked += 1
            if _seconds(work, small[shape]) * THIRD_POWER <= FLOOR_SECONDS * ALLOWED:
                spared += 1
                continue
        yield shape


@cache
def _texts(size: int) -> dict[str, str]:
    return dict(texts(size))


def _growth(work: Work, small: str, large: str) -> float:
    """0 where all is noise; the least of several rounds, since others use the machine too."""
    found = float("inf")
    for _ in range(ROUNDS):
        took = _seconds(work, large)
        if took <= FLOOR_SECONDS * ALLOWED:
            return 0
        found = min(found, took / max(FLOOR_SECONDS, _seconds(work, small)))
        if found <= ALLOWED:
            break
    return found


def _seconds(work: Work, text: str) -> float:
    """CPU of this process. To refuse a text is an answer to it."""
    before = time.process_time()
    with suppress(Exception):
        work(text)
    return time.process_time() - before


@contextmanager
def _no_collector() -> Iterator[None]:
    """Without the collector of garbage, whose time has nothing to do with the text at hand."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
