"""The three signals for a broker hold when they should, and a broker is advised when all do for an hour (R-175)."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.reading import dispatch_words
from runs.reading.dispatch_signals import (
    BROKER_FROM,
    LEAST,
    QUARTER,
    TOGETHER,
    minutes,
    quarters,
    signals,
    standing,
)
from tests.dispatching import BEFORE, BEGAN, CALM, HARD, samples


def judged(*stretches):
    return standing(quarters(minutes(samples(*stretches))))


def by_name(*stretches):
    return {signal.name: signal for signal in judged(*stretches).signals}


def words(*stretches):
    it = judged(*stretches)
    return {signal.name: dispatch_words.of_signal(signal, it.quarter) for signal in it.signals}


def verdict(*stretches):
    return dispatch_words.of_verdict(judged(*stretches), is_old=False)


@pytest.mark.parametrize(
    ("waiting", "workers", "holds"),
    [(0, 8, False), (1, 10, False), (1, 8, True), (2, 19, True), (1, 0, True)],
)
def test_sessions_wait_for_locks_above_a_tenth_of_the_workers(waiting, workers, holds):
    found = by_name((15, CALM | {"lock_waits": waiting, "workers": workers}))["lock_waits"]
    assert (found.holds, found.value) == (holds, waiting)
    assert found.limit == pytest.approx(workers / 10)


def test_a_moment_in_which_sessions_wait_is_no_sign():
    assert not by_name((8, CALM), (4, CALM | {"lock_waits": 9}), (3, CALM))["lock_waits"].holds


@pytest.mark.parametrize(("rate", "holds"), [(1_000, True), (1_240, True), (1_260, False), (2_000, False)])
def test_twice_the_workers_that_add_less_than_a_quarter_are_on_a_plateau(rate, holds):
    few = BEFORE | {"rate": 1_000, "workers": 4}
    found = by_name((30, few), (30, few | {"workers": 8, "rate": rate}))["plateau"]
    assert found.holds is holds
    assert found.limit == pytest.approx(1_250, rel=0.01)
    assert found.before.workers == 4


def test_compared_is_with_the_most_workers_of_before_that_were_fewer():
    stretches = [(30, HARD | {"workers": count, "rate": 100 * count}) for count in (2, 8, 6, 8, 10)]
    assert by_name(*stretches)["plateau"].before.workers == 8


def test_where_workers_keep_up_more_of_them_would_end_no_more_and_that_is_no_plateau():
    found = by_name((30, BEFORE), (30, HARD | {"ready": 20}))["plateau"]
    assert (found.holds, found.limit) == (False, None)
    assert "keep up" in words((30, BEFORE), (30, HARD | {"ready": 20}))["plateau"]


def test_without_fewer_workers_to_compare_with_a_plateau_cant_be_told():
    for stretches in ([(60, HARD)], [(30, BEFORE | {"workers": 7}), (30, HARD)], [(30, CALM), (30, HARD)]):
        assert by_name(*stretches)["plateau"].holds is None, stretches
    assert "Not known: in the last 24 hours" in words((60, HARD))["plateau"]
    # What was more than a day ago is forgotten.
    assert by_name((30, BEFORE), (26 * 60, HARD))["plateau"].holds is None


@pytest.mark.parametrize(
    ("share", "ready", "holds"),
    [(0.5, 5_000, True), (0.1, 5_000, False), (0.5, 100, False), (0, 5_000, False)],
)
def test_polls_find_everything_locked_although_steps_are_plenty(share, ready, holds):
    found = by_name((20, HARD | {"share": share, "ready": ready}))["contended"]
    assert (found.holds, found.value) == (holds, pytest.approx(share))


def test_for_very_many_workers_as_much_is_plenty_as_is_counted():
    assert by_name((20, HARD | {"workers": 500, "ready": 10_000}))["contended"].holds


def test_all_three_for_an_hour_speak_for_a_broker_and_say_since_when():
    it = judged((60, BEFORE), (90, HARD))
    assert (it.wants_broker, it.together_since) == (True, BEGAN + timedelta(hours=1))
    assert verdict((60, BEFORE), (90, HARD)).startswith("All three signals hold together, at 4000 steps")


def test_less_than_an_hour_or_with_a_quarter_between_it_is_no_time_for_a_broker():
    assert not judged((60, BEFORE), (55, HARD)).wants_broker
    assert "not for an hour yet" in verdict((60, BEFORE), (55, HARD))
    broken = judged((60, BEFORE), (60, HARD), (15, CALM), (45, HARD))
    assert (broken.wants_broker, broken.together_since) == (False, BEGAN + timedelta(minutes=135))


@pytest.mark.parametrize("name", ["lock_waits", "ready", "share"])
def test_two_of_three_are_not_enough(name):
    assert not judged((60, BEFORE), (120, HARD | {name: 0})).wants_broker


def test_below_about_three_thousand_steps_a_second_no_broker_is_advised():
    slow = {"rate": BROKER_FROM - 1_000}
    it = judged((60, BEFORE | slow), (90, HARD | slow))
    assert (it.is_together, it.wants_broker) == (True, False)
    assert "but at only 2000 steps a second" in verdict((60, BEFORE | slow), (90, HARD | slow))


def test_few_samples_tell_nothing():
    assert judged((LEAST - 1, HARD)) is None
    assert quarters(minutes([])) == []
    assert dispatch_words.of_verdict(None, is_old=False) == dispatch_words.NO_SAMPLES
    assert dispatch_words.of_verdict(None, is_old=True) == dispatch_words.OLD_SAMPLES


def test_where_nobody_can_sum_what_is_counted_two_signals_cant_be_told():
    made = [one._replace(finished=None, claims=None, contended=None) for one in samples((90, HARD))]
    it = standing(quarters(minutes(made)))
    assert [signal.holds for signal in it.signals] == [True, None, None]
    assert not it.wants_broker
    assert dispatch_words.of_signal(it.signals[1], it.quarter) == dispatch_words.UNKNOWN_RATE


def test_a_start_anew_another_host_and_a_gap_tell_nothing_of_the_minute_between():
    made = samples((20, HARD))
    anew = [*made[:10], *(one._replace(finished=one.finished - made[10].finished) for one in made[10:])]
    elsewhere = [*made[:10], *(one._replace(host="there") for one in made[10:])]
    late = [*made[:10], *(one._replace(at=one.at + timedelta(minutes=11)) for one in made[10:])]
    for changed in (anew, elsewhere, late):
        told = minutes(changed)
        assert [place for place, minute in enumerate(told) if minute.per_second is None] == [0, 10]


def test_of_two_hosts_that_take_turns_each_counts_by_itself():
    made = samples((20, HARD | {"rate": 100}))
    turns = [one._replace(host=str(place % 2)) for place, one in enumerate(made)]
    assert [minute.per_second for minute in minutes(turns)] == [None, None, *[100] * 18]


def test_a_host_counts_for_the_others_by_their_workers():
    made = [one._replace(processes=8, processes_here=2) for one in samples((2, HARD | {"rate": 100}))]
    assert minutes(made)[-1].per_second == 400


def test_in_words():
    told = words((60, BEFORE), (90, HARD))
    assert told == {
        "lock_waits": "3 sessions wait for a lock, more than a tenth of the 8 workers.",
        "plateau": "8 workers complete 4000 steps a second; 4 completed 3900."
        " The additional ones brought less than a quarter of what they should.",
        "contended": "50 % of the polls that found steps found all of them locked, although 5000 are ready.",
    }
    assert words((20, CALM))["lock_waits"] == "No session waits for a lock."
    assert "the workers lack work" in words((20, HARD | {"ready": 3}))["contended"]
    assert "up to 10 % may" in words((20, HARD | {"share": 0.05}))["contended"]
    assert verdict((20, CALM)) == (
        "None of the three signals holds. Now: 10 steps a second; consider a broker from about 3000."
    )
    assert verdict((20, HARD)) == "Two of the three signals hold."


figures = st.fixed_dictionaries(
    {
        "lock_waits": st.integers(0, 5),
        "workers": st.integers(0, 12),
        "ready": st.sampled_from([0, 50, 2_000, 10_000]),
        "rate": st.sampled_from([0, 5, 2_000, 3_500, 6_000]),
        "share": st.sampled_from([0.0, 0.05, 0.4, 1.0]),
    }
)


@given(
    st.lists(st.tuples(st.integers(3, 80), figures | st.just(HARD) | st.just(BEFORE)), min_size=1, max_size=6)
)
def test_a_broker_is_advised_exactly_when_all_three_held_in_each_quarter_of_the_last_hour(stretches):
    of = quarters(minutes(samples(*stretches)))
    it = standing(of)
    if it is None:
        return
    held = [all(signal.holds for signal in signals(one, of[:place])) for place, one in enumerate(of)]
    begun = len(held)
    while begun and held[begun - 1] and (begun == len(held) or of[begun].at - of[begun - 1].at == QUARTER):
        begun -= 1
    together = begun < len(held) and of[-1].until - of[begun].at >= TOGETHER
    assert it.wants_broker == (together and of[-1].per_second >= BROKER_FROM)
    assert (it.together_since is None) == (not held[-1])
    for place, one in enumerate(it.signals):
        assert (it.since[place] is not None) == bool(one.holds)


@given(st.lists(st.integers(0, 10**9), min_size=2, max_size=30))
def test_whatever_counters_say_no_rate_is_below_nothing(counts):
    made = [
        one._replace(finished=count, claims=count, contended=count)
        for one, count in zip(samples((len(counts), CALM)), counts, strict=True)
    ]
    for minute in minutes(made):
        assert minute.per_second is None or minute.per_second >= 0
        assert minute.contended_share is None or 0 <= minute.contended_share <= 1
