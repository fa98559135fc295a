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

Work = Callable[[str], object]


def steep(work: Work, size: int, shapes: Iterable[str] | None = None) -> dict[str, float]:
    """Shapes of texts (of these, or all) whose work grows too fast from `size` characters on, each with how many times
    the CPU four times the text takes; some of them, where there are many.
    """
    return _steep(work, _texts(size), _texts(FACTOR * size), shapes)


def steep_in_mixtures(work: Work, size: int, floor: float = FLOOR_SECONDS) -> dict[str, float]:
    """As `steep`, with few texts; `floor` where even a harmless answer takes longer than others."""
    return _steep(work, dict(mixtures(size)), dict(mixtures(FACTOR * size)), floor=floor)


def _steep(
    work: Work,
    small: Mapping[str, str],
    large: Mapping[str, str],
    shapes: Iterable[str] | None = None,
    floor: float = FLOOR_SECONDS,
) -> dict[str, float]:
    found: dict[str, float] = {}
    with _no_collector():
        for shape in shapes or large:
            if (times := _growth(work, small[shape], large[shape], floor)) > ALLOWED:
                found[shape] = round(times, 1)
            if len(found) == ENOUGH:
                break
    return found


@cache
def _texts(size: int) -> dict[str, str]:
    return dict(texts(size))


def _growth(work: Work, small: str, large: str, floor: float) -> float:
    """0 where all is noise; the least of several rounds, since others use the machine too."""
    found = float("inf")
    for _ in range(ROUNDS):
        took = _seconds(work, large)
        if took <= floor * ALLOWED:
            return 0
        found = min(found, took / max(floor, _seconds(work, small)))
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
