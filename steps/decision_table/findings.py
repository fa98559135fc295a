"""What `validate` says of a decision table: cells, gaps, overlaps, rows that are never reached, failing test cases."""

from collections.abc import Iterator, Mapping

from pydantic import ValidationError

from engine.catalogue import Finding, Json, Keys
from engine.errors import ExpressionInvalid
from engine.holes import has_holes, split_holes
from steps.decision_table import coverage
from steps.decision_table.cases import tried
from steps.decision_table.table import Table, TableParams, compiled


def plain_expressions(params: Mapping[str, Json]) -> Iterator[Keys]:
    """The `when` of each column."""
    columns = params.get("columns")
    for place, column in enumerate(columns if isinstance(columns, list) else ()):
        if isinstance(column, dict) and isinstance(column.get("when"), str):
            yield ("columns", place, "when")


def findings(params: Mapping[str, Json]) -> Iterator[Finding]:
    """What is wrong with params that the model doesn't tell."""
    for keys in plain_expressions(params):
        yield from _expression(params["columns"][keys[1]]["when"], f"columns[{keys[1]}].when")
    try:
        checked = TableParams.model_validate(params)
    except ValidationError:
        # The model's own errors are reported, and the table isn't one yet.
        return
    table, faults = compiled(checked)
    if faults:
        yield from (Finding("bad_params", "error", fault.path, fault.message) for fault in faults)
        return
    yield from _searched(table)
    yield from _tests(table, checked)


def _expression(source: str, path: str) -> Iterator[Finding]:
    if "{{" in source:
        yield Finding("bad_params", "error", path, "it is already an expression: leave out the braces")
        return
    try:
        is_one = len(split_holes(f"{{{{ {source} }}}}")) == 1
    except ExpressionInvalid:
        is_one = False
    if not is_one or not source.strip():
        yield Finding("bad_params", "error", path, "write an expression such as input.amount")


def _searched(table: Table) -> Iterator[Finding]:
    if table.hit == "collect":
        return
    search = coverage.Search()
    try:
        axes = coverage.axes_of(table.titles, table.cells, search)
        for gap in coverage.gaps(axes, search):
            message = f"No row matches {gap}: add one, or a last row with - in each condition."
            yield Finding("gap_in_rows", "warning", "rows", message)
        if table.hit == "unique":
            for first, second in coverage.overlaps(axes, search):
                message = f"Rows {first + 1} and {second + 1} match the same values: with the hit unique only one may."
                yield Finding("rows_overlap", "error", f"rows[{second}]", message)
        else:
            for place in coverage.unreached(axes, search):
                message = f"Row {place + 1} is never reached: the rows above it match all its values."
                yield Finding("row_never_reached", "warning", f"rows[{place}]", message)
    except coverage.NotChecked as limit:
        message = f"The table was not checked for gaps and overlaps: {limit}."
        yield Finding("rows_not_checked", "warning", "rows", message)


def _tests(table: Table, params: TableParams) -> Iterator[Finding]:
    """Test cases that fail, but for those of tables whose results are known in a run only."""
    if has_holes(params.rows):
        return
    for place, result in enumerate(tried(table, params.tests)):
        if not result.passed:
            message = f"Test case {place + 1} fails: {result.message}"
            yield Finding("table_test_failed", "warning", f"tests[{place}]", message)
