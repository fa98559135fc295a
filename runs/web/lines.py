"""Values over time as lines of an SVG that is 100 wide and 100 high; pure."""

from collections.abc import Sequence
from datetime import datetime, timedelta

APART = timedelta(minutes=3)
"""Between two values that lie further apart there is no line."""

Values = Sequence[tuple[datetime, float | None]]


def line(values: Values, *, since: datetime, until: datetime, most: float) -> str:
    """The path of these values, in their order; broken where there is none. `most` is at the top, 0 at the bottom."""
    span = max((until - since).total_seconds(), 1.0)
    pieces: list[str] = []
    before: datetime | None = None
    for at, value in values:
        if value is None:
            before = None
            continue
        point = f"{_short(100 * (at - since).total_seconds() / span)},{_short(100 - 100 * value / most)}"
        joins = before is not None and at - before <= APART
        # A piece that is a point has a length of nothing, so that its round ends are drawn.
        pieces.append(f"L{point}" if joins else f"M{point}h0")
        before = at
    return "".join(pieces)


def _short(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")
