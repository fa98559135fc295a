"""What `make test` shows of a family, and what it leaves to `make exhaustive`."""

from itertools import pairwise

import pytest

from tests.families import is_asked_for, shown


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 100])
@pytest.mark.parametrize("most", [1, 2, 3, 20])
def test_so_many_are_shown_evenly_spread_and_the_others_left_to_exhaustive(count, most):
    family = shown(range(count), most)
    places = [place for place, one in enumerate(family) if isinstance(one, int)]
    assert len(family) == count
    assert len(places) == min(count, most)
    gaps = {after - before for before, after in pairwise(places)}
    assert not gaps or max(gaps) - min(gaps) <= 1
    assert not places or places[0] == 0
    assert most == 1 or not places or places[-1] == count - 1


def test_what_is_left_out_is_the_same_case_with_a_mark_more():
    a, b, c = shown([("a", 1), pytest.param("b", 2, id="two", marks=pytest.mark.slow), "c"], 2)
    assert (a, c) == (("a", 1), "c")
    assert (b.values, b.id, {mark.name for mark in b.marks}) == (("b", 2), "two", {"slow", "exhaustive"})
    assert shown([("a", 1), ("b", 2)], 1)[1].values == ("b", 2)


@pytest.mark.parametrize(
    ("marks", "expression", "runs"),
    [
        ("", "", True),
        ("slow", "not browser", True),
        ("exhaustive", "", False),
        ("exhaustive browser", "exhaustive", True),
        ("exhaustive slow", "exhaustive or not exhaustive", True),
        ("soak", "exhaustive", False),
        ("exhaustive soak", "exhaustive", False),
        ("exhaustive soak", "soak", True),
        ("exhaustive kafka processes", "kafka", True),
        ("exhaustive kafka", "", False),
        ("soak kafka", "kafka", False),
    ],
)
def test_a_test_runs_where_what_it_needs_is_asked_for(marks, expression, runs):
    """No test is in a place where nobody can run it: what is `exhaustive` and `kafka` is for `make kafka`."""
    assert is_asked_for({*marks.split()}, expression) is runs
