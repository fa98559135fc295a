"""Whether it is time for a broker: three signals made of samples, and what follows from them (R-175); pure.

Samples are taken together by the quarter of an hour, so that no moment decides.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby
from statistics import median, median_low

from runs.store.dispatch import Sample

QUARTER = timedelta(minutes=15)
LEAST = 5
"""So many samples at least make a quarter of an hour; one with fewer tells nothing yet."""
GAP = timedelta(minutes=10)
"""Between two samples of a host that lie further apart nothing is known."""
LOCKED_SHARE = 0.1
"""Sessions that wait for locks, as a share of the workers: more is too many."""
CONTENDED_SHARE = 0.1
"""Polls that found everything locked, as a share of those that found anything: more is too many."""
A_WORKER = 100
"""So many ready steps for each worker are plenty: as many as each of them claims at once."""
MOST_READY = 10_000
"""Ready steps are counted up to so many, and so many are plenty for any number of workers."""
MORE_WORKERS = 1.25
"""Workers are more than before from so many times as many on; fewer would be lost in what varies anyway."""
GAIN = 0.25
"""More workers must end at least this share of what as many of those before them did."""
LOOK_BACK = timedelta(days=1)
"""With quarters of so long ago steps per second are compared."""
TOGETHER = timedelta(hours=1)
BROKER_FROM = 3_000
"""Steps a second below which a broker is no answer."""


@dataclass(frozen=True, slots=True)
class Minute:
    """A sample, and what its host has counted since it kept one before; None where that is not known.

    `per_second`: steps that ended, on all hosts; of other hosts each worker is taken for one of the host that counts.
    `polls` found steps or had to leave them to others; `contended` of them did the latter.
    """

    at: datetime
    workers: int
    lock_waits: int
    ready: int
    per_second: float | None
    polls: int | None
    contended: int | None

    @property
    def contended_share(self) -> float | None:
        """The share of polls that found everything locked; None where nobody polled in vain or otherwise."""
        return None if not self.polls or self.contended is None else self.contended / self.polls


@dataclass(frozen=True, slots=True)
class Quarter:
    """A quarter of an hour, from `at` on: the medians of its minutes. The last one may still go on, to `until`."""

    at: datetime
    until: datetime
    workers: int
    lock_waits: int
    ready: int
    per_second: float | None
    contended_share: float | None
    is_counted: bool

    @property
    def is_plenty(self) -> bool:
        """Whether more steps were ready than all workers can claim at once."""
        return self.ready >= min(A_WORKER * max(self.workers, 1), MOST_READY)


@dataclass(frozen=True, slots=True)
class Signal:
    """`holds`: None where it can't be told. `value` and `limit` are in sessions, steps a second, or as a share.

    `before`: with what `value` is compared, for the plateau.
    """

    name: str
    holds: bool | None
    value: float | None
    limit: float | None
    before: Quarter | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """The three signals in a quarter of an hour, and since when each holds without a break."""

    quarter: Quarter
    signals: tuple[Signal, Signal, Signal]
    since: tuple[datetime | None, datetime | None, datetime | None]
    together_since: datetime | None

    @property
    def is_together(self) -> bool:
        """Whether all three hold together for so long that it is no moment."""
        return self.together_since is not None and self.quarter.until - self.together_since >= TOGETHER

    @property
    def is_large(self) -> bool:
        """Whether so many steps end that a broker may be an answer."""
        return (self.quarter.per_second or 0.0) >= BROKER_FROM

    @property
    def wants_broker(self) -> bool:
        """Whether a broker may help."""
        return self.is_together and self.is_large


def minutes(samples: Sequence[Sample]) -> list[Minute]:
    """What each sample tells, in their order."""
    series, by_host = [], dict[str, Sample]()
    for one in samples:
        # Of several hosts now this one does the duty, now that one.
        series.append(_minute(one, by_host.get(one.host)))
        by_host[one.host] = one
    return series


def _minute(one: Sample, before: Sample | None) -> Minute:
    workers = one.processes + one.outside
    finished, polls, contended = _counted(one, before)
    # The hosts beside the one that counts do as much for each of their workers.
    hosts = one.processes / one.processes_here if 0 < one.processes_here < one.processes else 1.0
    seconds = (one.at - before.at).total_seconds() if before else 0.0
    rate = None if finished is None or seconds <= 0 else finished / seconds * hosts
    return Minute(one.at, workers, one.lock_waits, one.ready, rate, polls, contended)


def _counted(one: Sample, before: Sample | None) -> tuple[int | None, int | None, int | None]:
    """What was counted in between; nothing is known where a start began anew with 0."""
    if before is None or one.at - before.at > GAP:
        return None, None, None
    finished = _grown(one.finished, before.finished)
    claims, contended = _grown(one.claims, before.claims), _grown(one.contended, before.contended)
    if finished is None or claims is None or contended is None:
        return None, None, None
    return finished, claims + contended, contended


def _grown(now: int | None, then: int | None) -> int | None:
    return None if now is None or then is None or now < then else now - then


def quarters(of: Sequence[Minute]) -> list[Quarter]:
    """The quarters of an hour of these minutes, as far as there are enough of them."""
    grouped = ([*group] for _, group in groupby(of, lambda minute: _quarter_of(minute.at)))
    return [_quarter(group) for group in grouped if len(group) >= LEAST]


def _quarter_of(at: datetime) -> datetime:
    seconds = QUARTER.total_seconds()
    return datetime.fromtimestamp(at.timestamp() // seconds * seconds, UTC)


def _quarter(group: Sequence[Minute]) -> Quarter:
    rates = [minute.per_second for minute in group if minute.per_second is not None]
    polls = [minute.polls for minute in group if minute.polls is not None]
    contended = sum(minute.contended or 0 for minute in group)
    return Quarter(
        at=_quarter_of(group[0].at),
        until=group[-1].at,
        workers=median_low(minute.workers for minute in group),
        lock_waits=median_low(minute.lock_waits for minute in group),
        ready=median_low(minute.ready for minute in group),
        per_second=median(rates) if rates else None,
        contended_share=contended / sum(polls) if sum(polls) else None,
        is_counted=bool(rates),
    )


def lock_waits(now: Quarter) -> Signal:
    """More sessions wait for locks than a tenth of the workers."""
    limit = LOCKED_SHARE * now.workers
    return Signal("lock_waits", now.lock_waits > limit, now.lock_waits, limit)


def plateau(now: Quarter, earlier: Sequence[Quarter]) -> Signal:
    """Steps per second no longer rise with more workers, while steps are plenty.

    Compared is with the quarters of the day before in which there were fewer workers and plenty to do: those with the
    most of such workers, the latest of them. Where there are none it can't be told.
    """
    if now.per_second is None:
        return Signal("plateau", None, None, None)
    if not now.is_plenty:
        return Signal("plateau", False, now.per_second, None)
    fewer = [
        one
        for one in earlier
        if now.at - one.at <= LOOK_BACK
        and one.per_second is not None
        and one.is_plenty
        and 0 < one.workers * MORE_WORKERS <= now.workers
    ]
    if not fewer:
        return Signal("plateau", None, now.per_second, None)
    before = max(fewer, key=lambda one: (one.workers, one.at))
    limit = (before.per_second or 0.0) * (1 + GAIN * (now.workers / before.workers - 1))
    return Signal("plateau", now.per_second < limit, now.per_second, limit, before)


def contended(now: Quarter) -> Signal:
    """Polls find everything locked although steps are plenty."""
    if not now.is_counted:
        return Signal("contended", None, None, CONTENDED_SHARE)
    share = now.contended_share or 0.0
    return Signal("contended", share > CONTENDED_SHARE and now.is_plenty, share, CONTENDED_SHARE)


def signals(now: Quarter, earlier: Sequence[Quarter]) -> tuple[Signal, Signal, Signal]:
    """All three, in a quarter of an hour; `earlier`: those before it, in their order."""
    return lock_waits(now), plateau(now, earlier), contended(now)


def standing(of: Sequence[Quarter]) -> Standing | None:
    """How it stands in the last of these quarters, and since when; None where there is none."""
    if not of:
        return None
    by_quarter = [signals(one, of[:place]) for place, one in enumerate(of)]
    since = [_since(of, [bool(one[place].holds) for one in by_quarter]) for place in range(3)]
    together = _since(of, [all(signal.holds for signal in one) for one in by_quarter])
    return Standing(of[-1], by_quarter[-1], (since[0], since[1], since[2]), together)


def _since(of: Sequence[Quarter], holds: Sequence[bool]) -> datetime | None:
    """Since when it has held without a break; None where it doesn't. A quarter of which nothing is known is a break."""
    since = None
    for quarter, does_hold in zip(reversed(of), reversed(holds), strict=True):
        if not does_hold or (since is not None and since - quarter.at > QUARTER):
            break
        since = quarter.at
    return since
