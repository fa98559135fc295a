"""How many cores have nothing to do, of kernels that say so and of those that don't."""

import os
import time

import pytest

from config.embedded.processes import LINUX
from lib.idle_cores import CORES, IdleCores


def said(busy: int, idle: int, waiting: int = 0) -> str:
    """As `/proc/stat` says it: ticks of users, nice ones, the kernel, idle ones, those that waited for disks…"""
    return f"cpu  {busy} 0 0 {idle} {waiting} 0 0 0 7 7\ncpu0 1 2 3 4\n"


@pytest.fixture
def stat(tmp_path):
    path = tmp_path / "stat"
    path.write_text(said(100, 100))
    return path


def test_it_counts_what_was_idle_since_it_was_asked_before(stat):
    idle = IdleCores(stat)
    stat.write_text(said(130, 170))
    assert idle() == pytest.approx(0.7 * CORES)
    stat.write_text(said(140, 170))
    assert idle() == 0.0
    # Within the same tick nothing new is known.
    assert idle() == 0.0
    stat.write_text(said(140, 200))
    assert idle() == CORES


def test_a_core_that_waits_for_a_disk_is_not_idle(stat):
    idle = IdleCores(stat)
    stat.write_text(said(100, 150, waiting=50))
    assert idle() == pytest.approx(0.5 * CORES)


@pytest.mark.parametrize("odd", ["", "cpu\n", "cpu a b c d\n", "cpu 1 2\n", None])
def test_where_the_kernel_says_nothing_the_load_average_is_asked(stat, odd, monkeypatch):
    stat.unlink()
    if odd is not None:
        stat.write_text(odd)
    idle = IdleCores(stat)
    monkeypatch.setattr(os, "getloadavg", lambda: (0.25, 9.0, 9.0))
    assert idle() == CORES - 0.25
    monkeypatch.setattr(os, "getloadavg", lambda: (CORES + 3.0, 0.0, 0.0))
    assert idle() == 0.0


@pytest.mark.skipif(not LINUX, reason="asks /proc/stat")
def test_this_machine_is_busy_while_we_are():
    idle = IdleCores()
    until = time.thread_time() + 0.3
    while time.thread_time() < until:
        pass
    assert 0.0 <= idle() < CORES
