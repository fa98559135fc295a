"""Large values, page by page."""

import json

from hypothesis import given
from hypothesis import strategies as st

from runs.reading.value_pages import LINES, value_page

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
