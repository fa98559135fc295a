"""Gaps, overlaps and rows that are never reached, exactly, within a number of comparisons.

The values of a column are cut at every bound that its cells name. All values of such a region match the same cells, so
a row is a set of regions for each column, as a bit mask, and the table is searched column by column.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import pairwise
from typing import Any

from steps.decision_table.cells import ORDERED, Cell, Interval, Kind
from steps.decision_table.limits import ANALYSIS_UNITS, REPORTED_GAPS, REPORTED_OVERLAPS
from steps.decision_table.wording import condition

KINDS: tuple[Kind, ...] = ("number", "date", "moment", "text", "truth", "null")
Box = tuple[int, ...]
"""A set of regions for each column."""


class NotChecked(Exception):
    """The table can't be searched; the message says why."""


@dataclass(frozen=True, slots=True)
class Region:
    """Values of a column that no cell tells apart: `test` describes them; `others`: all that no cell names."""

    kind: Kind
    test: Interval | None
    others: bool = False


@dataclass
class Axis:
    """One column: its regions, and the regions of each row."""

    title: str
    regions: list[Region]
    rows: list[int]

    @property
    def full(self) -> int:
        """All regions."""
        return (1 << len(self.regions)) - 1

    def says(self, mask: int) -> str:
        """The values of these regions in words."""
        here = [region for at, region in enumerate(self.regions) if mask >> at & 1]
        if any(region.others for region in here):
            absent = [
                region.test
                for at, region in enumerate(self.regions)
                if region.kind == "text" and region.test and not mask >> at & 1
            ]
            if not absent and all(region.test is None for region in self.regions if region.kind == "text"):
                absent = [Interval("null", None, None)] if len(self.regions) > 1 else []
            if not absent:
                return f"{self.title} = any text"
            return condition(self.title, Cell(tuple(absent), negated=True))
        return condition(self.title, Cell(tuple(_merged(mask, self.regions))))


@dataclass
class Search:
    """The comparisons that are left."""

    left: int = field(default=ANALYSIS_UNITS)

    def take(self, units: int) -> None:
        """Raises NotChecked once too much is used up."""
        self.left -= units
        if self.left < 0:
            raise NotChecked("it is too large to be searched for gaps and overlaps")


def axes_of(titles: Sequence[str], rows: Sequence[Sequence[Cell]], search: Search) -> list[Axis]:
    """The columns of a table. Raises NotChecked for one that compares texts with dates."""
    return [_axis(title, [row[at] for row in rows], search) for at, title in enumerate(titles)]


def gaps(axes: Sequence[Axis], search: Search) -> list[str]:
    """The combinations of values, in words, that no row matches."""
    if not axes:
        return []
    within = tuple(axis.full for axis in axes)
    texts: list[str] = []
    for box in uncovered(axes, within, (1 << len(axes[0].rows)) - 1, search):
        parts = [axis.says(mask) for axis, mask in zip(axes, box, strict=True) if mask != axis.full]
        texts.append(" and ".join(parts) or "any value")
        if len(texts) == REPORTED_GAPS:
            break
    return texts


def unreached(axes: Sequence[Axis], search: Search) -> Iterator[int]:
    """The rows, from 0, of whose values each matches a row before."""
    for place in range(1, len(axes[0].rows) if axes else 0):
        within = tuple(axis.rows[place] for axis in axes)
        if next(uncovered(axes, within, (1 << place) - 1, search), None) is None:
            yield place


def overlaps(axes: Sequence[Axis], search: Search) -> list[tuple[int, int]]:
    """Pairs of rows, from 0, that match the same values."""
    pairs = []
    count = len(axes[0].rows) if axes else 0
    for second in range(count):
        for first in range(second):
            for at, axis in enumerate(axes):
                if not axis.rows[first] & axis.rows[second]:
                    search.take(at + 1)
                    break
            else:
                search.take(len(axes))
                pairs.append((first, second))
                if len(pairs) == REPORTED_OVERLAPS:
                    return pairs
    return pairs


def uncovered(axes: Sequence[Axis], within: Box, rows: int, search: Search) -> Iterator[Box]:
    """Boxes of the values `within` that none of the `rows`, a bit mask, matches; they don't overlap."""
    count = len(axes)
    matching = [_by_region(axis, search) for axis in axes]
    covering = [_covering(axes[at:], within[at:], search) for at in range(count)]
    covered: set[tuple[int, int]] = set()

    def visit(at: int, active: int) -> Iterator[Box]:
        if not active:
            yield within[at:]
            return
        if at == count or active & covering[at] or (at, active) in covered:
            return
        groups: dict[int, int] = {}
        regions = within[at]
        search.take(regions.bit_count() + 1)
        for region, those in enumerate(matching[at]):
            if regions >> region & 1:
                groups[active & those] = groups.get(active & those, 0) | 1 << region
        is_covered = True
        for those, mask in groups.items():
            for box in visit(at + 1, those):
                is_covered = False
                yield (mask, *box)
        if is_covered:
            covered.add((at, active))

    yield from visit(0, rows)


