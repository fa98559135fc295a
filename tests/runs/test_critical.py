"""Which steps a run took as long as it did for, for any graph and any times."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from runs.reading.critical import critical_path

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
Drawn = tuple[dict[str, tuple[datetime, datetime]], dict[str, list[str]]]


def at(seconds: float) -> datetime:
    return BEGIN + timedelta(seconds=seconds)


@st.composite
def runs(draw) -> Drawn:
    """Steps that each begin when the last of some earlier ones has ended."""
    spans: dict[str, tuple[datetime, datetime]] = {}
    before: dict[str, list[str]] = {}
    for number in range(draw(st.integers(1, 12))):
        name = f"s{number}"
        before[name] = sorted(draw(st.sets(st.sampled_from(sorted(spans)), max_size=3))) if spans else []
        start = max((spans[each][1] for each in before[name]), default=BEGIN)
        start += timedelta(seconds=draw(st.integers(0, 3)))
        spans[name] = (start, start + timedelta(seconds=draw(st.integers(0, 60))))
    return spans, before


@given(runs())
def test_it_leads_along_edges_to_what_ended_last_and_each_waited_for_the_one_before(drawn):
    spans, before = drawn
    path = critical_path(spans, before)
    assert spans[path[-1]][1] == max(end for _, end in spans.values())
    assert not before[path[0]]
    for former, node in pairwise(path):
        assert former in before[node]
        assert spans[former][1] == max(spans[each][1] for each in before[node])
    assert len(path) == len({*path})


def test_predecessors_that_did_nothing_or_ended_later_are_passed_over():
    spans = {"a": (at(0), at(1)), "late": (at(0), at(9)), "b": (at(1), at(10)), "undo": (at(10), at(30))}
    before = {"b": ["a", "skipped"], "late": [], "a": []}
    assert critical_path(spans, before, apart=["undo"]) == ["a", "b"]
    assert critical_path({}, {}) == []
