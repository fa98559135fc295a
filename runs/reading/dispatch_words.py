"""What the signals for a broker say in plain words; pure."""

import json

from lib.reader import number_text
from runs.reading.dispatch_signals import BROKER_FROM, CONTENDED_SHARE, MOST_READY, Quarter, Signal, Standing

TITLES = {
    "lock_waits": "Sessions wait for locks",
    "plateau": "More workers, no more throughput",
    "contended": "Polls find everything locked",
}
HEARS = {
    "hints": "Celery’s messages through Redis tell workers that a queue has work; what gets lost they find by looking.",
    "polling": "PostgreSQL’s NOTIFY tells workers that a queue has work, and they look for themselves every 5 seconds.",
    "redis_outbox": "Handoff’s own workers hear by PostgreSQL’s NOTIFY; a relay tells others of jobs through Redis.",
    "kafka_outbox": "Handoff’s own workers hear by PostgreSQL’s NOTIFY; a relay tells others of jobs through Kafka.",
}
"""How workers hear of work, by the mode."""
NO_SAMPLES = "Not enough samples yet: one is taken each minute, and five within 15 minutes are needed."
OLD_SAMPLES = "The last sample is too old: are any workers running? They take one each minute."
UNKNOWN_RATE = "The number of steps a second is not known."
_HOW_MANY = (
    "None of the three signals holds.",
    "One of the three signals holds.",
    "Two of the three signals hold.",
)
_WHOLE_FROM = 10


def rounded(value: float) -> float:
    """A number as it is told: whole from ten on, and below that with one digit behind the point at most."""
    short = round(value, 1)
    return round(value) if value >= _WHOLE_FROM or short == int(short) else short


def written(value: float) -> str:
    """The same as whoever reads writes numbers."""
    return number_text(json.dumps(rounded(value)))


def per_cent(share: float) -> str:
    """A share of 1 in per cent."""
    return f"{written(100 * share)} %"


def of_signal(signal: Signal, now: Quarter) -> str:
    """A signal in a sentence or two."""
    return _WORDS[signal.name](signal, now)


def _of_lock_waits(signal: Signal, now: Quarter) -> str:
    value = signal.value or 0.0
    waits = f"{written(value)} session{'' if value == 1 else 's'} wait{'s' if value == 1 else ''} for a lock"
    workers = f"a tenth of the {_workers(now.workers)}"
    if not value:
        return "No session waits for a lock."
    return f"{waits}, more than {workers}." if signal.holds else f"{waits}; up to {workers} may."


def _of_plateau(signal: Signal, now: Quarter) -> str:
    if signal.value is None:
        return UNKNOWN_RATE
    if signal.holds is False and signal.before is None:
        return "Workers keep up: fewer steps are ready than they can claim at once."
    if signal.before is None:
        return (
            "Not known: in the last 24 hours there were never fewer workers while many steps were ready."
            " Start a quarter more workers, and look again after 15 minutes."
        )
    before = signal.before
    comparison = (
        f"{_workers(now.workers)} complete {written(signal.value)} steps a second;"
        f" {written(before.workers)} completed {written(before.per_second or 0.0)}"
    )
    return (
        f"{comparison}. The additional ones brought less than a quarter of what they should."
        if signal.holds
        else f"{comparison}."
    )


def _of_contended(signal: Signal, now: Quarter) -> str:
    if signal.value is None:
        return "The number of polls that found everything locked is not known."
    if not signal.value:
        return "No poll found everything locked."
    share = f"{per_cent(signal.value)} of the polls that found steps found all of them locked"
    if signal.holds:
        return f"{share}, although {_ready(now.ready)} are ready."
    if signal.value > CONTENDED_SHARE:
        return f"{share}, but few are ready ({_ready(now.ready)}): the workers lack work."
    return f"{share}; up to {per_cent(CONTENDED_SHARE)} may."


_WORDS = {"lock_waits": _of_lock_waits, "plateau": _of_plateau, "contended": _of_contended}


def _ready(steps: int) -> str:
    return f"{written(steps)} or more" if steps >= MOST_READY else written(steps)


def _workers(count: int) -> str:
    return f"{written(count)} worker{'' if count == 1 else 's'}"


def of_verdict(it: Standing | None, *, is_old: bool) -> str:
    """Why to stay, or what speaks for a broker; `is_old`: nobody has kept a sample lately."""
    if it is None:
        return OLD_SAMPLES if is_old else NO_SAMPLES
    if is_old:
        return OLD_SAMPLES
    rate = it.quarter.per_second
    if it.is_together:
        return _of_all_three(rate, wants_broker=it.wants_broker)
    if it.together_since is not None:
        return "All three signals hold, but not for an hour yet."
    few = _HOW_MANY[sum(bool(signal.holds) for signal in it.signals)]
    if rate is None or it.is_large:
        return few
    return f"{few} Now: {written(rate)} steps a second; {_worth()}."


def _of_all_three(rate: float | None, *, wants_broker: bool) -> str:
    if wants_broker:
        return f"All three signals hold together, at {written(rate or 0.0)} steps a second."
    # A plateau is known only where the rate is.
    return (
        f"All three signals hold together, but at only {written(rate or 0.0)} steps a second; {_worth()}."
        " Check what holds the locks, and the disk."
    )


def _worth() -> str:
    return f"consider a broker from about {written(BROKER_FROM)}"
