"""Timers of runs that somebody holds: the others fire."""

import pytest
from django.db import connection

from tests import factories as make
from tests.races.staging import holding
from tests.races.test_stuck import cancel

LATER = {"after_seconds": 30, "interrupting": False, "to": "later"}
REMIND = [{"id": "work", "type": "job", "queue": "outside", "boundary_timers": [LATER]}, "later"]
WAIT = [{"id": "later", "type": "wait", "params": {"seconds": 30}}]


@pytest.mark.parametrize("nodes", [REMIND, WAIT], ids=["ring", "end"])
def test_a_timer_whose_statement_takes_too_long_keeps_no_other_from_firing(clock, nodes, caplog):
    """Its run's lock is taken for longer than a statement may last, at every tick."""
    held, *others = make.start(make.graph(nodes, []), *[{}] * 20)
    make.work()
    clock.advance(60)
    before = {run: make.statuses(run)["later"] if nodes is WAIT else None for run in [held, *others]}
    with holding(lambda: cancel(held), before="cancel_open_steps"):
        with connection.cursor() as cursor:
            cursor.execute("SET statement_timeout = '100ms'")
        try:
            make.tick()
        finally:
            with connection.cursor() as cursor:
                cursor.execute("RESET statement_timeout")
        after = {run: make.statuses(run).get("later") for run in [held, *others]}
        assert after[held] == before[held]
        assert all(after[run] not in (None, before[run]) for run in others)
    assert f"in run {held} can't fire" in caplog.text
