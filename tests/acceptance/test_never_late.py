"""No process is the only one that keeps Handoff going: each is stopped, killed or made deaf under a load of everything.

Nothing is late for long meanwhile (`faults.LIMITS`), and what was accepted ends as it must, once. `make soak` goes
through every process and every fault, for a minute each.
"""

from contextlib import ExitStack

import pytest

from tests.acceptance import faults
from tests.acceptance.client import Client
from tests.acceptance.conftest import end
from tests.acceptance.faults import Observer, patiently, repeating
from tests.acceptance.load import Load
from tests.acceptance.running import Handoff

HEALED_SECONDS = 60
OWN = ("worker-ticks", "beat", "web", "worker-engine", "worker-default-1", "worker-blocking")
SERVERS = ("redis", "nursery", "postgres")


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    """A Handoff under load, somebody who answers what waits, and somebody who watches."""
    handoff = Handoff(tmp_path_factory.mktemp("late") / "home")
    handoff.start_and_wait()
    try:
        with Client(handoff) as client, Client(handoff) as answering, ExitStack() as stack:
            for each in (client, answering):
                # A web process that is stopped answers nobody: who asked asks its successor.
                each.http.timeout = 5
            load = Load(client)
            load.publish()
            observer = Observer(handoff)
            stack.enter_context(repeating(load.start, 0.3))
            answers = Load(answering)
            answers.acked = load.acked
            stack.enter_context(repeating(answers.answer, 0.3))
            stack.enter_context(repeating(observer.look, 0.5))
            patiently(lambda: len(load.acked) >= 20, HEALED_SECONDS, lambda: "the load")
            yield handoff, client, load, observer
    finally:
        end(handoff)


def replaced(handoff, name, pid):
    """Another is there, and work goes on."""
    patiently(lambda: handoff.pids().get(name, pid) != pid, HEALED_SECONDS, lambda: f"another {name}")
    patiently(
        lambda: handoff.get("/readyz")[0] == 200,
        HEALED_SECONDS,
        lambda: f"readiness {handoff.get('/readyz')}",
    )


def assert_everything_ends(client, load):
    """What was accepted until now ends as it must, once."""
    accepted = dict(load.acked)
    assert accepted

    def unfinished():
        return {run: status for run, status in load.unfinished().items() if run in accepted}

    patiently(lambda: not unfinished(), HEALED_SECONDS, lambda: f"these runs: {load.told(unfinished())}")
    assert client.broken_invariants() == {}


@pytest.mark.parametrize("name", ["worker-ticks", "beat", "web", "worker-engine"])
def test_a_stopped_process_is_replaced_before_anything_is_late(loaded, name):
    handoff, client, load, observer = loaded
    observer.forget()
    pid = faults.stop(handoff, name)
    replaced(handoff, name, pid)
    assert_everything_ends(client, load)
    assert observer.too_old() == {}


def test_a_ticks_worker_whose_lines_are_cut_makes_nothing_late(loaded):
    handoff, client, load, observer = loaded
    observer.forget()
    faults.deafen(handoff, "worker-ticks")
    assert_everything_ends(client, load)
    assert observer.too_old() == {}


def test_a_killed_redis_makes_nothing_late_and_readiness_says_so(loaded):
    handoff, client, load, observer = loaded
    observer.forget()
    pid = faults.kill(handoff, "redis")
    replaced(handoff, "redis", pid)
    assert_everything_ends(client, load)
    assert observer.too_old() == {}


def test_a_redis_that_became_read_only_ends_no_worker_and_makes_nothing_late(loaded):
    """As after a failover to a replica that is not promoted yet; one that is full is the same to us."""
    handoff, client, load, observer = loaded
    observer.forget()
    pids, said = handoff.pids(), len(handoff.said())
    with faults.read_only(handoff):
        assert_everything_ends(client, load)
        assert handoff.get("/readyz")[0] == 503
    patiently(lambda: handoff.get("/readyz")[0] == 200, HEALED_SECONDS, lambda: "readiness")
    assert handoff.pids() == pids
    assert "Traceback" not in handoff.said()[said:]
    assert observer.too_old() == {}


@pytest.mark.soak
@pytest.mark.parametrize("name", [*OWN, *SERVERS])
@pytest.mark.parametrize("fault", [faults.stop, faults.kill])
def test_each_process_is_stopped_or_killed_for_a_minute(loaded, name, fault):
    handoff, client, load, observer = loaded
    observer.forget()
    pid = fault(handoff, name)
    if fault is faults.stop and name == "redis":
        patiently(lambda: handoff.get("/readyz")[0] == 503, 10, lambda: "the truth")
    replaced(handoff, name, pid)
    assert_everything_ends(client, load)
    if name != "postgres":
        assert observer.too_old() == {}


@pytest.mark.soak
@pytest.mark.parametrize("name", [name for name in OWN if name != "web"])
def test_each_process_is_made_deaf_for_a_minute(loaded, name):
    handoff, client, load, observer = loaded
    observer.forget()
    faults.deafen(handoff, name, 60)
    assert_everything_ends(client, load)
    assert observer.too_old() == {}
