"""A step that takes its time doesn't keep the others of its batch: they are handed back and done elsewhere."""

import pytest

from runs.commands.lifecycle import cancel_runs, resume_runs
from runs.kernel.refused import RunRefused
from runs.store.attempts import Succeeded
from runs.workers import leases
from runs.workers.drain import Drain
from tests import factories as make

pytestmark = pytest.mark.django_db


def test_what_waits_for_long_behind_a_slow_step_is_handed_back_and_not_executed_here(monkeypatch):
    monkeypatch.setattr(leases, "STALLED_SECONDS", -1.0)
    first, second = make.start(make.chain("noop"), {"n": 1}, {"n": 2})
    drain = Drain("default")
    slow, waiting = drain.claim(10)
    assert drain.in_hand.begin(slow)

    drain.in_hand.let_go()

    assert drain.in_hand.begin(slow)
    assert not drain.in_hand.begin(waiting)
    (handed,) = [
        make.steps(run)["a"] for run in (first, second) if str(make.steps(run)["a"].id) == waiting.id
    ]
    assert (handed.status, handed.attempt, handed.solo) == ("QUEUED", 0, False)
    drain.flush([(slow, Succeeded({}))])
    drain.in_hand.drop([slow])
    make.work()
    assert {make.run(run).status for run in (first, second)} == {"COMPLETED"}


def test_a_run_of_another_tenant_can_be_neither_cancelled_nor_resumed():
    (run_id,) = make.start(make.chain("job"))
    stranger = make.a_tenant("stranger")

    for verb in (cancel_runs, resume_runs):
        with pytest.raises(RunRefused):
            verb(stranger.pk, [run_id], by="stranger")

    assert make.run(run_id).status == "RUNNING"
