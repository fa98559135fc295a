"""Cells of decision tables: what they mean, and how the errors read."""

import pytest

from steps.decision_table.cells import BadCell, parse_cell, readings

HOLDS = [
    ("> 1000", [1000.01, 1001], [1000, None, "1001", True]),
    (">= 0.3", [0.3, 1], [0.29, 0.1 + 0.1]),
    ("[1..10]", [1, 10, 1.5], [0, 11]),
    ("(1..10]", [2, 10], [1]),
    ("[1..10)", [1, 9.99], [10]),
    ("]1..10[", [2], [1, 10]),
    ('"DE", "FR"', ["DE", "FR"], ["de", "", None, 1]),
    ('not("DE")', ["FR", ""], ["DE", None, 1, True]),
    ('not("DE", null)', ["FR"], ["DE", None]),
    ("not(null)", ["x", 0, False], [None]),
    ("null", [None], ["null", 0, False]),
    ("true", [True], [False, 1, "true"]),
    ("!= 5", [4, 5.5], [5, 5.0, None, "5"]),
    ("= 5", [5, 5.0], [4]),
    ("1, 2, > 7", [1, 2, 8], [3, 7]),
    ("2026-01-31", ["2026-01-31"], ["2026-02-01", "2026-01-31T00:00:00Z"]),
    ("< 2026-02-01", ["2026-01-31"], ["2026-02-01", "yesterday", None]),
    (">= 2026-01-31T10:00:00+02:00", ["2026-01-31T08:00:00Z"], ["2026-01-31T07:59:59Z", "2026-01-31"]),
    ("-", [None, 1, "x", {}, []], []),
    ("", [None, 1], []),
    (5, [5, 5.0], ["5", 4]),
    (True, [True], [1, False]),
    ('"a \\"b\\" ü, x"', ['a "b" ü, x'], []),
]


@pytest.mark.parametrize(("cell", "matching", "others"), HOLDS, ids=[str(row[0]) for row in HOLDS])
def test_a_cell_matches_what_it_says_and_nothing_of_another_type(cell, matching, others):
    parsed = parse_cell(cell)
    assert [value for value in matching if not parsed.matches(readings(value))] == []
    assert [value for value in others if parsed.matches(readings(value))] == []


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("DE", 'put texts in quotation marks: "DE"'),
        ("1,000", "write 1000, or a blank after the comma"),
        ("> 01", "01 begins with 0"),
        ('> "a"', "texts are compared by equality only"),
        ("10 EUR", "EUR has no meaning here"),
        ("[10..1]", "the range holds nothing"),
        ("(1..1]", "the range holds nothing"),
        ("[1..2026-01-01]", "the ends of a range are of the same type"),
        ('"a', "not closed by a quotation mark"),
        ('not "a"', "( is missing after not"),
        ("> ", "a value is missing"),
        ("1, != 2", "!= stands alone"),
        ("2026-02-30", "there is no date 2026-02-30"),
        ("{{ input.x }}", "takes no expression"),
        ("é", "has no meaning here"),
        ("1" * 61, "60 characters at most"),
        ("x" * 1001, "longer than 1,000 characters"),
        ('"\\ud800"', "not allowed"),
        (None, "write - for any value"),
        ([1], "write - for any value"),
    ],
)
def test_a_cell_that_means_nothing_says_what_to_write(cell, message):
    with pytest.raises(BadCell) as refused:
        parse_cell(cell)
    assert message in str(refused.value)


@pytest.mark.parametrize("cell", [row[0] for row in HOLDS])
def test_a_cell_reads_the_same_in_its_normal_form(cell):
    parsed = parse_cell(cell)
    assert parse_cell(str(parsed)) == parsed
