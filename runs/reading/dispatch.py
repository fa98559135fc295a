"""How workers hear of work here, whether that is enough, and whether it is time for a broker (R-175)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings

from engine.catalogue import Json
from lib.clock import now_here
from lib.shared_answers import SharedAnswers
from runs.reading import dispatch_words
from runs.reading.dispatch_signals import (
    LOOK_BACK,
    Minute,
    Quarter,
    Signal,
    Standing,
    minutes,
    quarters,
    standing,
)
from runs.reading.outbox import is_led, outbox_complaint
from runs.store.dispatch import Sample, samples_since
from runs.store.outbox import OutboxStanding, outbox_standing

SHOWN = timedelta(days=1)
OLD = timedelta(minutes=10)
"""A sample that is older tells nothing of now; one is kept each minute."""
STAY, BROKER = "stay", "broker"
SHARED_SECONDS = 1.0
"""All who look are told what was read so long ago at most."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What there is to know; `of_day`, `by_quarter` of the last day, the oldest first. `last` is the newest sample."""

    mode: str
    last: Sample | None
    of_day: Sequence[Minute]
    by_quarter: Sequence[Quarter]
    standing: Standing | None
    is_old: bool

    @property
    def hears(self) -> str:
        """How workers hear of work."""
        return dispatch_words.HEARS[self.mode]

    @property
    def advice(self) -> str:
        """To stay (`STAY`), or that a broker may help (`BROKER`)."""
        return BROKER if self.standing and self.standing.wants_broker and not self.is_old else STAY

    @property
    def reason(self) -> str:
        """Why."""
        return dispatch_words.of_verdict(self.standing, is_old=self.is_old)

    @property
    def since(self) -> datetime | None:
        """Since when all three signals hold together."""
        return self.standing.together_since if self.standing and not self.is_old else None


def facts() -> Facts:
    """All of it; one statement."""
    return _facts(settings.HANDOFF_DISPATCH_MODE)


def _read(mode: str) -> Facts:
    now = now_here()
    # What is a day old is compared with what was a day before.
    samples = samples_since(now - SHOWN - LOOK_BACK)
    every = minutes(samples)
    by_quarter = quarters(every)
    last = samples[-1] if samples else None
    return Facts(
        mode=mode,
        last=last,
        of_day=[one for one in every if one.at > now - SHOWN],
        by_quarter=[one for one in by_quarter if one.at > now - SHOWN],
        standing=standing(by_quarter),
        is_old=last is not None and now - last.at > OLD,
    )


_facts = SharedAnswers(_read, seconds=SHARED_SECONDS)


def outbox() -> OutboxStanding | None:
    """How the outbox stands; None in modes that have none."""
    return outbox_standing() if settings.HANDOFF_BROKER else None


def outbox_told(it: OutboxStanding | None) -> Mapping[str, Json] | None:
    """The same as people read it, by what it is called."""
    if it is None:
        return None
    return {
        "Jobs to be published": it["waiting"],
        "Published, not yet seen to be taken": it["told"],
        "Can’t be published now": it["failing"],
        "Of these set aside": it["aside"],
    }


def _outbox_row(it: OutboxStanding | None) -> dict[str, Json] | None:
    if it is None:
        return None
    return {
        "waiting": it["waiting"],
        "oldest_seconds": it["oldest_seconds"],
        "told": it["told"],
        "failing": it["failing"],
        "aside": it["aside"],
        "led": is_led(it),
        "complaint": outbox_complaint(it),
    }


def row(it: Facts) -> dict[str, Json]:
    """The facts as programs are told them (docs/api.md, "Operations")."""
    last = it.of_day[-1] if it.of_day else None
    return {
        "mode": it.mode,
        "advice": it.advice,
        "reason": it.reason,
        "since": it.since,
        "sampled_at": last.at if last else None,
        "workers": last.workers if last else None,
        "ready": last.ready if last else None,
        "steps_per_second": _to_hundredths(last.per_second) if last else None,
        "hidden_sessions": it.last.hidden_sessions if it.last else None,
        "signals": [
            _signal_row(signal, since, it.standing.quarter)
            for signal, since in zip(it.standing.signals, it.standing.since, strict=True)
        ]
        if it.standing
        else [],
        "samples": [_sample_row(one) for one in it.of_day],
        "outbox": _outbox_row(outbox()),
    }


def _signal_row(signal: Signal, since: datetime | None, now: Quarter) -> dict[str, Json]:
    return {
        "name": signal.name,
        "holds": signal.holds,
        "since": since,
        "value": _to_hundredths(signal.value),
        "limit": _to_hundredths(signal.limit),
        "reason": dispatch_words.of_signal(signal, now),
    }


def _sample_row(one: Minute) -> dict[str, Json]:
    return {
        "at": one.at,
        "workers": one.workers,
        "lock_waits": one.lock_waits,
        "ready": one.ready,
        "steps_per_second": _to_hundredths(one.per_second),
        "contended_share": None if one.contended_share is None else round(one.contended_share, 4),
    }


def _to_hundredths(value: float | None) -> float | None:
    return None if value is None else round(float(value), 2)
