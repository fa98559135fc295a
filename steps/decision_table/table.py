"""A decision table as its step type takes it, compiled: which rows match, why, and the output."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from engine.catalogue import Json
from engine.errors import StepError
from steps.base import Params
from steps.decision_table.cells import BadCell, Cell, parse_cell, readings
from steps.decision_table.limits import (
    NAME_CHARACTERS,
    TABLE_COLUMNS,
    TABLE_ROWS,
    TABLE_TESTS,
    TITLE_CHARACTERS,
)
from steps.decision_table.wording import because

Hit = Literal["first", "unique", "collect"]
RESERVED = ("row", "rows", "because")
"""Names of the output that explain it."""


class ConditionColumn(Params):
    """A column of conditions."""

    title: str = Field(
        title="Title", description="What the column is called.", min_length=1, max_length=TITLE_CHARACTERS
    )
    when: Json = Field(
        title="Value",
        description="The value that the cells below are compared with: input.amount.",
    )


class ResultColumn(Params):
    """A column of results."""

    title: str | None = Field(
        None, title="Title", description="What the column is called.", max_length=TITLE_CHARACTERS
    )
    set: str = Field(
        title="Name",
        description="The name of the result in the output.",
        pattern=rf"^[A-Za-z_][A-Za-z0-9_]{{0,{NAME_CHARACTERS - 1}}}$",
    )


Row = Annotated[list[Json], Field(max_length=TABLE_COLUMNS)]


class TableCase(Params):
    """A test case: values of the conditions by their titles, and what the table must give."""

    given: dict[str, Json] = Field(title="Given", description="Values by the titles of the conditions.")
    expect: Json = Field(
        title="Expected",
        description="The results, by name; with collect a list of them; null where no row matches.",
    )


class TableParams(Params):
    """The table."""

    model_config = ConfigDict(**Params.model_config, json_schema_extra={"x-widget": "decision-table"})

    columns: list[ConditionColumn | ResultColumn] = Field(
        title="Columns",
        description="Conditions ({title, when}) and results ({set}).",
        min_length=1,
        max_length=TABLE_COLUMNS,
    )
    rows: list[Row] = Field(
        title="Rows", description="Each a list of cells, one for each column.", max_length=TABLE_ROWS
    )
    hit: Hit = Field(
        "first",
        title="Which rows count",
        description="Of the rows that match: first takes the first, unique the only one, collect all.",
    )
    tests: list[TableCase] = Field(
        default_factory=list,
        title="Test cases",
        description="Values with the results that the table must give.",
        max_length=TABLE_TESTS,
    )


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong at a place of the params, such as `rows[2][0]`."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class Table:
    """The compiled table. `cells` has a row of conditions for each row, `results` its output values."""

    titles: list[str]
    names: list[str]
    cells: list[list[Cell]]
    results: list[dict[str, Json]]
    hit: Hit

    def matching(self, values: Sequence[Json]) -> Iterator[int]:
        """The rows, from 0, that match these values of the conditions."""
        read = [readings(value) for value in values]
        for place, row in enumerate(self.cells):
            if all(cell.matches(each) for cell, each in zip(row, read, strict=True)):
                yield place

    def explained(self, place: int) -> dict[str, Json]:
        """The results of a row, which row it is, and why it matches."""
        return {**self.results[place], "row": place + 1, "because": because(self.titles, self.cells[place])}

    def decide(self, values: Sequence[Json]) -> dict[str, Json]:
        """The output for these values of the conditions. Raises StepError NoRowMatched or RowsOverlap."""
        if self.hit == "collect":
            return {"rows": [self.explained(place) for place in self.matching(values)]}
        matching = self.matching(values)
        first = next(matching, None)
        if first is None:
            names = _listed(self.titles)
            message = f"No row of the table matches {names}: add one, or a last row with - in each condition."
            raise StepError("NoRowMatched", message, details={"columns": self.titles})
        if self.hit == "unique" and (others := [first, *matching])[1:]:
            rows = [place + 1 for place in others]
            message = f"Rows {_listed([str(row) for row in rows])} match, but only one may (hit unique)."
            raise StepError("RowsOverlap", message, details={"rows": rows})
        return self.explained(first)


def compiled(params: TableParams) -> tuple[Table, list[Fault]]:
    """The table, and what is wrong with it: a row with a fault is left out of the table."""
    columns = params.columns
    faults = list(_column_faults(columns))
    titles = [column.title for column in columns if isinstance(column, ConditionColumn)]
    names = [column.set for column in columns if isinstance(column, ResultColumn)]
    cells: list[list[Cell]] = []
    results: list[dict[str, Json]] = []
    for place, row in enumerate(params.rows):
        wrong = list(_row_faults(place, row, columns))
        faults += wrong
        if not wrong:
            cells.append([parse_cell(cell) for cell in _of(ConditionColumn, columns, row)])
            results.append(dict(zip(names, _of(ResultColumn, columns, row), strict=True)))
    return Table(titles, names, cells, results, params.hit), faults


def _of(kind: type, columns: Sequence[object], row: Sequence[Json]) -> list[Json]:
    return [cell for column, cell in zip(columns, row, strict=True) if isinstance(column, kind)]


def _column_faults(columns: Sequence[ConditionColumn | ResultColumn]) -> Iterator[Fault]:
    seen: set[tuple[str, str]] = set()
    for place, column in enumerate(columns):
        key, name = ("title", column.title) if isinstance(column, ConditionColumn) else ("set", column.set)
        field = f"columns[{place}].{key}"
        if (key, name) in seen:
            yield Fault(field, f"two columns are called {name}: give each a name of its own")
        seen.add((key, name))
        if key == "set" and name in RESERVED:
            yield Fault(field, f"{name} explains the output: choose another name")
    keys = {key for key, _ in seen}
    if "title" not in keys:
        yield Fault("columns", "a table has a condition: add a column with title and when")
    if "set" not in keys:
        yield Fault("columns", "a table has a result: add a column with set")


def _row_faults(
    place: int, row: Sequence[Json], columns: Sequence[ConditionColumn | ResultColumn]
) -> Iterator[Fault]:
    if len(row) != len(columns):
        yield Fault(
            f"rows[{place}]", f"the row has {len(row)} cells, but the table has {len(columns)} columns"
        )
        return
    for at, (column, cell) in enumerate(zip(columns, row, strict=True)):
        if isinstance(column, ConditionColumn):
            try:
                parse_cell(cell)
            except BadCell as bad:
                yield Fault(f"rows[{place}][{at}]", str(bad))


def of_values(values: Mapping[str, Json], titles: Sequence[str]) -> list[Json]:
    """The values of a test case in the order of the columns; null for one that it doesn't give."""
    return [values.get(title) for title in titles]


def _listed(names: Sequence[str]) -> str:
    """`a, b and c`, at most ten of them."""
    items = [*names[:10], "others"] if len(names) > 10 else list(names)
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
