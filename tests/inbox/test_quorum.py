"""What votes come to: laws of the pure counting, with random people and rules."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks_inbox.eligibility.quorum import Elector, Vote, needs_several, verdict

OUTCOMES = ["approved", "rejected", "later"]
GROUPS = ["legal", "finance", "risk"]

people = st.lists(st.frozensets(st.sampled_from(GROUPS)), min_size=1, max_size=6).map(
    lambda groups: [Elector(f"p{n}", keys) for n, keys in enumerate(groups)]
)
needs = st.integers(1, 6) | st.just("all") | st.sampled_from(["1%", "34%", "50%", "100%"])
rules = st.builds(
    lambda need, rule: {"need": need, "rule": rule}, needs, st.sampled_from(["veto", "majority"])
) | st.builds(
    lambda groups: {"groups": groups, "rule": "veto"},
    st.dictionaries(st.sampled_from(["Legal", "FINANCE", "Risk"]), st.integers(1, 3), min_size=1),
)


def pro(*electors):
    return [Vote(elector, "approved") for elector in electors]


def seats(groups, electors):
    """By brute force: whether different people can fill every seat."""
    wanted = [name.lower() for name, count in groups.items() for _ in range(count)]
    return any(
        all(group in person.groups for group, person in zip(wanted, chosen, strict=True))
        for chosen in permutations(electors, len(wanted))
    )


@given(people, rules)
def test_all_in_favour_reach_it_exactly_where_it_can_be_reached(electors, rule):
    found = verdict(rule, OUTCOMES, pro(*electors), electors)
    assert (found.outcome == "approved") == found.is_possible
    assert verdict(rule, OUTCOMES, [], electors).is_possible == found.is_possible


@given(people, rules, st.data())
def test_more_in_favour_never_take_a_decision_back(electors, rule, data):
    some = data.draw(st.integers(0, len(electors)))
    reached = [
        verdict(rule, OUTCOMES, pro(*electors[:n]), electors).outcome for n in range(some, len(electors) + 1)
    ]
    assert reached == sorted(reached, key=lambda outcome: outcome is not None)


@given(people, rules, st.permutations(range(6)))
def test_the_order_of_votes_in_favour_makes_no_difference(electors, rule, order):
    mixed = [electors[n] for n in order if n < len(electors)]
    first, second = (verdict(rule, OUTCOMES, pro(*some), electors) for some in (electors, mixed))
    # Of several ways to seat them each is as good.
    assert (first.outcome, first.is_possible) == (second.outcome, second.is_possible)
    assert first.state["have"] == second.state["have"]


@given(people, st.dictionaries(st.sampled_from(GROUPS), st.integers(1, 2), min_size=1))
def test_one_person_fills_one_seat(electors, groups):
    found = verdict({"groups": groups, "rule": "veto"}, OUTCOMES, pro(*electors), electors)
    assert (found.outcome == "approved") == seats(groups, electors)


@given(people, rules)
def test_by_veto_one_other_outcome_is_enough(electors, rule):
    found = verdict({**rule, "rule": "veto"}, OUTCOMES, [Vote(electors[0], "later")], electors)
    assert found.outcome == "later"


@pytest.mark.parametrize(
    ("rule", "votes", "outcome"),
    [
        ({"need": 2, "rule": "majority"}, "ar", None),
        ({"need": 2, "rule": "majority"}, "ara", "approved"),
        ({"need": 2, "rule": "majority"}, "rr", "rejected"),
        ({"need": 4, "rule": "majority"}, "r", None),
        ({"need": 4, "rule": "majority"}, "rl", "rejected"),
        ({"need": "all", "rule": "majority"}, "ar", "rejected"),
        ({"need": "50%", "rule": "veto"}, "aa", None),
        ({"need": "50%", "rule": "veto"}, "aaa", "approved"),
        ({"need": "all", "rule": "veto"}, "aaaa", None),
        ({"need": "all", "rule": "veto"}, "aaaaa", "approved"),
    ],
)
def test_of_five_people(rule, votes, outcome):
    electors = [Elector(f"p{n}") for n in range(5)]
    letters = {"a": "approved", "r": "rejected", "l": "later"}
    cast = [Vote(elector, letters[one]) for elector, one in zip(electors, votes, strict=False)]
    assert verdict(rule, OUTCOMES, cast, electors).outcome == outcome


def test_who_left_after_deciding_still_counts_and_who_left_before_does_not():
    electors = [Elector("a"), Elector("b")]
    found = verdict({"need": "all", "rule": "veto"}, OUTCOMES, pro(Elector("gone"), *electors), electors)
    assert (found.outcome, found.state["may"]) == ("approved", 3)
    assert not verdict({"need": 3, "rule": "veto"}, OUTCOMES, [], electors).is_possible


@pytest.mark.parametrize(
    ("rule", "several"),
    [
        (None, False),
        ({"need": 1, "rule": "veto"}, False),
        ({"need": 2}, True),
        ({"need": "all"}, True),
        ({"groups": {"Legal": 1}}, True),
    ],
)
def test_whether_several_decide(rule, several):
    assert needs_several(rule) == several
