"""Large values, page by page."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.limits import FOUND_VALUES, INDENTED_CHARACTERS
from runs.reading import value_pages
from runs.reading.value_pages import LINES, Line, value_page

JSON = st.recursive(
    st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
)


@given(JSON)
def test_all_pages_together_are_the_value(value):
    first = value_page(value, 1)
    lines = [line.text for page in range(1, first.pages + 1) for line in value_page(value, page).lines]
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    assert "".join(lines) == text.replace("\n", "")
    assert len(lines) == first.total


def test_a_page_that_is_not_there_is_the_nearest_and_what_is_found_says_where_it_stands():
    value = [f"item {number}" for number in range(1000)]
    assert value_page(value, 99).page == value_page(value, 0).pages == 6
    (found,) = value_page(value, 1, "ITEM 999").lines
    assert found.page == 6
    assert found in value_page(value, 6).lines
    assert value_page("x" * 1_000_000, 1).lines[-1].number == LINES


def test_no_more_lines_are_kept_than_are_shown(monkeypatch):
    kept: list[int] = []

    def line(number: int, text: str, page: int) -> Line:
        kept.append(number)
        return Line(number, text, page)

    monkeypatch.setattr(value_pages, "Line", line)
    found = value_page([1] * (INDENTED_CHARACTERS // 3 + 1), 3, "1, 1")
    assert len(found.lines) == len(kept) == FOUND_VALUES < found.total
    assert value_page("x\n" * INDENTED_CHARACTERS, 2).total == INDENTED_CHARACTERS + 1
    assert kept[FOUND_VALUES:] == list(range(LINES + 1, 2 * LINES + 1))


@pytest.mark.parametrize("looked_for", ["", "item"])
@pytest.mark.parametrize("page", [1, 3, 99])
def test_a_value_is_gone_through_once(page, looked_for, monkeypatch):
    gone_through: list[str] = []
    lines = value_pages._lines
    monkeypatch.setattr(value_pages, "_lines", lambda text: gone_through.append(text) or lines(text))
    assert value_page([f"item {number}" for number in range(1000)], page, looked_for).pages == 6
    assert len(gone_through) == 1


def test_a_value_of_millions_of_items_is_not_indented():
    count = INDENTED_CHARACTERS // len("1, ")
    assert value_page([1] * count, 1).lines[1].text.strip() == "1,"
    assert value_page([1] * (count + 1), 1).lines[0].text.startswith("[1, 1, 1")
