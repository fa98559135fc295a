"""The duty that does what is due: a run for each due time, or why there is none, as the overlap policy has it.

Each schedule is one transaction: its row is locked, and the runs, the rows of its history and its next due time are
kept together or not at all. So each due time is dealt with once, however many ticks there are and whatever dies; and a
schedule that can't be done stops no other.
"""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import chain

from django.db import transaction

from accounts import audit
from lib.database_errors import is_away
from lib.refusals import Refusal
from runs.commands.lifecycle import cancel_runs
from runs.commands.named_starts import start_workflow
from runs.commands.starts import NewRun
from runs.kernel.refused import RunRefused
from runs.models import Run, StartedFrom
from triggers.schedules import rights, store
from triggers.schedules.limits import MISSED_FIRINGS, TICK_FIRINGS
from triggers.schedules.models import BUFFERED, SKIPPED, STARTED
from triggers.schedules.store import Entry, FoundSchedule
from triggers.schedules.times import Timing, due_times, fires_at
from triggers.schedules.timing import input_at, timing_of_found

log = logging.getLogger(__name__)

TICK_SECONDS = 0.8
GRACE_SECONDS = 10
"""What is no later than this is never too late, whatever the catch-up window."""

_Take = Callable[[Sequence[str]], FoundSchedule | None]


def fire(seconds: float = TICK_SECONDS) -> int:
    """Do what is due, schedule by schedule, for at most `seconds`; gives how many were looked at."""
    until = time.monotonic() + seconds
    return _each(store.buffered_schedule, _end_wait, until) + _each(store.due_schedule, _do, until)


def stop_orphans(seconds: float = TICK_SECONDS, *, tenant: int | None = None, acts_for: str = "") -> int:
    """Stop the schedules of all, or of one member, who may no longer start what these start; gives how many.

    They are on again when somebody who may start it switches them on, or is handed them; never by themselves.
    """
    take = partial(store.orphaned_schedule, tenant=tenant, acts_for=acts_for)
    return _each(take, _stop_orphan, time.monotonic() + seconds)


def member_changed(tenant_id: int, username: str) -> None:
    """Somebody left or has another role: what starts runs for them stops in the same transaction, if they may not."""
    stop_orphans(tenant=tenant_id, acts_for=username)


def _stop_orphan(schedule: FoundSchedule) -> None:
    if why := rights.why_not(schedule):
        if (due := schedule.buffered_due_at) is not None:
            store.settle_entry(schedule.id, Entry(due, SKIPPED, "not_allowed", why))
        store.stop_schedule(schedule.id, why)
        change = {"before": {"enabled": True}, "after": {"enabled": False}}
        audit.change_by_server(schedule.tenant_id, "schedule.stop", schedule.name, reason=why, **change)


def _each(take: _Take, act: Callable[[FoundSchedule], None], until: float) -> int:
    """Have `act` do each schedule that `take` finds, in a transaction each; gives how many there were."""
    ids: list[str] = []
    while True:
        schedule = None
        try:
            with transaction.atomic():
                if (schedule := take(ids)) is None:
                    return len(ids)
                act(schedule)
        except Exception as error:
            if schedule is None or is_away(error):
                raise
            # It stays due, and is tried again until its catch-up window is over.
            log.exception("The schedule %s (%s) can't be done", schedule.name, schedule.id)
        ids.append(schedule.id)
        if time.monotonic() >= until:
            return len(ids)


def _do(schedule: FoundSchedule) -> None:
    """What a schedule that is due does."""
    missed, dues, following = _reached(schedule, timing_of_found(schedule))
    done = store.dealt_with(schedule.id, [*([missed.due_at] if missed else []), *dues])
    entries = [missed] if missed and missed.due_at not in done else []
    dues = [due for due in dues if due not in done]
    buffered = schedule.buffered_due_at
    why = rights.why_not(schedule) if dues else None
    if why:
        entries += [Entry(due, SKIPPED, "not_allowed", why) for due in dues]
    elif dues:
        more, buffered = _POLICIES[schedule.overlap](schedule, dues)
        entries += more
    store.insert_entries(schedule.tenant_id, schedule.id, entries)
    if why:
        _stop_orphan(schedule)
        return
    fire_at = following and fires_at(schedule.id, following, schedule.jitter_seconds)
    store.move_schedule(schedule.id, next_due=following, fire_at=fire_at, buffered=buffered)


def _end_wait(schedule: FoundSchedule) -> None:
    """Start the run of a due time that waited for those before it to end."""
    due = schedule.buffered_due_at
    if due is None:
        return
    if rights.why_not(schedule):
        _stop_orphan(schedule)
        return
    store.settle_entry(schedule.id, _started(schedule, due))
    fire_at = schedule.next_due_at and fires_at(schedule.id, schedule.next_due_at, schedule.jitter_seconds)
    store.move_schedule(schedule.id, next_due=schedule.next_due_at, fire_at=fire_at, buffered=None)


def _reached(schedule: FoundSchedule, timing: Timing) -> tuple[Entry | None, list[datetime], datetime | None]:
    """What was missed for good, the due times that are reached, and the one after them."""
    first, jitter = schedule.next_due_at, schedule.jitter_seconds
    if first is None:
        return None, [], None
    cutoff = schedule.now - timedelta(seconds=max(schedule.catchup_seconds, GRACE_SECONDS))
    missed: list[datetime] = []
    source: Iterator[datetime] = chain([first], due_times(timing, first))
    due = next(source, None)
    while due is not None and fires_at(schedule.id, due, jitter) < cutoff:
        missed.append(due)
        if len(missed) == MISSED_FIRINGS:
            source = due_times(timing, max(due, cutoff - timedelta(seconds=jitter + 1)))
        due = next(source, None)
    dues: list[datetime] = []
    while due is not None and fires_at(schedule.id, due, jitter) <= schedule.now and len(dues) < TICK_FIRINGS:
        dues.append(due)
        due = next(source, None)
    return _missed(missed) if missed else None, dues, due


