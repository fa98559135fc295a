"""Decision tables as CSV: a header, then a line for each row; read from what spreadsheets write, tabs included."""

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence

from engine.catalogue import Json
from lib.csv_lines import MARK, csv_lines, inert, uncovered
from steps.decision_table.cells import ANY, BadCell, parse_cell
from steps.decision_table.limits import RESULT_NUMBER, TABLE_COLUMNS, TABLE_ROWS
from steps.decision_table.refused import Refused
from steps.decision_table.table import ConditionColumn, TableParams

RESULT = "set "
VALUE = " when "
DELIMITERS = "\t;,"
_NAME = re.compile(r"[^A-Za-z0-9_]+")
_WORDS = re.compile(r"[^\W\d_][\w .&/-]*", re.UNICODE)


def read_csv(text: str) -> dict[str, Json]:
    """The columns and rows of a table.

    A column called `set NAME` is a result, without one the last; `TITLE when EXPRESSION` says which value a condition
    compares. A text without quotation marks gets them. Raises Refused.
    """
    lines = list(_lines(text))
    if not lines:
        raise Refused("the text has no header: its first line names the columns")
    header = [cell.strip() for cell in lines[0]]
    while header and not header[-1]:
        header.pop()
    if not 1 < len(header) <= TABLE_COLUMNS:
        raise Refused(f"the header names {len(header)} columns; a table has 2 to {TABLE_COLUMNS}")
    has_results = any(name.startswith(RESULT) for name in header)
    columns = [
        _column(name, name.startswith(RESULT) if has_results else at == len(header) - 1, at)
        for at, name in enumerate(header)
    ]
    rows = [_row(line, columns) for line in lines[1:] if any(cell.strip() for cell in line)]
    if len(rows) > TABLE_ROWS:
        raise Refused(f"the text has more than {TABLE_ROWS} rows")
    return {"columns": columns, "rows": rows}


def write_csv(table: TableParams) -> str:
    """The table as read_csv reads it."""
    conditions = [isinstance(column, ConditionColumn) for column in table.columns]
    titles = [
        f"{column.title}{VALUE}{column.when}"
        if isinstance(column, ConditionColumn)
        else f"{RESULT}{column.set}"
        for column in table.columns
    ]
    rows = [
        [
            _condition_text(cell) if is_condition else _result_text(cell)
            for is_condition, cell in zip(conditions, row, strict=False)
        ]
        for row in table.rows
    ]
    return "".join(csv_lines([titles, *rows]))


def _lines(text: str) -> Iterator[list[str]]:
    text = text.removeprefix(MARK)
    head = re.sub(r'"[^"]*"', "", text.partition("\n")[0])
    delimiter = max(DELIMITERS, key=head.count)
    try:
        for at, line in enumerate(
            csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        ):
            # One more than allowed, so that it is refused.
            if at > 2 * TABLE_ROWS:
                return
            yield [uncovered(cell) for cell in line]
    except csv.Error as error:
        raise Refused(f"the text is not CSV: {error}") from None


def _column(name: str, is_result: bool, at: int) -> dict[str, Json]:
    if is_result:
        title = name.removeprefix(RESULT).strip()
        return {"set": named(title, at)} | ({} if named(title, at) == title else {"title": title})
    title, marker, when = name.rpartition(VALUE)
    if marker and title.strip() and when.strip():
        return {"title": title.strip(), "when": when.strip()}
    return {"title": name or f"Column {at + 1}", "when": f"input.{named(name, at)}"}


def named(title: str, at: int) -> str:
    """A name for the output or the input, made of a title."""
    name = _NAME.sub("_", title).strip("_")
    if not name:
        return f"column_{at + 1}"
    return f"_{name}" if name[0].isdigit() else name


def _row(line: Sequence[str], columns: Sequence[dict[str, Json]]) -> list[Json]:
    cells = [*line, *[""] * len(columns)][: len(columns)]
    if any(cell.strip() for cell in line[len(columns) :]):
        raise Refused(f"the row {','.join(line)[:80]} has more cells than the header has columns")
    return [
        condition_cell(cell) if "when" in column else result_cell(cell)
        for cell, column in zip(cells, columns, strict=True)
    ]


def condition_cell(text: str) -> str:
    """A condition as somebody types it into a spreadsheet: words get quotation marks, nothing is any value."""
    text = text.strip()
    if not text:
        return ANY
    try:
        parse_cell(text)
    except BadCell:
        negated = re.fullmatch(r"not\s*\((.*)\)", text, re.DOTALL)
        parts = [part.strip() for part in (negated[1] if negated else text).split(",")]
        if all(_WORDS.fullmatch(part) for part in parts):
            words = ", ".join(json.dumps(part, ensure_ascii=False) for part in parts)
            return f"not({words})" if negated else words
    return text


def result_cell(text: str) -> Json:
    """A result as somebody types it: a number, true, false, null, a text in quotation marks, or a text as it is."""
    stripped = text.strip()
    if not stripped:
        return None
    try:
        value = json.loads(stripped, parse_constant=_not_json)
    except (ValueError, RecursionError):
        return text
    is_number = isinstance(value, int | float)
    return text if isinstance(value, dict | list) or (is_number and not abs(value) < RESULT_NUMBER) else value


def _not_json(name: str) -> Json:
    raise ValueError(name)


def _condition_text(cell: Json) -> str:
    return cell if isinstance(cell, str) else json.dumps(cell)


def _result_text(cell: Json) -> str:
    if cell is None:
        return ""
    if not isinstance(cell, str):
        return json.dumps(cell, ensure_ascii=False)
    is_plain = result_cell(cell) == cell and inert(cell) == cell and cell == cell.strip()
    # In quotation marks it is no formula of a spreadsheet, and no number.
    return cell if is_plain and cell.isprintable() else json.dumps(cell, ensure_ascii=False)
