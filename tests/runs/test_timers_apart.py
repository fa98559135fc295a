"""One timer that can't fire keeps no other from it."""

import pytest

from tests import factories as make

pytestmark = pytest.mark.django_db
LATER = {"after_seconds": 30, "interrupting": False, "to": "later"}


def test_a_timer_that_can_t_fire_keeps_no_other_from_it(clock, monkeypatch, caplog):
    """A step type that is not installed any more must not make time stop for everybody."""
    remind = make.graph(
        [
            {
                "id": "work",
                "type": "job",
                "queue": "outside",
                "boundary_timers": [LATER],
            },
            "later",
        ],
        [],
    )
    broken, sound = make.start(remind)[0], make.start(remind)[0]
    make.work()
    clock.advance(60)
    with make.not_compiling(make.run(broken).version_id):
        assert make.tick() == 2

    assert make.statuses(sound)["later"] == "QUEUED"
    assert "later" not in make.statuses(broken)
    assert f"of work in run {broken} can't fire" in caplog.text
    monkeypatch.undo()
    assert make.tick() == 1
    assert make.statuses(broken)["later"] == "QUEUED"
