"""The CPU time of a request has a ceiling: who computes on is interrupted, and who computes on after that is ended."""

import threading
import time
from contextlib import suppress
from functools import partial

import pytest

from lib.load import ceilings
from lib.load.ceilings import Ceilings, OverCeiling, Request, allow
from lib.refusals import TooMuchWork

pytestmark = pytest.mark.slow


def compute(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
    return "done"


@pytest.fixture
def ended(monkeypatch):
    monkeypatch.setattr(ceilings, "LOOK_SECONDS", 0.02)
    monkeypatch.setattr(ceilings, "AGAIN_SECONDS", 0.1)
    monkeypatch.setattr(ceilings, "END_SECONDS", 0.4)
    return threading.Event()


@pytest.fixture
def charged():
    return []


@pytest.fixture
def limits(ended, charged):
    return Ceilings(lambda names, seconds: charged.append((names, seconds)), ended.set)


def test_who_computes_for_longer_is_interrupted_and_nothing_catches_that(limits, ended):
    def work():
        try:
            compute(20)
        except Exception:
            return "caught"

    began = time.thread_time()
    with pytest.raises(TooMuchWork):
        limits.run(work, Request("GET /x", 0.1))
    assert time.thread_time() - began < 5
    assert not ended.is_set()


def test_the_next_request_of_the_thread_is_not_touched(limits):
    for number in range(40):
        # Some end at the very moment at which they are interrupted.
        with suppress(TooMuchWork):
            limits.run(partial(compute, 0.02 + number / 1_000), Request("GET /x", 0.02))
        assert limits.run(lambda: compute(0.01), Request("GET /y", 5)) == "done"


def test_who_waits_is_not_interrupted(limits):
    assert limits.run(partial(threading.Event().wait, 0.5), Request("GET /x", 0.1)) is False


def test_work_that_is_long_by_its_nature_may_say_so(limits):
    def work():
        allow(5)
        return compute(0.3)

    assert limits.run(work, Request("GET /x", 0.1)) == "done"
    with pytest.raises(TooMuchWork):
        limits.run(lambda: compute(20), Request("GET /x", 0.1))


def test_a_process_whose_thread_computes_on_is_ended(limits, ended):
    def work():
        while not ended.is_set():
            try:
                compute(1)
            except OverCeiling:
                continue

    with suppress(TooMuchWork):
        limits.run(work, Request("GET /x", 0.1))
    assert ended.is_set()


def test_what_is_computed_is_charged_while_it_goes_on(limits, charged):
    request = Request("GET /x", 5, ("person 1", "network 10.0.0.1"))
    limits.run(lambda: compute(0.3), request)
    assert len(charged) > 3
    assert {names for names, _ in charged} == {request.names}
    assert 0.29 < sum(seconds for _, seconds in charged) < 1
