"""An order for what has none: a map of protobuf, where in a definition the first branch that holds is taken, and what
is set sees what was set before it.

Branches that can't hold at once can stand in any order: comparisons of one variable with values that leave no value to
two of them. Of any others nobody knows that here.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

DEFAULT = "true"
"""The condition of a last branch."""
_COMPARISON = re.compile(
    r"(?:\$\{)?\s*#?(?P<name>[A-Za-z_]\w*)\s*(?P<sign>==|!=|<=|>=|<|>)\s*"
    r"(?:'(?P<one>[^'\\]*)'|\"(?P<two>[^\"\\]*)\"|(?P<number>-?\d{1,30}(?:\.\d{1,30})?)|(?P<flag>true|false))\s*\}?"
)
_FLAG = re.compile(
    r"(?:\$\{)?\s{0,100}(?:(?P<no>!)\s{0,100})?#?(?P<name>(?!true\b|false\b)[A-Za-z_]\w*)\s*\}?"
)
_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class _Range:
    """The values of a variable of one kind that a comparison holds for, or, where it `is_not`, all but these; texts and
    flags are alone in theirs.
    """

    name: str
    kind: str
    low: float | str
    high: float | str
    has_low: bool = True
    has_high: bool = True
    is_not: bool = False

    @property
    def place(self) -> tuple[str, float | str, float | str]:
        """Where it stands among others of its variable: only neighbours can have a value in common."""
        return self.kind, self.low, self.high

    def leaves_alone(self, other: "_Range") -> bool:
        """Whether no value is in both."""
        if self.name != other.name:
            return False
        if self.is_not or other.is_not:
            return replace(self, is_not=other.is_not) == other and self.is_not != other.is_not
        if self.kind != other.kind:
            return True
        if self.kind != "number":
            return self.low != other.low
        first, second = sorted((self, other), key=lambda one: (float(one.low), float(one.high)))
        touches = first.high == second.low and first.has_high and second.has_low
        return not touches and float(first.high) <= float(second.low)


def ordered(conditions: Iterable[str]) -> list[str]:
    """The conditions by their text, the default last."""
    return sorted(conditions, key=lambda one: (one.strip() == DEFAULT, one))


def may_overlap(conditions: Sequence[str]) -> tuple[str, str] | None:
    """Two of the conditions that could hold at once, beside the default; None where no two can.

    Each is read once, and compared with its neighbours: a document may have very many.
    """
    others = [one for one in ordered(conditions) if one.strip() != DEFAULT]
    if len(others) < 2:
        return None
    first, *rest = others
    ranges: list[tuple[_Range, str]] = []
    for one in others:
        span = _range(one)
        if span is None or (ranges and span.name != ranges[0][0].name):
            return (first, one) if one != first else (first, rest[0])
        ranges.append((span, one))
    return _neighbours_that_overlap(ranges)


def _neighbours_that_overlap(ranges: Sequence[tuple[_Range, str]]) -> tuple[str, str] | None:
    """Two of these, of one variable, with a value in both."""
    # All values but one leave room for that one alone, so where there are others they are compared with that.
    wide = next((pair for pair in ranges if pair[0].is_not), None)
    if wide is not None:
        rest = [pair for pair in ranges if pair is not wide]
        alone = [pair for pair in rest if wide[0].leaves_alone(pair[0])]
        if len(alone) < len(rest):
            return wide[1], next(text for one, text in rest if not wide[0].leaves_alone(one))
        return (alone[0][1], alone[1][1]) if len(alone) > 1 else None
    in_line = sorted(ranges, key=lambda pair: pair[0].place)
    both = (pair for pair in pairwise(in_line) if not pair[0][0].leaves_alone(pair[1][0]))
    return next(((one[1], other[1]) for one, other in both), None)


def in_order_of_need(texts: Mapping[str, str]) -> list[str] | None:
    """The names of what these expressions set, each behind those that it may see, else by name; None where two of them
    may see each other.
    """
    needs = {
        name: {one for one in _NAME.findall(text) if one in texts and one != name}
        for name, text in texts.items()
    }
    sorter = TopologicalSorter(needs)
    try:
        sorter.prepare()
    except CycleError:
        return None
    order: list[str] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        order += ready
        sorter.done(*ready)
    return order


def _range(condition: str) -> _Range | None:
    if (flag := _FLAG.fullmatch(condition.strip())) is not None:
        value = "false" if flag["no"] else "true"
        return _Range(flag["name"], "flag", value, value)
    match = _COMPARISON.fullmatch(condition.strip())
    if match is None or (match["sign"] not in ("==", "!=") and match["number"] is None):
        return None
    name, sign = match["name"], match["sign"]
    is_not = sign == "!="
    if match["number"] is None:
        kind = "flag" if match["flag"] else "text"
        value = match["flag"] or match["one"] or match["two"] or ""
        return _Range(name, kind, value, value, is_not=is_not)
    number = float(match["number"])
    low = -math.inf if sign in ("<", "<=") else number
    high = math.inf if sign in (">", ">=") else number
    return _Range(name, "number", low, high, has_low=sign != ">", has_high=sign != "<", is_not=is_not)
