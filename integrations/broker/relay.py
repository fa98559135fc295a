"""The process that publishes what is in the outbox (R-168, R-181). Of several, one leads by a lease in the database.

Nothing is locked while the broker is waited for. What it has is noted behind that, by who still leads only: a relay
that dies, or loses its lease, between the two has the next one publish again, and consumers find the job taken.
"""

import logging
import signal
import socket
import threading
import time
from collections.abc import Sequence
from typing import Final

import psycopg
from django.conf import settings
from django.db import DatabaseError, connection

from integrations.broker.broker import BEHIND, Broker, Event, Outcome, Verdict
from integrations.broker.brokers import broker_of
from integrations.broker.events import Unspeakable, event_of
from integrations.broker.limits import PARKED_SECONDS, PUBLISHED_BYTES, RETRY_SECONDS
from integrations.broker.reconciler import Reconciler
from integrations.broker.store import (
    DueEvent,
    FailedRow,
    Lead,
    due_events,
    lead_outbox,
    leave_outbox,
    settle_events,
)
from lib import crash_points, process_metrics, pulse
from lib.database_errors import log_database_error
from lib.messages import named
from lib.noticeboard import board
from runs.kernel.dispatch import RELAY
from runs.models.outbox import ASIDE_TRIES

log = logging.getLogger(__name__)

BATCH: Final = 200
LEAD_SECONDS: Final = 15.0
"""Longer than a broker is waited for."""
RENEW_SECONDS: Final = 3.0
LOOK_SECONDS: Final = 0.5
"""How often it looks without having heard of anything: retries come to be due, and messages get lost."""
FIRST_RETRY_SECONDS = 1.0
FIRST_ASIDE_SECONDS = 60.0

