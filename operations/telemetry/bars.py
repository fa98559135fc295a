"""Runs by the hour or day as bars of an SVG that is 100 wide and 100 high; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from engine.catalogue import Json

KINDS = ("completed", "failed", "cancelled")
"""How runs ended, from the bottom of a bar to its top."""
GAP = 0.2
"""Of the room that a bar has so much is left empty."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a bar: the runs of it that ended so."""

    kind: str
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class Bar:
    """An hour or a day; `counts` by how its runs ended."""

    at: datetime
    x: float
    width: float
    counts: Mapping[str, int]
    pieces: Sequence[Piece]


@dataclass(frozen=True, slots=True)
class Chart:
    """Bars beside each other; the highest one has `most` runs."""

    bars: Sequence[Bar]
    most: int


def chart(moments: Sequence[Mapping[str, Json]]) -> Chart:
    """The bars of hours or days, each with its counts by `KINDS`, in their order."""
    most = max((sum(one[kind] for kind in KINDS) for one in moments), default=0)
    room = 100 / max(1, len(moments))
    bars = [_bar(one, place * room, room, most) for place, one in enumerate(moments)]
    return Chart(bars, most)


def _bar(moment: Mapping[str, Json], x: float, room: float, most: int) -> Bar:
    counts = {kind: moment[kind] for kind in KINDS}
    pieces, top = [], 100.0
    for kind, count in counts.items():
        if count:
            height = 100 * count / most
            top -= height
            pieces.append(Piece(kind, round(top, 3), round(height, 3)))
    return Bar(moment["at"], round(x + room * GAP / 2, 3), round(room * (1 - GAP), 3), counts, pieces)
