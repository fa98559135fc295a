"""Conditions in words: `amount > 1,000 and country = DE`."""

from typing import Any

from steps.decision_table.cells import Cell, Interval, Kind, written
from steps.decision_table.limits import BECAUSE_CHARACTERS


def said(kind: Kind, value: Any) -> str:
    """A literal as people read it: numbers in groups of three, texts without quotation marks."""
    if kind == "number":
        return f"{value:,f}"
    return str(value) if kind == "text" else written(kind, value)


def condition(title: str, cell: Cell) -> str:
    """What a cell asks of the column with this title."""
    tests = ", ".join(_test(test) for test in cell.tests)
    if cell.negated:
        return f"{title} is not {tests}"
    if len(cell.tests) > 1 and not all(test.is_point for test in cell.tests):
        return " or ".join(condition(title, Cell((test,))) for test in cell.tests)
    if len(cell.tests) > 1:
        return f"{title} is one of {tests}"
    test = cell.tests[0]
    if test.is_point:
        return f"{title} = {tests}"
    return f"{title} {tests}" if None in (test.low, test.high) else f"{title} in {tests}"


def because(titles: list[str], cells: list[Cell]) -> str:
    """Why a row matches; a row that asks nothing matches any value."""
    parts = [condition(title, cell) for title, cell in zip(titles, cells, strict=True) if not cell.is_any]
    text = " and ".join(parts) or "any value matches"
    return text if len(text) <= BECAUSE_CHARACTERS else f"{text[: BECAUSE_CHARACTERS - 1]}…"


def _test(test: Interval) -> str:
    if test.is_point:
        return said(test.kind, test.low)
    if test.high is None:
        return f"{'>' if test.low_open else '>='} {said(test.kind, test.low)}"
    if test.low is None:
        return f"{'<' if test.high_open else '<='} {said(test.kind, test.high)}"
    start, end = "(" if test.low_open else "[", ")" if test.high_open else "]"
    return f"{start}{said(test.kind, test.low)} to {said(test.kind, test.high)}{end}"
