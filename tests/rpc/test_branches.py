"""An order for branches and transformations that come in a map, and whether it may matter."""

import pytest

from rpc.branches import in_order_of_need, may_overlap, ordered


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


def test_what_is_set_comes_behind_what_it_sees():
    assert in_order_of_need({"b": "${x}", "a": "${x + 1}", "c": "c"}) == ["a", "b", "c"]
    assert in_order_of_need({"a": "${b * 2}", "b": "${c}", "c": "${c + 1}"}) == ["c", "b", "a"]
    assert in_order_of_need({"a": "${b}", "b": "${a}"}) is None
