"""Small random tables over a domain that can be listed whole."""

from hypothesis import strategies as st

NUMBERS = st.integers(0, 4)
DOMAINS = {
    # Halves stand for all values between the bounds, -1 and 9 for those outside.
    "number": [-1, *[half / 2 for half in range(9)], 9],
    "text": ["a", "b", "c", "other"],
    "truth": [True, False],
}
_text = st.sampled_from(['"a"', '"b"', '"c"'])
_ordered = st.one_of(
    NUMBERS.map(str),
    st.tuples(st.sampled_from(["<", "<=", ">", ">="]), NUMBERS).map(lambda pair: f"{pair[0]} {pair[1]}"),
    st.tuples(st.sampled_from("[("), NUMBERS, st.integers(1, 3), st.sampled_from("])")).map(
        lambda parts: f"{parts[0]}{parts[1]}..{parts[1] + parts[2]}{parts[3]}"
    ),
)


def _lists(test):
    listed = st.lists(test, min_size=1, max_size=3).map(", ".join)
    return st.one_of(st.just("-"), listed, listed.map(lambda text: f"not({text})"))


CELLS = {
    "number": _lists(_ordered),
    "text": _lists(_text),
    "truth": st.sampled_from(["true", "false", "-"]),
}


@st.composite
def tables(draw, hits=("first", "unique", "collect")):
    """Kinds of the conditions, and params of a table of them; a table names all bounds of a kind or none."""
    kinds = draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=3))
    columns = [{"title": f"c{at}", "when": f"input.c{at}"} for at in range(len(kinds))]
    rows = draw(st.lists(st.tuples(*(CELLS[kind] for kind in kinds)), max_size=6))
    results = [[*row, at] for at, row in enumerate(rows)]
    return kinds, {"columns": [*columns, {"set": "at"}], "rows": results, "hit": draw(st.sampled_from(hits))}
