"""Decision tables against a second, naive evaluation, and what each hit policy gives."""

import re
from itertools import product

import pytest
from hypothesis import given

from engine.errors import StepError
from steps.decision_table.table import TableParams, compiled
from tests.steps.decision_table.strategies import DOMAINS, tables

COLUMNS = [
    {"title": "amount", "when": "input.amount"},
    {"title": "country", "when": "input.country"},
    {"set": "who"},
]
ROWS = [["> 1000", "-", "board"], ["-", '"DE", "FR"', "lead"], ["[10..100]", "-", None]]


def table(rows=ROWS, hit="first", columns=COLUMNS):
    built, faults = compiled(TableParams.model_validate({"columns": columns, "rows": rows, "hit": hit}))
    assert faults == []
    return built


def naive(cell, value):
    """What a cell means, read by regular expressions."""
    if cell == "-":
        return True
    if negated := re.fullmatch(r"not\((.*)\)", cell):
        return not any(naive_test(test, value) for test in negated[1].split(", "))
    return any(naive_test(test, value) for test in cell.split(", "))


def naive_test(test, value):
    if test in ("true", "false"):
        return value is (test == "true")
    if test.startswith('"'):
        return value == test[1:-1]
    if bounds := re.fullmatch(r"([\[(])(\d+)\.\.(\d+)([\])])", test):
        low, high = int(bounds[2]), int(bounds[3])
        inside = low < value < high
        return inside or (value == low and bounds[1] == "[") or (value == high and bounds[4] == "]")
    operator, number = re.fullmatch(r"(<=|>=|<|>|) ?(\d+)", test).groups()
    number = int(number)
    return {
        "<": value < number,
        "<=": value <= number,
        ">": value > number,
        ">=": value >= number,
        "": value == number,
    }[operator]


@given(tables())
def test_a_table_gives_what_a_naive_reading_of_it_gives(case):
    kinds, params = case
    built = table(params["rows"], params["hit"], params["columns"])
    for values in product(*(DOMAINS[kind] for kind in kinds)):
        expected = [at for at, row in enumerate(params["rows"]) if all(map(naive, row, values))]
        assert list(built.matching(values)) == expected
        if params["hit"] == "collect":
            assert [row["at"] for row in built.decide(values)["rows"]] == expected
        elif not expected or (params["hit"] == "unique" and len(expected) > 1):
            with pytest.raises(StepError) as failed:
                built.decide(values)
            assert failed.value.code == ("RowsOverlap" if expected else "NoRowMatched")
            assert failed.value.retryable is False
        else:
            assert built.decide(values)["at"] == expected[0]


def test_the_first_row_that_matches_is_the_output_and_says_why():
    assert table().decide([1200.5, "DE"]) == {"who": "board", "row": 1, "because": "amount > 1,000"}
    assert table().decide([5, "FR"]) == {"who": "lead", "row": 2, "because": "country is one of DE, FR"}
    assert table().decide([10, "IT"]) == {"who": None, "row": 3, "because": "amount in [10 to 100]"}


def test_no_row_is_an_error_that_names_the_conditions_and_no_value():
    with pytest.raises(StepError) as failed:
        table().decide([None, "secret"])
    assert (failed.value.code, failed.value.details) == ("NoRowMatched", {"columns": ["amount", "country"]})
    assert "secret" not in failed.value.message


def test_a_unique_table_names_the_rows_that_overlap():
    with pytest.raises(StepError) as failed:
        table(hit="unique").decide([1200, "DE"])
    assert (failed.value.code, failed.value.details) == ("RowsOverlap", {"rows": [1, 2]})


def test_a_collecting_table_gives_all_rows_or_none():
    assert [row["row"] for row in table(hit="collect").decide([1200, "DE"])["rows"]] == [1, 2]
    assert table(hit="collect").decide([0, "IT"]) == {"rows": []}


@pytest.mark.parametrize(
    ("columns", "rows", "path"),
    [
        (COLUMNS, [["DE", "-", 1]], "rows[0][0]"),
        (COLUMNS, [["-", "-", 1], ["-", 1]], "rows[1]"),
        (COLUMNS[:2], [], "columns"),
        (COLUMNS[2:], [], "columns"),
        ([*COLUMNS, {"set": "who"}], [], "columns[3].set"),
        ([COLUMNS[0], COLUMNS[0], {"set": "who"}], [], "columns[1].title"),
        ([COLUMNS[0], {"set": "because"}], [], "columns[1].set"),
    ],
)
def test_a_fault_names_its_place(columns, rows, path):
    _, faults = compiled(TableParams.model_validate({"columns": columns, "rows": rows}))
    assert [fault.path for fault in faults] == [path]


def test_cells_that_an_expression_gave_at_run_time_are_refused_by_place(run_step):
    with pytest.raises(StepError) as failed:
        run_step("decision.table", {}, columns=COLUMNS, rows=[["x", "-", 1]])
    assert (failed.value.code, failed.value.details) == ("BadParams", {"field": "params.rows[0][0]"})
