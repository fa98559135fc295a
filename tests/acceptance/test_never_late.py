"""No process is the only one that keeps Handoff going: each is stopped, killed or made deaf under a load of everything.

Nothing is late for long meanwhile (`faults.LIMITS`), and what was accepted ends as it must, once. `make soak` goes
through every process and every fault, for a minute each.
"""

import threading

import pytest

from config.embedded.processes import wait_until
from tests.acceptance import faults, load
from tests.acceptance.faults import OWN, SERVERS
from tests.acceptance.load import HEALED_SECONDS
from tests.acceptance.running import hanging
from tests.families import shown


@pytest.fixture(scope="module")
def loaded(handoff, service):
    with load.loaded(handoff, service) as one:
        yield one


@pytest.fixture
def fresh(loaded):
    """Another fault begins."""
    loaded.observer.forget()
    return loaded


def replaced(loaded, name, pid):
    """Another is there, and work goes on."""
    wait_until(lambda: loaded.handoff.pids().get(name, pid) != pid, HEALED_SECONDS, lambda: f"another {name}")
    loaded.is_well()


@pytest.mark.parametrize("name", shown(["worker-ticks", "web"], 1))
def test_a_stopped_process_is_replaced_before_anything_is_late(fresh, name):
    pid = faults.stop(fresh.handoff, name)
    replaced(fresh, name, pid)
    fresh.everything_ends()
    assert fresh.observer.too_old() == {}


@pytest.mark.exhaustive
def test_a_ticks_worker_whose_lines_are_cut_makes_nothing_late(fresh):
    faults.deafen(fresh.handoff, "worker-ticks")
    fresh.everything_ends()
    assert fresh.observer.too_old() == {}


def test_a_killed_redis_makes_nothing_late_and_readiness_says_so(fresh):
    pid = faults.kill(fresh.handoff, "redis")
    replaced(fresh, "redis", pid)
    fresh.everything_ends()
    assert fresh.observer.too_old() == {}


def test_a_redis_that_became_read_only_ends_no_worker_and_makes_nothing_late(fresh):
    """As after a failover to a replica that is not promoted yet; one that is full is the same to us."""
    handoff = fresh.handoff
    pids, said = handoff.pids(), len(handoff.said())
    with faults.read_only(handoff):
        fresh.everything_ends()
        assert handoff.get("/readyz")[0] == 503
    fresh.is_well()
    assert handoff.pids() == pids
    assert "Traceback" not in handoff.said()[said:]
    assert fresh.observer.too_old() == {}


@pytest.mark.soak
@pytest.mark.parametrize("name", [*OWN, *SERVERS])
@pytest.mark.parametrize("fault", [faults.stop, faults.kill])
def test_each_process_is_stopped_or_killed_for_a_minute(fresh, name, fault):
    pid = fault(fresh.handoff, name)
    if fault is faults.stop and name == "redis":
        wait_until(lambda: fresh.handoff.get("/readyz")[0] == 503, 10, lambda: "the truth")
    replaced(fresh, name, pid)
    fresh.everything_ends()
    if name != "postgres":
        assert fresh.observer.too_old() == {}


@pytest.mark.soak
@pytest.mark.parametrize("name", [name for name in OWN if name != "web"])
def test_each_process_is_made_deaf_for_a_minute(fresh, name):
    faults.deafen(fresh.handoff, name, 60)
    fresh.everything_ends()
    assert fresh.observer.too_old() == {}


@pytest.mark.soak
def test_a_supervisor_that_is_stopped_for_a_minute_stops_nobody(fresh):
    """Ctrl-Z: its children are not stopped with it, and it takes none of them for lost afterwards."""
    pids, said = fresh.handoff.pids(), len(fresh.handoff.said())
    with hanging(pids["supervisor"], alone=True):
        threading.Event().wait(60)
        fresh.everything_ends()
    fresh.everything_ends()
    assert fresh.observer.too_old() == {}
    assert fresh.handoff.pids() == pids
    assert "no sign of progress" not in fresh.handoff.said()[said:]