def _missed(dues: Sequence[datetime]) -> Entry:
    text = "Nothing could be started then, and the catch-up window is over."
    if len(dues) >= MISSED_FIRINGS:
        text += f" There were {MISSED_FIRINGS:,} of these times or more."
    return Entry(dues[0], SKIPPED, "missed", text, last_due_at=dues[-1], due_count=len(dues))


def _started(schedule: FoundSchedule, due: datetime, cancelled: Sequence[str] = ()) -> Entry:
    """Start the run of a due time; gives what came of it."""
    try:
        value = input_at(schedule.input, schedule.name, due, schedule.timezone)
        with transaction.atomic():
            (run,) = start_workflow(
                schedule.tenant_id,
                schedule.workflow,
                [NewRun(value)],
                by=name_in_history(schedule.name),
                started_from=StartedFrom.SCHEDULE,
                acts_for=schedule.acts_for,
            )
    except (Refusal, RunRefused) as refusal:
        return Entry(due, SKIPPED, "refused", refusal.message, cancelled=cancelled)
    if not run.created:
        text = f"A run with the business key {run.business_key} already exists."
        return Entry(due, SKIPPED, "key_exists", text, run_id=run.id, cancelled=cancelled)
    return Entry(due, STARTED, run_id=run.id, cancelled=cancelled)


def _allowing(schedule: FoundSchedule, dues: Sequence[datetime]) -> tuple[list[Entry], datetime | None]:
    """A run for each, whatever else runs."""
    return [_started(schedule, due) for due in dues], schedule.buffered_due_at


def _skipping(schedule: FoundSchedule, dues: Sequence[datetime]) -> tuple[list[Entry], datetime | None]:
    """A run for each due time at which none is open."""
    entries, runs = [], store.open_runs(schedule.id)
    for due in dues:
        if runs:
            entries.append(_overlapping(due, runs, "was still open"))
        else:
            entries.append(_started(schedule, due))
            runs = _still_open(schedule, entries)
    return entries, schedule.buffered_due_at


def _buffering(schedule: FoundSchedule, dues: Sequence[datetime]) -> tuple[list[Entry], datetime | None]:
    """As skipping, but one due time waits until the runs before it have ended."""
    entries, runs, buffered = [], store.open_runs(schedule.id), schedule.buffered_due_at
    for due in dues:
        if buffered is not None:
            entries.append(_overlapping(due, runs, "was still open, and one more was waiting for it"))
        elif runs:
            entries.append(Entry(due, BUFFERED, "overlap", "It waits until the run before it has ended."))
            buffered = due
        else:
            entries.append(_started(schedule, due))
            runs = _still_open(schedule, entries)
    return entries, buffered


def _cancelling(schedule: FoundSchedule, dues: Sequence[datetime]) -> tuple[list[Entry], datetime | None]:
    """The last of them cancels what is open; its run starts when that has ended, which may be at once."""
    due, cancelled = dues[-1], []
    entries = [Entry(one, SKIPPED, "replaced", "A later time was due as well.") for one in dues[:-1]]
    for run in store.open_runs(schedule.id):
        if _cancelled(schedule, run):
            cancelled.append(run)
    _drop_buffered(schedule)
    if not store.open_runs(schedule.id):
        return [*entries, _started(schedule, due, cancelled)], None
    text = "It waits until the run before it, which was cancelled for it, has ended."
    return [*entries, Entry(due, BUFFERED, "overlap", text, cancelled=cancelled)], due


def _drop_buffered(schedule: FoundSchedule) -> None:
    """A due time that waits is not done any more."""
    if (due := schedule.buffered_due_at) is not None:
        store.settle_entry(
            schedule.id, Entry(due, SKIPPED, "replaced", "A later time was due before it began.")
        )


def _cancelled(schedule: FoundSchedule, run: str) -> bool:
    """Cancel a run, unless it is ending already; whether it was."""
    try:
        with transaction.atomic():
            by, reason = name_in_history(schedule.name), "The next run of its schedule is due."
            cancel_runs(schedule.tenant_id, [run], by=by, reason=reason)
    except RunRefused:
        return False
    return True


def _overlapping(due: datetime, runs: Sequence[str], how: str) -> Entry:
    return Entry(due, SKIPPED, "overlap", f"The run before it {how}.", run_id=runs[-1] if runs else None)


def _still_open(schedule: FoundSchedule, entries: Sequence[Entry]) -> list[str]:
    """The run that the last of these started, if that is open: some runs end as they start."""
    last = entries[-1]
    if last.run_id is None or last.status != STARTED:
        return []
    rows = Run.objects.for_tenant(schedule.tenant_id).filter(pk=last.run_id, completed_at__isnull=True)
    return [last.run_id] if rows.exists() else []


def name_in_history(schedule: str) -> str:
    """By which name what a schedule of this name does stands in history."""
    return f"schedule {schedule}"


_POLICIES = {
    "allow": _allowing,
    "skip": _skipping,
    "buffer_one": _buffering,
    "cancel_previous": _cancelling,
}
