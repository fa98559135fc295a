"""Two hosts look at the deadlines of the same runs at once: what was waited is counted once."""

from runs.maintenance import sla
from runs.models import Run
from tests import factories as make
from tests.races.staging import Actor

WAITING = {"sla_seconds": 100, "sla_pauses": "waiting"}


def test_two_that_look_at_once_count_a_wait_once(clock, rounds):
    for _ in rounds:
        run_id = make.start(
            make.graph([{"id": "s", "type": "signal", "params": {"name": "x"}}], [], **WAITING)
        )[0]
        make.work()
        clock.advance(1000)
        actors = [Actor(sla.look, before="sla_due") for _ in range(4)]
        for actor in actors:
            actor.until_halted()
        for actor in actors:
            actor.go()
        assert [actor.end() for actor in actors] == [0] * 4
        row = Run.unsafe_all_tenants.get(pk=run_id)
        assert (row.sla_deadline - row.created_at).total_seconds() == 1100
        assert row.sla_paused_seconds == 1000