def _by_region(axis: Axis, search: Search) -> list[int]:
    """The rows of each region, as a bit mask."""
    masks = [0] * len(axis.regions)
    for place, mask in enumerate(axis.rows):
        search.take(1)
        while mask:
            low = mask & -mask
            masks[low.bit_length() - 1] |= 1 << place
            mask ^= low
    return masks


def _covering(axes: Sequence[Axis], within: Box, search: Search) -> int:
    """The rows that match all values of these columns, as a bit mask."""
    mask_of_rows = 0
    for place in range(len(axes[0].rows)):
        search.take(1)
        if all(not mask & ~axis.rows[place] for axis, mask in zip(axes, within, strict=True)):
            mask_of_rows |= 1 << place
    return mask_of_rows


def _axis(title: str, cells: Sequence[Cell], search: Search) -> Axis:
    kinds = frozenset[Kind]().union(*(cell.kinds for cell in cells))
    if "text" in kinds and not kinds.isdisjoint({"date", "moment"}):
        raise NotChecked(f"the column {title} compares texts with dates")
    regions: list[Region] = []
    for kind in KINDS:
        if kind in kinds:
            tests = [test for cell in cells for test in cell.tests if test.kind == kind]
            regions += _regions(kind, tests)
    if kinds <= {"null"}:
        # Of any other type of value nothing is asked: one region stands for all of them.
        regions.append(Region("text", None, others=True))
    search.take(len(regions))
    return Axis(title, regions, [_mask(cell, regions, search) for cell in cells])


def _regions(kind: Kind, tests: Sequence[Interval]) -> list[Region]:
    if kind == "null":
        return [Region(kind, Interval(kind, None, None))]
    if kind == "truth":
        return [Region(kind, Interval(kind, value, value)) for value in (True, False)]
    if kind == "text":
        texts = dict.fromkeys(test.low for test in tests)
        return [
            *(Region(kind, Interval(kind, text, text)) for text in texts),
            Region(kind, None, others=True),
        ]
    bounds = sorted({bound for test in tests for bound in (test.low, test.high) if bound is not None})
    intervals = [Interval(kind, None, bounds[0], high_open=True)]
    for low, high in pairwise((*bounds, None)):
        intervals.append(Interval(kind, low, low))
        if high is None:
            intervals.append(Interval(kind, low, None, low_open=True))
        elif not _is_next_day(kind, low, high):
            intervals.append(Interval(kind, low, high, low_open=True, high_open=True))
    return [Region(kind, test) for test in intervals]


def _is_next_day(kind: Kind, low: Any, high: Any) -> bool:
    return kind == "date" and bool(low + timedelta(days=1) == high)


def _mask(cell: Cell, regions: Sequence[Region], search: Search) -> int:
    """The regions that a cell matches."""
    if cell.is_any:
        return (1 << len(regions)) - 1
    search.take(len(regions) * len(cell.tests))
    mask = 0
    for at, region in enumerate(regions):
        hit = any(test.kind == region.kind and _holds(test, region) for test in cell.tests)
        kinds = cell.kinds - {"null"}
        is_asked = region.kind in kinds if kinds else region.kind != "null"
        if (is_asked and not hit) if cell.negated else hit:
            mask |= 1 << at
    return mask


def _holds(test: Interval, region: Region) -> bool:
    """Whether a test holds for all values of a region; it holds for all or for none."""
    own = region.test
    if own is None:
        return False
    if test.kind not in ORDERED:
        return bool(test.low == own.low)
    if own.is_point:
        return test.holds(own.low)
    above = test.low is None or (own.low is not None and own.low >= test.low)
    below = test.high is None or (own.high is not None and own.high <= test.high)
    return above and below


def _merged(mask: int, regions: Sequence[Region]) -> list[Interval]:
    """The tests of the regions, neighbours on a line as one."""
    tests: list[Interval] = []
    last = -2
    for at, region in enumerate(regions):
        if not mask >> at & 1 or region.test is None:
            continue
        test = region.test
        if last == at - 1 and region.kind in ORDERED and tests[-1].kind == test.kind:
            before = tests.pop()
            test = Interval(test.kind, before.low, test.high, before.low_open, test.high_open)
        tests.append(test)
        last = at
    return tests
