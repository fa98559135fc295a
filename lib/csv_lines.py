"""CSV of which no spreadsheet computes a cell: every CSV file that is written here is written by this."""

import csv
import re
from collections.abc import Iterable, Iterator
from io import StringIO

MARK = "\ufeff"
"""Begins a file for spreadsheets: without it they take the text for one of the local code page."""
_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
_COVERED = re.compile(r"'+[=+\-@\t\r\n]")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|-", re.ASCII)


def csv_lines(rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """The lines of a file, one for each row; None is an empty cell."""
    buffer = StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    for row in rows:
        writer.writerow(["" if cell is None else inert(str(cell)) for cell in row])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def inert(text: str) -> str:
    """The text as a cell: what a spreadsheet would compute gets an apostrophe. Numbers and a dash stay as they are."""
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def uncovered(cell: str) -> str:
    """The text of a cell that `inert` has made."""
    return cell[1:] if _COVERED.match(cell) else cell
