"""A socket that is opened again with the id of its last event: it is told what it missed, or to read all (R-164)."""

import time

import pytest
import redis

from runs.kernel import redis_live
from runs.limits import SOCKET_NODES
from runs.web.missed import TopicLog
from tests import factories as make
from tests.serving import site
from tests.sockets import Watcher, session_of

__all__ = ["site"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]


@pytest.fixture
def session(transactional_db) -> str:
    return session_of(make.a_member("ann", "operator"))


@pytest.fixture
def run_id(transactional_db) -> str:
    return make.start(make.chain("noop", "noop"))[0]


def last_of(site: str, path: str, session: str) -> str:
    """Opens a socket and closes it; gives the id of what it was told last."""
    with Watcher(site, path, session) as page:
        return page.settled().beat(12)["id"]


@pytest.mark.parametrize("path", ["/ws/runs/{}", "/ws/runs", "/ws/queues"])
def test_what_was_missed_is_told_at_once(site, session, run_id, path):
    path = path.format(run_id)
    last = last_of(site, path, session)
    make.work()
    with Watcher(site, f"{path}?last={last}", session) as page:
        told = [page.hear(30)]
        while run_id in path and all(one["status"] != "COMPLETED" for one in told):
            told.append(page.beat(15))
    assert not any(one["reload"] for one in told)
    assert told[0]["id"] != last
    nodes = {node: status for one in told for node, status in one["nodes"].items()}
    assert nodes == ({"a": "COMPLETED", "b": "COMPLETED"} if run_id in path else {})


def test_who_missed_nothing_is_told_nothing(site, session, run_id):
    path = f"/ws/runs/{run_id}"
    last = last_of(site, path, session)
    with Watcher(site, f"{path}?last={last}", session) as page:
        first = page.beat()
        assert (first["changed"], first["reload"], first["id"]) == ([], False, last)
        assert page.hear_all(1.5) == []


@pytest.mark.parametrize("path", ["/ws/runs/{}", "/ws/queues", "/ws/alerts", "/ws/inbox"])
def test_an_id_from_before_the_watch_lapsed_means_that_all_is_to_be_read(
    site, session, run_id, path, settings
):
    path = path.format(run_id)
    last = last_of(site, path, session)
    redis.Redis.from_url(settings.REDIS_URL).delete(redis_live.WATCHED)
    with Watcher(site, f"{path}?last={last}", session) as page:
        told = page.hear()
    assert told["reload"]
    assert told["id"] != last


def test_what_is_said_before_all_was_said_has_no_id(site, session, run_id):
    with Watcher(site, f"/ws/runs/{run_id}", session) as page:
        page.socket.send("ping")
        beat, settled = page.beat(), page.hear()
    assert (beat["changed"], beat["id"], beat["reload"]) == ([], "", False)
    assert settled["id"]
    assert not settled["reload"]


@pytest.mark.parametrize("last", ["other-1", "x", "-", "%00-1", "deadbeef-99999999999999999999"])
def test_an_id_that_is_not_known_here_means_that_all_is_to_be_read(site, session, run_id, last):
    with Watcher(site, f"/ws/runs/{run_id}?last={last}", session) as page:
        told = page.hear()
        assert told["reload"]
        assert told["changed"] == ["run", "steps"]


def test_another_topics_id_tells_nothing_of_that_topic(site, session, run_id):
    other = make.start(make.chain("noop"))[0]
    last = last_of(site, f"/ws/runs/{run_id}", session)
    with Watcher(site, f"/ws/runs/{other}?last={last}", session) as page:
        told = page.hear()
        assert (told["topic"], told["reload"]) == (f"run:{other}", True)


def test_a_log_grows_with_nodes_and_not_with_events():
    log = TopicLog(5)
    for number in range(6, 20_000):
        log.add(number, ["steps"], {f"n{number % 10}": str(number)}, "RUNNING")
    missed = log.missed(19_998)
    assert missed is not None
    assert (missed.changed, missed.nodes, missed.status) == (["steps"], {"n9": "19999"}, "RUNNING")
    assert log.missed(5).nodes == {f"n{number % 10}": str(number) for number in range(19_990, 20_000)}
    assert log.missed(4) is None
    assert log.missed(20_000) is None
    log.add(20_000, ["steps"], {f"m{number}": "X" for number in range(SOCKET_NODES + 1)}, None)
    assert log.missed(19_999) is None
    assert log.missed(20_000).nodes == {}


def test_what_nobody_came_back_to_in_time_is_not_kept():
    log = TopicLog(0)
    log.add(1, ["run"], {}, None)
    log.until = time.monotonic() + 60
    assert log.missed(0) is not None
    log.until = time.monotonic() - 1
    assert log.missed(0) is None
