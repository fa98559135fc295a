"""A drill: relays that die, consumers that lose what they were told, and whether each job is done once all the same."""

import random
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from django.db import connection

from config.embedded.processes import wait_until
from engine.statuses import RunStatus
from runs.commands import job_events, job_reports
from runs.models import Run
from tests import factories as make
from tests.integrations.broker.consuming import JOB, rows
from tests.serving import ROOT, environment_of_a_process

# It ends with the tests.
_RELAY = """\
import ctypes, django
from lib.loading import loading
ctypes.CDLL(None).prctl(1, 15)
with loading():
    django.setup()
    from integrations.broker.relay import serve
serve()
"""
CRASH_POINTS = ("outbox_read", "outbox_published", "outbox_settled")
LOST, TWICE = 0.1, 0.05
"""Of such shares of the jobs consumers die before they did anything about them, once, or are told twice."""
RESEND_SECONDS = 10

Read = Callable[[], Sequence[str]]
"""Gives the ids of jobs of which a consumer was told since, after a moment's wait."""


def relay_process(home: str, crash_at: str = "", **environment: str) -> "subprocess.Popen[bytes]":
    """A relay of its own: `home` is whose next life it is."""
    own = {"HANDOFF_HOME": home, "HANDOFF_CRASH_AT": crash_at, "HANDOFF_OUTBOX_SECONDS": str(RESEND_SECONDS)}
    return subprocess.Popen(
        [sys.executable, "-c", _RELAY],
        cwd=ROOT,
        env=environment_of_a_process("worker") | own | environment,
    )


@contextmanager
def relays(homes: Sequence[str], **environment: str) -> Iterator[list[int]]:
    """Two relays: the first dies at each crash point, one life after another, and lives on then; the other begins when
    it has died once. Gives how those ended that have.
    """
    ends: list[int] = []
    alive: list[subprocess.Popen[bytes]] = []
    stopping, died = threading.Event(), threading.Event()

    def keep(home: str) -> None:
        for point in (*CRASH_POINTS, ""):
            one = relay_process(home, point and f"{point}:2", **environment)
            while point and not stopping.is_set() and one.poll() is None:
                stopping.wait(0.05)
            if not point or stopping.is_set():
                alive.append(one)
                return
            ends.append(one.wait())
            died.set()

    def keep_another(home: str) -> None:
        died.wait()
        if not stopping.is_set():
            alive.append(relay_process(home, **environment))

    keepers = [
        threading.Thread(target=do, args=(home,))
        for do, home in zip((keep, keep_another), homes, strict=True)
    ]
    for keeper in keepers:
        keeper.start()
    try:
        yield ends
    finally:
        stopping.set()
        died.set()
        for keeper in keepers:
            keeper.join()
        for one in alive:
            one.terminate()
        for one in alive:
            one.wait(20)


class Consumers:
    """Threads that take jobs: by turns as ours do, which claim, and as rochallor's, which only say that it is done."""

    def __init__(self, tenant: int, reads: Sequence[Read]) -> None:
        self.applied: Counter[str] = Counter()
        self.told = 0
        self._lost: set[str] = set()
        self._tenant, self._lock, self._stopping = tenant, threading.Lock(), threading.Event()
        self._threads = [threading.Thread(target=self._consume, args=one) for one in enumerate(reads)]

    def __enter__(self) -> "Consumers":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        for thread in self._threads:
            thread.join()

    def _consume(self, place: int, read: Read) -> None:
        chance = random.Random(place)
        try:
            while not self._stopping.is_set():
                ids = list(read())
                kept = [one for one in ids if one in self._lost or chance.random() >= LOST]
                self._lost.update({*ids} - {*kept})
                kept += [one for one in kept if chance.random() < TWICE]
                (self._claim if place % 2 else self._say)(place, kept)
                with self._lock:
                    self.told += len(ids)
        finally:
            connection.close()

    def _claim(self, place: int, ids: Sequence[str]) -> None:
        if ids:
            for job in job_events.claim(self._tenant, f"ours-{place}", ids)[0]:
                self._done(job.step.id, job.lease_token)

    def _say(self, place: int, ids: Sequence[str]) -> None:
        for one in ids:
            step, _, token = one.partition(job_events.BETWEEN)
            job_events.take(self._tenant, f"theirs-{place}", step, token)
            self._done(step, token)

    def _done(self, step: str, token: str) -> None:
        answer = job_reports.complete(tenant=self._tenant, job=step, lease_token=token, output=step)
        if answer.applied and not answer.duplicate:
            with self._lock:
                self.applied[step] += 1


def begin(count: int) -> None:
    """So many runs of one job each."""
    for first in range(0, count, 500):
        make.start(JOB, *({"n": number} for number in range(first, min(first + 500, count))))


def assert_done_once(consumers: Consumers, count: int, seconds: float) -> None:
    """All runs end, no job was done twice, and nothing is left in the outbox."""
    open_runs = Run.unsafe_all_tenants.exclude(status=RunStatus.COMPLETED)
    wait_until(lambda: not open_runs.exists(), seconds, "the runs")
    assert len(consumers.applied) == count
    assert set(consumers.applied.values()) == {1}
    wait_until(lambda: not rows(), 20, "the outbox")
