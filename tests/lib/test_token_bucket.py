"""Token buckets: a burst after a pause, so many a second then, and nobody pays for another."""

from lib import token_bucket
from lib.token_bucket import TokenBuckets


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def taken(buckets, key, times):
    return sum(buckets.take(key) for _ in range(times))


def test_after_a_burst_so_many_a_second_are_let_in():
    clock = Clock()
    buckets = TokenBuckets(10, burst=20, clock=clock)
    assert taken(buckets, "a", 50) == 20
    clock.now += 0.5
    assert taken(buckets, "a", 50) == 5
    clock.now += 3600
    assert taken(buckets, "a", 50) == 20


def test_each_has_a_bucket_of_its_own():
    buckets = TokenBuckets(1, burst=2, clock=Clock())
    assert (taken(buckets, "a", 5), taken(buckets, "b", 5)) == (2, 2)


def test_full_ones_are_forgotten_and_empty_ones_are_not(monkeypatch):
    monkeypatch.setattr(token_bucket, "MOST", 3)
    clock = Clock()
    buckets = TokenBuckets(1, burst=2, clock=clock)
    taken(buckets, "a", 5)
    clock.now += 60
    taken(buckets, "b", 5)
    for key in "cdefg":
        taken(buckets, key, 5)
    assert "a" not in buckets._left
    assert taken(buckets, "b", 5) == 0
