"""A backlog of timers that are due together: fired in the order of their times (docs/engine.md, "Waits")."""

import pytest

from runs.maintenance import timers
from runs.models import HistoryEvent
from tests import factories as make

pytestmark = pytest.mark.django_db

KINDS = ("TIMER_FIRED", "STEP_COMPLETED", "STEP_CANCELLED")


def timer(after, to, *, interrupting):
    return {"after_seconds": after, "interrupting": interrupting, "to": to}


def outside(id, **extra):
    return {"id": id, "type": "job", "queue": "outside", **extra}


def test_a_backlog_of_a_run_that_is_larger_than_a_batch_fires_in_the_order_of_its_times(clock, monkeypatch):
    """Nobody ticked for long: reminders, waits and what ends the step are due, in more than one batch."""
    monkeypatch.setattr(timers, "BATCH", 3)
    reminders = [timer(10 * nth, f"r{nth}", interrupting=False) for nth in (9, 1, 5, 3, 7)]
    work = outside("work", boundary_timers=[*reminders, timer(80, "stop", interrupting=True)])
    waits = [{"id": f"w{nth}", "type": "wait", "params": {"seconds": 10 * nth}} for nth in (6, 2, 9, 4)]
    reached = [outside(node) for node in ("r1", "r3", "r5", "r7", "r9", "stop")]
    run_id = make.start(make.graph([work, *waits, *reached], []))[0]
    make.work()
    clock.advance(1000)

    make.tick()

    told = [
        (event.payload.get("taken") or [event.node])[0] if event.type == "TIMER_FIRED" else event.node
        for event in HistoryEvent.unsafe_all_tenants.filter(run_id=run_id, type__in=KINDS).order_by("id")
    ]
    assert told == ["r1", "w2", "r3", "w4", "r5", "w6", "r7", "work", "w9"]


def test_what_many_runs_wait_for_goes_on_in_the_order_in_which_it_was_due(clock, monkeypatch):
    monkeypatch.setattr(timers, "BATCH", 4)
    for nth in (7, 1, 5, 3, 9, 2, 6, 4, 8):
        wait = {"id": "wait", "type": "wait", "params": {"seconds": 10 * nth}}
        make.start(make.graph([wait, outside(f"after_{nth}")], [f"wait>after_{nth}"]))
    make.work()
    clock.advance(1000)

    assert make.tick() == 9

    claimed = [step.node for _ in range(9) for step in make.claimed("outside", limit=1)]
    assert claimed == [f"after_{nth}" for nth in range(1, 10)]
