"""How long something still takes: never less than it took, no end that comes earlier as time passes."""

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.rest_times import COARSE, RestTimes, Times, bounds, bucket_of, coarse_of

COUNTS = st.dictionaries(st.integers(0, 400), st.integers(1, 1_000), min_size=1, max_size=40)
AT_PARTS = st.dictionaries(
    st.tuples(st.integers(0, 60), st.integers(0, 300)), st.integers(1, 100), min_size=1, max_size=40
)
PASSED = st.floats(0, 1e12)
SHARES = st.floats(0.01, 0.99)


def times(*seconds: float) -> Times:
    counts: dict[int, int] = {}
    for each in seconds:
        counts[bucket_of(each)] = counts.get(bucket_of(each), 0) + 1
    return Times(counts)


@given(st.floats(0, 1e10))
def test_a_time_lies_between_the_ends_of_its_bucket(seconds):
    lower, upper = bounds(bucket_of(seconds))
    assert lower * (1 - 1e-9) <= seconds <= upper * (1 + 1e-9)


@given(COUNTS, PASSED, SHARES, SHARES)
def test_more_likely_ends_are_later_and_none_is_before_now(counts, passed, one, other):
    rest = Times(counts)
    less, more = sorted((one, other))
    assert passed <= rest.quantile(less, passed) <= rest.quantile(more, passed)


@given(COUNTS, PASSED, PASSED, SHARES)
def test_no_end_comes_earlier_as_time_passes(counts, one, other, share):
    rest = Times(counts)
    less, more = sorted((one, other))
    assert rest.quantile(share, less) <= rest.quantile(share, more) * (1 + 1e-9)


@given(COUNTS, PASSED, SHARES)
def test_what_is_told_by_a_share_is_missed_by_the_rest(counts, passed, share):
    rest = Times(counts)
    end = rest.quantile(share, passed)
    if passed < 0.99 * end < 1e15:
        assert rest.risk(end, passed) <= 1 - share + 1e-6
        assert rest.risk(0.99 * end, passed) >= rest.risk(end, passed)
    assert rest.risk(passed, passed) == 1


@given(COUNTS, PASSED, PASSED)
def test_fewer_are_longer(counts, one, other):
    rest = Times(counts)
    less, more = sorted((one, other))
    assert 0 <= rest.share_beyond(more) <= rest.share_beyond(less) <= 1


def test_quantiles_are_those_of_the_times_that_there_were():
    rest = times(*(10 * 1.01**place for place in range(1000)))
    for share in (0.1, 0.5, 0.9, 0.95):
        assert rest.quantile(share, 0) == pytest.approx(10 * 1.01 ** (1000 * share), rel=0.05)


def test_of_two_kinds_the_slow_one_is_left_when_the_quick_one_would_be_over():
    rest = times(*[60.0] * 700, *[86_400.0] * 300)
    assert rest.quantile(0.5, 0) == pytest.approx(60, rel=0.1)
    assert rest.quantile(0.5, 300) == pytest.approx(86_400, rel=0.1)


def test_what_took_longer_than_all_others_is_told_by_how_the_others_thin_out():
    steady = times(*[100.0] * 200)
    assert 1000 < steady.quantile(0.9, 1000) < 1500
    wild = times(*((1 - place / 1000) ** -1.0 for place in range(1000)))
    assert wild.quantile(0.5, 1e6) == pytest.approx(2e6, rel=0.3)


def test_few_times_promise_less():
    few, many = times(*[100.0] * 20), times(*[100.0] * 2000)
    assert few.quantile(0.9, 0) >= many.quantile(0.9, 0)
    assert log(few.quantile(0.99, 0)) > log(many.quantile(0.99, 0))


@given(AT_PARTS, PASSED, PASSED, SHARES, SHARES)
def test_the_same_holds_of_what_is_at_a_part(counts, one, other, fewer, more):
    rest = RestTimes(counts)
    (less, long), (low, high) = sorted((one, other)), sorted((fewer, more))
    assert less <= rest.quantile(low, less) <= rest.quantile(high, less)
    assert rest.quantile(low, less) <= rest.quantile(low, long) * (1 + 1e-9)
    assert 0 <= rest.risk(long, less) <= 1
    assert rest.total == sum(counts.values())


@given(st.floats(0, 1e9))
def test_a_coarse_bucket_is_some_buckets(seconds):
    assert coarse_of(seconds) == -(-bucket_of(seconds) // COARSE)


def test_what_is_still_at_a_part_is_told_by_what_was_there_as_long():
    # It is there for a minute or a day, and then it takes an hour.
    counts = {(coarse_of(each), bucket_of(each + 3600)): 100 for each in (60.0, 86_400.0)}
    rest = RestTimes(counts)
    assert rest.quantile(0.4, 0) == pytest.approx(3660, rel=0.1)
    assert rest.quantile(0.1, 120) == pytest.approx(90_000, rel=0.1)
    assert rest.risk(80_000, 0) == pytest.approx(0.5, abs=0.01)
    assert rest.risk(80_000, 120) == pytest.approx(1, abs=0.01)
