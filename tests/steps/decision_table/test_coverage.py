"""Gaps, overlaps and unreachable rows against a search of the whole domain."""

from itertools import combinations, product

import pytest
from hypothesis import given

from steps.decision_table import coverage
from steps.decision_table.table import TableParams, compiled
from tests.steps.decision_table.strategies import DOMAINS, tables


def searched(params):
    table, faults = compiled(TableParams.model_validate(params))
    assert faults == []
    search = coverage.Search()
    return table, coverage.axes_of(table.titles, table.cells, search), search


def reading(kinds, params):
    """All values of the columns; a column of which no cell asks anything has one value."""
    return [
        DOMAINS[kind] if any(row[at] != "-" for row in params["rows"]) else DOMAINS[kind][:1]
        for at, kind in enumerate(kinds)
    ]


@given(tables(hits=["first"]))
def test_there_are_gaps_exactly_where_no_row_matches(case):
    kinds, params = case
    table, axes, search = searched(params)
    domain = list(product(*reading(kinds, params)))
    missed = [values for values in domain if not list(table.matching(values))]
    assert bool(coverage.gaps(axes, search)) == bool(missed)


@given(tables(hits=["first"]))
def test_a_row_is_unreachable_exactly_where_rows_before_match_all_its_values(case):
    kinds, params = case
    table, axes, search = searched(params)
    first = {next(table.matching(values), None) for values in product(*reading(kinds, params))}
    # The first row is reached, unless it matches nothing at all: that is no matter of its place.
    expected = [place for place in range(1, len(table.cells)) if place not in first]
    assert list(coverage.unreached(axes, search)) == expected


@given(tables(hits=["unique"]))
def test_rows_overlap_exactly_where_both_match(case):
    kinds, params = case
    table, axes, search = searched(params)
    found = {
        pair
        for values in product(*reading(kinds, params))
        for pair in combinations(table.matching(values), 2)
    }
    assert set(coverage.overlaps(axes, search)) == found or len(found) > coverage.REPORTED_OVERLAPS


@pytest.mark.parametrize(
    ("rows", "gaps"),
    [
        ([], ["any value"]),
        ([["> 5000", "-", 1]], ["a <= 5,000"]),
        ([["> 5000", '"FR"', 1], ["<= 5000", "-", 1]], ["a > 5,000 and c is not FR"]),
        ([["[1..5)", "-", 1], ["> 5", "-", 1]], ["a < 1 or a = 5"]),
        ([["-", "true", 1]], ["c = false"]),
        ([["-", 'not("DE")', 1]], ["c = DE"]),
        ([["<= 2026-01-31", "-", 1], ["> 2026-02-01", "-", 1]], ["a = 2026-02-01"]),
        ([["<= 2026-01-31", "-", 1], [">= 2026-02-01", "-", 1]], []),
        ([["not(null)", "-", 1]], ["a = null"]),
    ],
)
def test_a_gap_is_named_as_people_say_it(rows, gaps):
    columns = [{"title": "a", "when": "input.a"}, {"title": "c", "when": "input.c"}, {"set": "x"}]
    _, axes, search = searched({"columns": columns, "rows": rows})
    assert coverage.gaps(axes, search) == gaps


def test_a_table_that_is_too_large_is_given_up_within_its_bound():
    columns = [*({"title": f"c{at}", "when": f"input.c{at}"} for at in range(12)), {"set": "x"}]
    rows = [
        [*(f"{(at * 7 + row * 3) % 40}, {(at + row) % 40}, > {20 + (row * at) % 30}" for at in range(12)), 1]
        for row in range(60)
    ]
    _, axes, search = searched({"columns": columns, "rows": rows})
    with pytest.raises(coverage.NotChecked):
        list(coverage.unreached(axes, search))
    assert search.left > -coverage.ANALYSIS_UNITS


def test_texts_and_dates_in_one_column_are_not_compared():
    columns = [{"title": "a", "when": "input.a"}, {"set": "x"}]
    with pytest.raises(coverage.NotChecked):
        searched({"columns": columns, "rows": [['"x"', 1], ["2026-01-01", 1]]})
