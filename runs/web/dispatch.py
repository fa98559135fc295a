"""The page that says how workers hear of work, and whether it is time for a broker."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect

from accounts.access import PageRequest, page
from accounts.roles import RUNS_OPERATE
from engine.catalogue import Json
from lib.clock import now_here
from runs.commands.asides import retry
from runs.reading import dispatch, dispatch_words
from runs.reading.asides import asides_of
from runs.reading.dispatch import Facts
from runs.reading.dispatch_signals import (
    BROKER_FROM,
    CONTENDED_SHARE,
    LOCKED_SHARE,
    MOST_READY,
    Minute,
    Quarter,
    Signal,
    Standing,
)
from runs.reading.outbox import outbox_complaint
from runs.web import contexts
from runs.web.lines import Values, line
from workflows import titles

_MEASURES = {"lock_waits": "sessions", "plateau": "steps a second", "contended": "of the polls"}
_LIMITS = {"lock_waits": ", limit {}", "plateau": ", below {} is a plateau", "contended": ", limit {}"}


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a picture: `kind` is how it looks, `path` is empty where there is no value."""

    kind: str
    words: str
    path: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A signal as the page shows it; `value` is empty where there is none, `limit` says what it is, too."""

    it: Signal
    title: str
    words: str
    since: datetime | None
    value: str
    limit: str
    lines: Sequence[Line]


@page(RUNS_OPERATE)
def dispatch_page(request: PageRequest) -> HttpResponse:
    """How workers hear of work here, the three signals over the last day, and what follows from them."""
    facts, until = dispatch.facts(), now_here()
    outbox = dispatch.outbox()
    asides = asides_of(request.principal) if outbox else None
    if asides:
        titles.learn(request.principal.tenant_id, {one.place.workflow for one in asides.shown})
    context: dict[str, Json] = {
        "facts": facts,
        "latest": facts.of_day[-1] if facts.of_day else None,
        "rate": _written(facts.of_day[-1].per_second) if facts.of_day else "",
        "signals": _shown(facts, facts.standing, until) if facts.standing else [],
        "quarters": [_told(quarter) for quarter in reversed(facts.by_quarter)],
        "outbox": dispatch.outbox_told(outbox),
        "outbox_complaint": outbox and outbox_complaint(outbox),
        "asides": asides,
        "since": until - dispatch.SHOWN,
        "until": until,
        "broker_from": BROKER_FROM,
        "most_ready": MOST_READY,
    }
    return contexts.following(request, "operations/dispatch.html", "operations/_dispatch.html", context)


@page(RUNS_OPERATE, "POST")
def retry_asides(request: PageRequest) -> HttpResponse:
    """Has events tried again that the broker would not take and that were set aside."""
    retried = retry(request.principal)
    message = (
        "1 event is tried again." if retried.count == 1 else f"{retried.count:,} events are tried again."
    )
    more = " There may be more: try again in a while." if retried.more else ""
    messages.success(request, message + more)
    return redirect("operations-dispatch")


def _shown(facts: Facts, it: Standing, until: datetime) -> list[Shown]:
    charts = (_locks, _rates, _polls)
    return [
        Shown(
            signal,
            dispatch_words.TITLES[signal.name],
            dispatch_words.of_signal(signal, it.quarter),
            since,
            *_figures(signal),
            draw(facts.of_day, until),
        )
        for signal, since, draw in zip(it.signals, it.since, charts, strict=True)
    ]


def _figures(signal: Signal) -> tuple[str, str]:
    """The value of a signal, and what that is with its limit."""
    write = dispatch_words.per_cent if signal.name == "contended" else _written
    limit = "" if signal.limit is None else _LIMITS[signal.name].format(write(signal.limit))
    return "" if signal.value is None else write(signal.value), f"{_MEASURES[signal.name]}{limit}"


def _locks(of: Sequence[Minute], until: datetime) -> list[Line]:
    waits: Values = [(one.at, one.lock_waits) for one in of]
    limits: Values = [(one.at, LOCKED_SHARE * one.workers) for one in of]
    most = _most([*waits, *limits])
    return [
        _line("compared", "limit: a tenth of the workers", limits, until, most),
        _line("sampled", f"sessions that wait, up to {_written(_most(waits))}", waits, until, most),
    ]


def _rates(of: Sequence[Minute], until: datetime) -> list[Line]:
    workers: Values = [(one.at, one.workers) for one in of]
    rates: Values = [(one.at, one.per_second) for one in of]
    # Each by a measure of its own: only whether one rises with the other is looked for.
    return [
        _line("compared", f"workers, up to {_written(_most(workers))}", workers, until, _most(workers)),
        _line("sampled", f"steps a second, up to {_written(_most(rates))}", rates, until, _most(rates)),
    ]


def _polls(of: Sequence[Minute], until: datetime) -> list[Line]:
    shares: Values = [(one.at, one.contended_share) for one in of]
    limits: Values = [(one.at, CONTENDED_SHARE) for one in of]
    most = _most([*shares, *limits])
    words = f"polls that found everything locked, up to {dispatch_words.per_cent(_most(shares))}"
    return [
        _line("compared", f"limit: {dispatch_words.per_cent(CONTENDED_SHARE)}", limits, until, most),
        _line("sampled", words, shares, until, most),
    ]


def _line(kind: str, words: str, values: Values, until: datetime, most: float) -> Line:
    path = line(values, since=until - dispatch.SHOWN, until=until, most=most or 1.0)
    return Line(kind, words, path)


def _most(values: Iterable[tuple[datetime, float | None]]) -> float:
    return max((value for _, value in values if value is not None), default=0.0)


def _told(one: Quarter) -> dict[str, Json]:
    """A quarter of an hour as the table has it."""
    share = one.contended_share
    return {
        "at": one.at,
        "workers": _written(one.workers),
        "lock_waits": _written(one.lock_waits),
        "ready": _written(one.ready),
        "per_second": _written(one.per_second),
        "contended": "–" if share is None else dispatch_words.per_cent(share),
    }


def _written(value: float | None) -> str:
    return "–" if value is None else dispatch_words.written(value)
