"""Branches and transformations whose order can't matter are taken from a map; others are refused."""

import pytest

from rpc.branches import may_overlap, may_see, ordered


@pytest.mark.parametrize(
    "conditions",
    [
        ["#a == 'x'", "#a != 'x'"],
        ["#a == 'x'", '#a == "y"', "true"],
        ["a < 5", "${a >= 5}"],
        ["a < 5", "a == 5", "a > 5"],
        ["#go", "!#go"],
        ["#go == true", "${!go}"],
        ["#flag == true", "#flag == false"],
        ["a == 5", "a != 5.0"],
        ["anything(at, all) || b"],
        [],
    ],
)
def test_these_can_stand_in_any_order(conditions):
    assert may_overlap(conditions) is None


@pytest.mark.parametrize(
    "conditions",
    [
        ["a <= 5", "a >= 5"],
        ["a > 5", "a < 9"],
        ["a == 5", "a <= 5"],
        ["#a == 1", "#b == 2"],
        ["#a != 'x'", "#a != 'y'"],
        ["#a == 'x'", "#a != 'y'"],
        ["a || b", "c"],
        ["#a == 'x' && b", "#a == 'y'"],
        ["#go", "#go == true"],
    ],
)
def test_these_could_hold_at_once(conditions):
    assert set(may_overlap(conditions)) == set(conditions)


def test_the_default_comes_last():
    assert ordered(["true", "b", "a"]) == ["a", "b", "true"]


def test_what_sees_another_is_found():
    assert may_see([("a", "${x + 1}"), ("b", "${x}"), ("c", "c")]) is None
    assert may_see([("a", "${x + 1}"), ("b", "${a * 2}")]) == ("b", "a")
