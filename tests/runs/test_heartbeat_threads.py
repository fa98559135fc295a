"""The thread that renews leases ends when nothing is in hand, and comes back with the next step."""

import threading

import pytest

from runs.workers import leases
from tests import factories as make

pytestmark = pytest.mark.django_db(transaction=True)


def beating():
    return [thread for thread in threading.enumerate() if thread.name == "heartbeat"]


def test_a_heartbeat_ends_with_nothing_in_hand_and_begins_again(monkeypatch):
    monkeypatch.setattr(leases, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(leases, "IDLE_SECONDS", 0.02)
    make.start(make.chain("noop", "noop"))
    (step,) = make.claimed()
    hand = leases.InHand()
    before = set(beating())
    for _ in range(2):
        hand.take([step])
        (mine,) = set(beating()) - before
        mine.join(0.1)
        assert mine.is_alive(), "it beats while something is in hand"
        hand.drop([step])
        mine.join(10)
        assert not mine.is_alive()
