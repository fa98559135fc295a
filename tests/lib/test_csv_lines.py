"""CSV of which no spreadsheet computes a cell, and that everything that writes CSV writes it so."""

import ast
import csv
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.csv_lines import csv_lines, inert, uncovered
from tests.architecture.sources import PRODUCT, nodes, source

FORMULAS = (
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    '=HYPERLINK("http://x")',
    "--5",
    "-5x",
)
TEXTS = st.text(st.sampled_from("'=+-@\t\r\n1.eEa,\" "), max_size=8) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0")
)

DOORS = {
    "operations/bulk/rows.py": "tests/operations/bulk/test_results.py",
    "steps/decision_table/csv_text.py": "tests/steps/decision_table/test_exchange.py",
    "tasks_inbox/evidence/table.py": "tests/inbox/test_kinds_of_values.py",
}
"""What writes CSV files, and the test of what stands in their cells."""


@pytest.mark.parametrize("text", FORMULAS)
def test_what_a_spreadsheet_would_compute_gets_an_apostrophe(text):
    assert inert(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "a=1", "-", "-5", "-5.25", "+49", "-1e-07", "2026-01-31", "'", "'a"])
def test_numbers_and_other_texts_stay_as_they_are(text):
    assert inert(text) == text


@given(TEXTS)
def test_each_text_comes_back_from_its_cell(text):
    assert uncovered(inert(text)) == text


@given(st.lists(st.lists(TEXTS, min_size=2, max_size=4), max_size=4))
def test_rows_come_back_from_their_lines(rows):
    read = csv.reader(StringIO("".join(csv_lines(rows)), newline=""))
    assert [[uncovered(cell) for cell in row] for row in read] == rows


def test_only_this_module_writes_csv():
    writers = ("csv.writer", "csv.DictWriter", "writer", "DictWriter")
    writes = {
        path
        for path in PRODUCT
        for node in nodes(path, "import csv", "from csv")
        if isinstance(node, ast.Call) and ast.unparse(node.func) in writers
    }
    assert writes == {"lib/csv_lines.py"}


def test_the_files_that_are_written_by_it_have_a_test_with_formulas():
    users = {path for path in PRODUCT if "csv_lines(" in source(path)} - {"lib/csv_lines.py"}
    assert users == set(DOORS)
    for path in DOORS.values():
        assert "=HYPERLINK" in source(path), path
