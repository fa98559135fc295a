"""An order for branches and transformations that come in a map, and whether it may matter."""

import pytest

from integrations.rochallor import branches
from integrations.rochallor.branches import in_order_of_need, may_overlap, ordered


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
        ["#a == 'x'", "#a == true", "a < 5", "a == 5", "a == 7", "a > 7"],
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


@pytest.mark.parametrize(
    ("conditions", "both"),
    [
        (["a < 1", "a == 5", "a >= 5", "a == 2"], {"a == 5", "a >= 5"}),
        (["a != 5", "a == 5", "a == 5.0"], {"a == 5", "a == 5.0"}),
        (["a != 5", "a == 5", "a == 6"], {"a != 5", "a == 6"}),
        (["a == 1", "a == 2", "b == 1"], {"a == 1", "b == 1"}),
        (["a == 1", "a == 2", "(b)"], {"(b)", "a == 1"}),
    ],
)
def test_of_many_those_that_overlap_are_named(conditions, both):
    assert set(may_overlap(conditions)) == both


def test_each_of_many_conditions_is_read_once_and_compared_with_its_neighbour(monkeypatch):
    read, compared, one_range, alone = [], [], branches._range, branches._Range.leaves_alone
    monkeypatch.setattr(branches, "_range", lambda text: read.append(text) or one_range(text))
    monkeypatch.setattr(
        branches._Range, "leaves_alone", lambda one, other: compared.append(one) or alone(one, other)
    )
    assert may_overlap([f"#x == '{number}'" for number in range(2_000)]) is None
    assert (len(read), len(compared)) == (2_000, 1_999)


class Name(str):
    """A text that counts how often it is compared for its place."""

    compared = 0

    def __lt__(self, other):
        Name.compared += 1
        return super().__lt__(other)


def test_many_that_see_one_another_in_a_row_are_each_sorted_once():
    names = [Name(f"v{number}") for number in range(2_000)]
    texts = {one: f"${{{names[at - 1]}}}" if at else "1" for at, one in enumerate(names)}
    assert in_order_of_need(texts) == names
    assert Name.compared < 10 * len(names)
