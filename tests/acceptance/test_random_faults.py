"""Faults at random, of every process and several at once, for an hour: nothing is lost, stuck or done twice.

`SOAK_SECONDS` makes it shorter or longer. What was done to whom stands in the message of a failure.
"""

import os
import random
import time
from datetime import UTC, datetime

import pytest

from tests.acceptance import load
from tests.acceptance.faults import Chance

pytestmark = pytest.mark.soak

SECONDS = float(os.environ.get("SOAK_SECONDS") or 3600)
REST_SECONDS = 300.0
"""How long faults follow each other before everything that was accepted has to have ended."""


@pytest.fixture(scope="module")
def loaded(handoff, service):
    with load.loaded(handoff, service) as one:
        yield one


def test_whatever_happens_to_whomever_nothing_is_lost_stuck_or_done_twice(loaded):
    over = time.monotonic() + SECONDS
    with Chance(loaded.handoff, random.Random()) as chance:
        while time.monotonic() < over:
            since = datetime.now(UTC)
            chance.strike_until(min(time.monotonic() + REST_SECONDS, over))
            try:
                loaded.is_well()
                loaded.everything_ends()
                loaded.is_proven(since)
            except AssertionError as failure:
                raise AssertionError(f"{failure}\nAfter these faults: {chance.log[-30:]}") from failure
            print(f"{len(chance.log)} faults, {len(loaded.load.acked)} runs, worst {loaded.observer.worst}")
            loaded.observer.forget()
    assert len(chance.log) > SECONDS / 30
