"""Values of data as people are shown them: what becomes a table, and that much of it stays little to draw."""

import pytest

from tasks_inbox.limits import FACT_CHARACTERS, FACT_LEVELS, FACT_PARTS
from tasks_inbox.web import facts

NASTY = {
    "rows": [{"id": number, "name": "x"} for number in range(10_000)],
    "columns": [{f"c{number}": number for number in range(200)}] * 50,
    "no keys": [{}, {}],
    "mixed": [1, "a", None, [2], {"b": 3}] * 1_000,
    "texts": ["a" * 10_000] * 500,
    "wide": [[{"a": [{"b": 1}] * 200}] * 200] * 20,
}


def drawn(fact):
    """How many values are drawn, and how many characters."""
    parts = [*fact.items, *fact.rest]
    below = [drawn(one) for part in parts for one in (part if isinstance(part, list) else [part]) if one]
    return 1 + sum(count for count, _ in below), len(fact.text) + sum(letters for _, letters in below)


def test_objects_are_a_table_with_titled_columns_and_figures():
    fact = facts.fact_of("Items", [{"sku": "A1", "unit_price": 5}, {"sku": "B2", "note": None}])
    assert (fact.kind, [(one.title, one.is_number) for one in fact.columns]) == (
        "table",
        [("Sku", False), ("Unit price", True), ("Note", False)],
    )
    assert [[cell and cell.text for cell in row] for row in fact.items] == [
        ["A1", "5", None],
        ["B2", None, "none"],
    ]


def test_an_object_is_fields_and_a_few_texts_are_one():
    fact = facts.fact_of("To", {"city": {"zip": "80331"}, "is_open": True})
    assert [(one.label, one.kind) for one in fact.items] == [("City", "fields"), ("Is open", "text")]
    assert facts.fact_of("Tags", ["a", "b"]).text == "a, b"
    assert facts.fact_of("Note", "x" * 100_000).text == "x" * 100_000
    assert facts.fact_of("Note", "a\x00b").text == "a\ufffdb"
    assert [facts.fact_of("", one).text for one in ([], {}, None, False)] == ["none", "none", "none", "no"]


@pytest.mark.parametrize("value", NASTY.values(), ids=NASTY)
def test_much_is_little_to_draw(value):
    count, letters = drawn(facts.fact_of("Much", value))
    assert count <= 2 * FACT_PARTS
    assert letters <= FACT_PARTS * FACT_CHARACTERS


def test_what_is_left_out_is_counted():
    fact = facts.fact_of("Rows", NASTY["rows"])
    assert (len(fact.items), fact.hidden, fact.more) == (10, 9_990, 9_900)
    assert facts.fact_of("Wide", NASTY["columns"]).more_columns == 188


def test_what_nests_deeply_is_written_as_it_is_from_some_depth_on():
    value = 1
    for _ in range(60):
        value = {"a": [value]}
    fact, depth = facts.fact_of("Deep", value), 0
    while fact.kind != "code":
        fact, depth = (fact.items[0][0] if fact.kind == "table" else fact.items[0]), depth + 1
    assert depth == FACT_LEVELS