_published = process_metrics.counter("handoff_outbox_published", "Events of jobs that the broker has taken.")
_refused = process_metrics.counter(
    "handoff_outbox_failed",
    "Failed attempts to publish an event: it is sent again soon (retry), or was set aside at once (poison).",
    outcome=(Verdict.RETRY.value, Verdict.POISON.value),
)
_lag = process_metrics.histogram(
    "handoff_outbox_lag_seconds",
    "From the moment a job could be claimed to when the broker had its event.",
    (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300),
)
_batch = process_metrics.histogram(
    "workflow_engine_dispatch_relay_batch_latency_seconds",
    "From reading a batch of events to having noted what the broker said of them (R-201).",
    (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)


class Relay:
    """One relay: `turn` does what there is to do now. `holder`: who it is, the same for the next life of it here."""

    def __init__(self, broker: Broker, holder: str, resend_seconds: float) -> None:
        self._broker, self._holder, self._resend_seconds = broker, holder, resend_seconds
        self._lead: Lead | None = None
        self._reconciler = Reconciler()
        self._renewed_at = float("-inf")
        # A life before this one, or its twin that hangs, is replaced at once; who was replaced waits for its lease.
        self._replaces = True
        self._failing = False

    def turn(self) -> bool:
        """Publish what is due if this one leads; gives whether there may be more."""
        lead = self._leads()
        if lead is None:
            return False
        is_behind = self._reconciler.turn()
        began = time.monotonic()
        events, gone = due_events(BATCH)
        read_at = time.monotonic()
        if not events and not gone:
            return is_behind
        crash_points.hit("outbox_read")
        outcomes, count = self._published_of(events)
        crash_points.hit("outbox_published")
        self._settle(lead, events[:count], outcomes, gone, read_at)
        crash_points.hit("outbox_settled")
        _batch.observe(time.monotonic() - began)
        return is_behind or count < len(events) or len(events) + len(gone) >= BATCH

    def leave(self) -> None:
        """It ends: another may lead at once."""
        if self._lead is not None:
            leave_outbox(self._lead)
        self._broker.close()

    def _leads(self) -> Lead | None:
        now = time.monotonic()
        if self._lead is None or now - self._renewed_at >= RENEW_SECONDS:
            before, epoch = self._lead, self._lead.epoch if self._lead else 0
            self._lead = lead_outbox(self._holder, LEAD_SECONDS, epoch, replaces=self._replaces)
            self._renewed_at = now
            self._replaces = False
            if self._lead and before is None:
                log.info("This relay publishes from now on (the %d. to do so)", self._lead.epoch)
                # Whoever led before may have had no broker.
                self._reconciler = Reconciler()
            elif before and self._lead is None:
                log.warning("Another relay has taken over")
        return self._lead

    def _published_of(self, due: Sequence[DueEvent]) -> tuple[list[Outcome], int]:
        """What became of the first of these, and how many those are."""
        outcomes: list[Outcome] = []
        events: list[Event] = []
        behind: set[tuple[str, str]] = set()
        size = count = 0
        for one in due:
            event = _event_or_why(one, behind)
            if isinstance(event, Outcome):
                outcomes.append(event)
            else:
                size += len(event.value)
                if events and size > PUBLISHED_BYTES:
                    break
                events.append(event)
            count += 1
        if events:
            outcomes += self._broker.publish(events)
        return outcomes, count

    def _settle(
        self,
        lead: Lead,
        events: Sequence[DueEvent],
        outcomes: Sequence[Outcome],
        gone: Sequence[int],
        read_at: float,
    ) -> None:
        tries = {one.row: one.tries for one in events}
        sent_rows = [one.row for one in outcomes if one.verdict is Verdict.SENT]
        again = [one for one in outcomes if one.verdict is Verdict.RETRY]
        poison = [one for one in outcomes if one.verdict is Verdict.POISON]
        failed = [_failed(one, tries[one.row]) for one in (*again, *poison)]
        if not settle_events(
            lead, sent=sent_rows, resend_seconds=self._resend_seconds, failed=failed, gone=gone
        ):
            log.warning("Another relay has taken over; what was just published is published again")
            self._lead = None
            return
        self._say(again)
        _published.inc(len(sent_rows))
        _refused.labels(Verdict.RETRY.value).inc(len(again))
        late, rows = time.monotonic() - read_at, set(sent_rows)
        _lag.observe_all([one.waited + late for one in events if one.row in rows])
        _refused.labels(Verdict.POISON.value).inc(len(poison))
        if aside := [one for one in poison if tries[one.row] < ASIDE_TRIES]:
            log.warning(
                "%d events of jobs are set aside, who polls gets the jobs; the first since: %s",
                len(aside),
                aside[0].why,
            )

    def _say(self, again: Sequence[Outcome]) -> None:
        """Log once that it doesn't go, and once that it goes again."""
        if again and not self._failing:
            log.warning(
                "%d events of jobs can't be published now, the first since: %s", len(again), again[0].why
            )
        elif self._failing and not again:
            log.warning("Events of jobs are published again")
        self._failing = bool(again)


def _event_or_why(due: DueEvent, behind: set[tuple[str, str]]) -> Event | Outcome:
    """The event of a row, or what became of it: there is none, or not yet. `behind`: the runs and queues of which an
    event of this batch has to go first.
    """
    place = (due.step.run_id, due.queue)
    if place in behind:
        return Outcome(due.row, Verdict.RETRY, BEHIND)
    try:
        return event_of(due)
    except Unspeakable as error:
        if not error.is_for_now:
            return Outcome(due.row, Verdict.POISON, str(error))
        behind.add(place)
        return Outcome(due.row, Verdict.RETRY, str(error))
    except (psycopg.Error, DatabaseError):
        raise
    except Exception as error:
        # Whatever is wrong with one, the others of its batch are told.
        log.exception("No event can be made of the job %s", due.step.id)
        return Outcome(due.row, Verdict.POISON, named(error))


def _failed(outcome: Outcome, before: int) -> FailedRow:
    tries, seconds = tries_after(outcome.verdict, before)
    return {"row": outcome.row, "why": outcome.why, "tries": tries, "seconds": seconds}


def tries_after(verdict: Verdict, before: int) -> tuple[int, float]:
    """How often an event was tried in vain now, and in how many seconds it is tried again, where it was so often
    `before`. What never can be sent has used its tries up at once; it is tried ever more seldom: the broker's limits
    may be other ones by then.
    """
    if verdict is not Verdict.POISON:
        return before + 1, retry_seconds(before)
    tries = max(before + 1, ASIDE_TRIES)
    doublings = min(tries - ASIDE_TRIES, 10)
    return tries, min(FIRST_ASIDE_SECONDS * 2**doublings, PARKED_SECONDS)


def retry_seconds(tries: int) -> float:
    """How long after the `tries`-th failure in a row (from 0) an event is tried again."""
    return float(min(FIRST_RETRY_SECONDS * 2 ** min(tries, 10), RETRY_SECONDS))


def serve() -> None:
    """Publish until SIGTERM or SIGINT."""
    stopping, wakeup = threading.Event(), threading.Event()

    def stop(*_: object) -> None:
        stopping.set()
        wakeup.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    holder = f"{socket.gethostname()}:{settings.HANDOFF_HOME}"
    relay = Relay(broker_of(settings.HANDOFF_BROKER), holder, settings.HANDOFF_OUTBOX_SECONDS)
    board.hear(RELAY, lambda _: wakeup.set(), wakeup.set)
    while not stopping.is_set():
        pulse.beat()
        wakeup.clear()
        if not _turn(relay):
            wakeup.wait(LOOK_SECONDS)
    try:
        relay.leave()
    except (psycopg.Error, DatabaseError) as error:
        log_database_error(log, "The relay's end", error)
    board.settle()


def _turn(relay: Relay) -> bool:
    try:
        return relay.turn()
    except (psycopg.Error, DatabaseError) as error:
        log_database_error(log, "The relay", error)
        connection.close()
    except Exception:
        # Whatever it was, jobs are told of by nobody else.
        log.exception("The relay stumbled")
    return False
