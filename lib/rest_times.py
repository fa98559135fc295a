"""How long something still takes that is at one of its parts for so long already, by how long it took before. Pure.

Times are counted by buckets of which so many double a time. Between the ends of a bucket they lie evenly; behind the
longest time that was ever counted it is as if they thinned out by a power, as they do before it.

What is still at a part after an hour is told by what was there for an hour, too: whatever left it sooner went on in
another way.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from itertools import accumulate
from math import floor, log, log2

PER_OCTAVE = 6
"""So many buckets double a time: the ends of one are 12 % apart."""
COARSE = 3
"""So many of them are one, where it is told how long something was at a part."""
ENOUGH = 10
"""Of fewer that were there for so long nothing is told; what was there for less long counts with them, then."""
THICKEST, THINNEST = 1.0, 8.0
"""Between these powers times thin out: by the first, what took longer than all others so far takes as long again."""
UPPER = 0.9
"""By the times behind this share of them it is found how they thin out."""


def bucket_of(seconds: float) -> int:
    """The bucket of a time; all below a millisecond have the first one."""
    milliseconds = 1000 * seconds
    return 0 if milliseconds < 1 else 1 + floor(PER_OCTAVE * log2(milliseconds) + 1e-9)


def bounds(bucket: int) -> tuple[float, float]:
    """Between how many seconds the times of a bucket lie."""
    upper = 2.0 ** (bucket / PER_OCTAVE) / 1000
    return (0.0 if bucket == 0 else 2.0 ** ((bucket - 1) / PER_OCTAVE) / 1000), upper


def coarse_of(seconds: float) -> int:
    """The coarse bucket of a time."""
    return (bucket_of(seconds) + COARSE - 1) // COARSE


class Times:
    """What times there were, by bucket: one at least."""

    def __init__(self, counts: Mapping[int, int]) -> None:
        there = sorted((bucket, times) for bucket, times in counts.items() if times > 0)
        self.total = sum(times for _, times in there)
        # The next time is as likely to be longer than all as to lie between any two of them.
        self._ends, self._left = [0.0], [1.0]
        upto = accumulate(times for _, times in there)
        for (bucket, times), until in zip(there, upto, strict=True):
            lower, upper = bounds(bucket)
            self._ends += [lower, upper]
            self._left += [1 - (until - times) / (self.total + 1), 1 - until / (self.total + 1)]
        self._power = _power(there, self.total)

    def share_beyond(self, seconds: float) -> float:
        """Which share of all times is longer than this."""
        if seconds <= 0:
            return 1.0
        place = bisect_right(self._ends, seconds)
        if place == len(self._ends):
            return float(self._left[-1] * (self._ends[-1] / seconds) ** self._power)
        (begin, end), (more, less) = self._ends[place - 1 : place + 1], self._left[place - 1 : place + 1]
        return more - (more - less) * (seconds - begin) / (end - begin)

    def quantile(self, share: float, passed: float) -> float:
        """Of what has gone on for `passed` seconds: the time that this share of it takes at most, from its beginning.

        It is never less than `passed`, and doesn't become less as time passes.
        """
        left = self.share_beyond(passed) * (1 - share)
        if left < self._left[-1]:
            return max(passed, float(self._ends[-1] * (self._left[-1] / left) ** (1 / self._power)))
        # What is left falls from end to end.
        place = bisect_right(self._left, -left, key=float.__neg__)
        before = bisect_right(self._left, -left - 1e-15, key=float.__neg__)
        if before < place:
            return max(passed, self._ends[before])
        (begin, end), (more, less) = self._ends[place - 1 : place + 1], self._left[place - 1 : place + 1]
        return max(passed, begin + (end - begin) * (more - left) / (more - less))

    def risk(self, until: float, passed: float) -> float:
        """How likely what has gone on for `passed` seconds takes more than `until` of them, from its beginning."""
        return 1.0 if until <= passed else min(1.0, self.share_beyond(until) / self.share_beyond(passed))


class RestTimes:
    """How often something that was at a part for a time went on for another from when it came there, by the coarse
    bucket of the one and the bucket of the other: once at least.
    """

    def __init__(self, counts: Mapping[tuple[int, int], int]) -> None:
        self.total = sum(counts.values())
        lengths = sorted({coarse for coarse, _ in counts})
        # Who was there for longer than all that are shorter, with those that are left then.
        self._edges = [0.0, *(bounds(COARSE * coarse)[1] for coarse in lengths[:-1])]
        self._times: list[Times] = []
        left: Counter[int] = Counter()
        for coarse in reversed(lengths):
            left.update({bucket: times for (there, bucket), times in counts.items() if there == coarse})
            if left.total() >= ENOUGH or coarse == lengths[0]:
                self._times.insert(0, Times(left))
        del self._edges[len(self._times) :]
        self._before: dict[float, list[float]] = {}

    def quantile(self, share: float, passed: float) -> float:
        """As `Times` has it, of what has been at the part for `passed` seconds."""
        place = bisect_right(self._edges, passed) - 1
        return max(self._least(share)[place], self._times[place].quantile(share, passed))

    def risk(self, until: float, passed: float) -> float:
        """As `Times` has it, of what has been at the part for `passed` seconds."""
        return self._times[bisect_right(self._edges, passed) - 1].risk(until, passed)

    def _least(self, share: float) -> list[float]:
        """By edge what was told until then: what goes on doesn't end earlier for it."""
        if share not in self._before:
            quantiles = [
                times.quantile(share, end) for times, end in zip(self._times, self._edges[1:], strict=False)
            ]
            self._before[share] = [0.0, *accumulate(quantiles, max)]
        return self._before[share]


def _power(there: list[tuple[int, int]], total: int) -> float:
    """By which power the longest of these times thin out (Hill's estimate), within bounds."""
    upto = list(accumulate(times for _, times in there))
    first = next(place for place, until in enumerate(upto) if until >= UPPER * total)
    start = bounds(there[first][0])[0] or bounds(there[first][0])[1] / 2
    many = sum(times for _, times in there[first:])
    logs = sum(times * log(sum(bounds(bucket)) / 2 / start) for bucket, times in there[first:])
    return min(THINNEST, max(THICKEST, many / logs)) if logs > 0 else THINNEST
