"""Signals: messages to runs. Whoever waits for one goes on with its payload, once; an early one is kept (R-125…).

Lock the run, insert, look for who waits: three statements, for one snapshot would miss a step that has just begun to
wait (docs/engine.md, "Waits").
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import orjson

from engine.catalogue import Json
from engine.statuses import RUN_ENDED, RunStatus
from engine.verbs import why_not
from lib.gathering import Gathered
from lib.uuid7 import uuid7
from runs.kernel import wait_kinds
from runs.kernel.graphs import shown
from runs.kernel.refused import RunRefused, storable
from runs.kernel.wake import Waiters, wake
from runs.models import Run
from runs.store import payloads, waits
from runs.store.attempts import AttemptResult, ClaimedStep, LockedRun
from runs.store.continuing import newest_of_chain
from runs.store.rows import SignalRow

MAX_SIGNAL_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class NewSignal:
    """A signal as somebody sends it; the same `signal_id` again is a duplicate."""

    signal_id: str
    name: str
    payload: Json


def send_signals(
    tenant: int, signals: Sequence[tuple[str, NewSignal]], *, by: str, awaited: bool = False
) -> list[bool]:
    """Send signals to runs of the tenant (run, signal), in one transaction; gives for each whether it was new.

    A duplicate is dropped, also where the run has ended since. Raises RunRefused for a new one to a run that is not
    open, unless a compensation of it may still wait for a signal, one whose id was sent with another name or payload,
    or with a payload that can't be kept; then none is. So it does with `awaited` where no step waits for one now.
    """
    rows = rows_of(tenant, signals)
    fresh: set[str] = set()

    def deliver(locked: Mapping[str, LockedRun], waiters: Waiters) -> list[tuple[ClaimedStep, AttemptResult]]:
        fresh.update(waits.insert_signals(rows, by))
        if repeated := [row for row in rows if row["id"] not in fresh]:
            _refuse_others(repeated)
        runs = {row["run_id"] for row in rows if row["id"] in fresh}
        if gone_on := frozenset(run for run in runs if locked[run].status == RunStatus.CONTINUED):
            raise _Continued(gone_on)
        for run in sorted(runs):
            why = why_not(status := locked[run].status, "signal")
            if why and not _may_undo_by_signal(tenant, run, status):
                raise RunRefused(why.code, why.sentence, conflict=True)
        waiting = waiters(runs) if runs else []
        endings = wait_kinds.take_signals(waiting) if waiting else []
        if awaited and not endings:
            raise RunRefused("not_awaited", "No step of the run waits for this now.", conflict=True)
        return endings

    try:
        wake(tenant, {run for run, _ in signals}, "signal", deliver)
    except _Continued as gone_on:
        fresh.clear()
        onward = [(newest_of_chain(run) if run in gone_on.runs else run, signal) for run, signal in signals]
        return send_signals(tenant, onward, by=by, awaited=awaited)
    return [row["id"] in fresh for row in rows]


def send_signal(tenant: int, run: str, signal: NewSignal, *, by: str) -> bool:
    """As `send_signals`, of one: those that come together are sent in one transaction. Raises RunRefused."""
    return _sent_together((tenant, by), (run, signal))


def _send_each(sender: tuple[int, str], signals: Sequence[tuple[str, NewSignal]]) -> list[bool]:
    tenant, by = sender
    return send_signals(tenant, signals, by=by)


_sent_together = Gathered(_send_each)


class _Continued(Exception):
    """These runs go on as new ones: signals to them are for the newest of their chain (H-30)."""

    def __init__(self, runs: frozenset[str]) -> None:
        super().__init__()
        self.runs = runs


def _refuse_others(repeated: Sequence[SignalRow]) -> None:
    """Raises RunRefused where a signal that was sent before said something else."""
    if others := waits.other_signals(repeated):
        message = f"A signal with the id {others[0]!r} was sent before, with another name or payload."
        raise RunRefused("signal_mismatch", message, field="signal_id", conflict=True)


def _may_undo_by_signal(tenant: int, run: str, status: str) -> bool:
    """Whether a run that closes, or undoes what it did, may come to a compensation that waits for a signal."""
    if status in RUN_ENDED:
        return False
    version = Run.objects.for_tenant(tenant).values_list("version_id", flat=True).get(pk=run)
    return any(undo.spec.takes_signals for undo in shown(version).graph.compensations.values())


def rows_of(tenant: int, signals: Iterable[tuple[str, NewSignal]]) -> list[SignalRow]:
    """Signals to runs as rows. Raises RunRefused for a payload that can't be kept."""
    rows: list[SignalRow] = []
    for run, signal in signals:
        encoded = storable(signal.payload, "payload", max_bytes=MAX_SIGNAL_BYTES)
        rows.append(
            {
                "id": uuid7(),
                "run_id": run,
                "signal_id": signal.signal_id,
                "name": signal.name,
                "payload": orjson.Fragment(payloads.fitted(tenant, run, encoded)),
                "sha256": payloads.digest_of(encoded),
            }
        )
    return rows
