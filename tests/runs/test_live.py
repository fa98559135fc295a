"""Sockets that say what changed: a real web process, a real Redis; this process is the worker."""

import signal
import time
from contextlib import ExitStack, contextmanager
from uuid import uuid4

import pytest
import redis
from django.db import connection

from accounts.models import Membership, Session, User
from config.channel_layers import channel_layers
from config.embedded.processes import wait_until
from config.embedded.redis import STOP_SIGNAL, Redis
from engine.statuses import StepStatus
from runs.kernel import live, redis_live
from runs.kernel.live import INBOX, TREE, Change, Publisher, Topic
from runs.reading.events import mark_of
from runs.web.consumers import REFRESHES_SPARED
from tests import factories as make
from tests.serving import served, site
from tests.sockets import NOBODY, Watcher, refusal, session_of

__all__ = ["site"]

pytestmark = pytest.mark.django_db(transaction=True)

BEATS_OFTEN = "from runs.web import consumers; consumers.BEAT_SECONDS = 0.1"
REFRESHES_OFTEN = f"{BEATS_OFTEN}; consumers.REFRESH_SECONDS = 0.1"
TURNS_COME_LATE = (
    "import time; consumers.pace.turn = lambda latest: consumers.Turn(9.0, time.monotonic() + 0.7)"
)
FEW_PLACES = "from runs.web import consumers; consumers.USER_SOCKETS = 2"


@pytest.fixture
def ann(transactional_db) -> User:
    """A viewer of the default tenant."""
    return a_member("ann")


@pytest.fixture
def session(ann) -> str:
    return session_of(ann)


@pytest.fixture(autouse=True)
def _nobody_watches(settings):
    redis.Redis.from_url(settings.REDIS_URL).delete(redis_live.WATCHED)


def a_member(name: str, tenant: str = "default") -> User:
    return make.a_member(name, "viewer", tenant)


def a_run(*types: str, tenant: str = "default") -> str:
    return make.start(make.chain(*types or ["noop"]), tenant=make.a_tenant(tenant))[0]


def published(settings) -> int:
    """How many messages Redis was ever given."""
    stats = redis.Redis.from_url(settings.REDIS_URL).info("commandstats")
    return stats.get("cmdstat_publish", {"calls": 0})["calls"]


def test_a_page_hears_what_its_run_does_and_nothing_of_what_is_in_it(site, session):
    run_id = make.start(make.chain("noop", "noop"), {"secret": "tell nobody"})[0]
    with Watcher(site, f"/ws/runs/{run_id}", session) as page:
        caught_up = page.hear()
        make.work()
        said = page.hear_all(1.0)
    assert caught_up["changed"] == ["run", "steps"]
    assert {key for message in said for key in message} == {
        "v",
        "seq",
        "id",
        "reload",
        "topic",
        "changed",
        "nodes",
        "status",
    }
    assert {message["topic"] for message in said} == {f"run:{run_id}"}
    assert said[-1]["nodes"]["b"] == "COMPLETED"
    assert said[-1]["status"] == "COMPLETED"
    assert [message["seq"] for message in said] == sorted(message["seq"] for message in said)


def test_a_step_that_takes_its_time_is_said_to_run(site, session):
    run_id = a_run("noop")
    with Watcher(site, f"/ws/runs/{run_id}", session) as page:
        page.settled()
        held = make.claimed()
        live.tell_steps(held, StepStatus.RUNNING)
        assert page.hear()["nodes"] == {"a": "RUNNING"}
        make.complete(*held)
        message = page.hear()
    assert (message["changed"], message["nodes"]) == (["run", "steps"], {"a": "COMPLETED"})


def test_of_items_it_is_not_said_as_if_it_were_their_container(site, session):
    body = {"type": "job", "queue": "parts"}
    nodes = [{"id": "each", "type": "map", "params": {"items": [1, 2], "body": body}}]
    run_id = make.start(make.graph(nodes, []))[0]
    make.work()
    with Watcher(site, f"/ws/runs/{run_id}", session) as page:
        page.settled()
        held = make.claimed("parts")
        live.tell_steps(held, StepStatus.RUNNING)
        make.complete(held[0], output={})
        said = page.hear_all(1.0)
    assert said
    assert [message["nodes"] for message in said] == [{}] * len(said)


def test_a_list_hears_of_new_runs_and_of_what_they_do(site, session):
    with Watcher(site, "/ws/runs", session) as page:
        page.settled()
        run_id = a_run()
        first = page.hear()
        make.cancel(run_id)
        second = page.hear()
    assert first["topic"] == second["topic"] == "runs"
    assert first["changed"] == second["changed"] == ["runs"]
    assert first["nodes"] == second["nodes"] == {}


@pytest.mark.parametrize("verb", [make.cancel, make.resume])
def test_what_people_do_to_a_run_is_said(site, session, verb):
    run_id = a_run("noop")
    if verb is make.resume:
        make.fail(*make.claimed())
    with Watcher(site, f"/ws/runs/{run_id}", session) as page:
        page.settled()
        verb(run_id)
        assert page.hear()["changed"] == ["run", "steps"]


def test_what_happened_while_nobody_listened_is_caught_up_with(site, session):
    run_id = a_run("noop")
    with Watcher(site, f"/ws/runs/{run_id}", session) as page:
        page.settled()
    make.work()
    with Watcher(site, f"/ws/runs/{run_id}", session) as page:
        assert page.hear(2.0)["changed"] == ["run", "steps"]


def test_what_is_said_to_all_that_there_are_waits_for_turns_too(session):
    with (
        served(f"{REFRESHES_OFTEN}; {TURNS_COME_LATE}") as (here, _),
        Watcher(here, "/ws/runs", session) as page,
    ):
        page.settled()
        began = time.monotonic()
        assert page.hear()["changed"] == ["runs"]
        assert time.monotonic() - began >= 0.7


def test_a_page_that_shows_its_run_as_it_is_need_not_read_it(session):
    run_id, tenant = a_run("noop"), make.a_tenant().pk
    path = f"/ws/runs/{run_id}?mark="
    with served(REFRESHES_OFTEN) as (here, _):
        with Watcher(here, path + mark_of(tenant, run_id), session) as page:
            assert page.beat()["changed"] == []
            # Not for ever: its mark tells nothing of names and tasks.
            assert page.hear(REFRESHES_SPARED)["changed"] == ["run", "steps"]
        make.work()
        with Watcher(here, f"{path}an-older-one", session) as page:
            assert page.hear(2.0)["changed"] == ["run", "steps"]


def test_of_a_run_of_very_many_steps_no_mark_is_made():
    run_id, tenant = a_run("noop"), make.a_tenant().pk
    assert mark_of(tenant, run_id)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO runs_stepexecution SELECT (jsonb_populate_record(s, jsonb_build_object("
            "'id', gen_random_uuid(), 'node', s.node || n))).* FROM runs_stepexecution s, generate_series(1, 2000) n"
        )
    assert mark_of(tenant, run_id) == ""


def test_others_runs_and_other_tenants_are_not_heard_of(site, session):
    other, mine = a_run(), a_run()
    a_member("bob", "theirs")
    with Watcher(site, f"/ws/runs/{mine}", session) as page, Watcher(site, "/ws/runs", session) as listing:
        for watcher in (page, listing):
            watcher.settled()
        a_run(tenant="theirs")
        assert listing.hear_all(0.6) == []
        make.cancel(other)
        assert page.hear_all(0.6) == []


def test_many_changes_are_few_messages_and_the_last_is_among_them(site, session):
    run_id, tenant = a_run(), make.a_tenant().pk
    with Watcher(site, f"/ws/runs/{run_id}", session) as page:
        page.settled()
        for told in range(1, 2001):
            live.tell([Change(tenant, run_id, False, "a", str(told))])
        said = page.hear_all(0.6)
    assert len(said) <= 20
    assert said[-1]["nodes"] == {"a": str(told)}


def test_nothing_is_sent_where_nobody_watches(settings):
    before = published(settings)
    a_run("noop", "noop")
    make.work()
    wait_until(lambda: not live._publisher._pending, 5, "the publisher")
    assert published(settings) == before


def test_where_nobody_watches_changes_are_not_even_looked_at(settings):
    publisher = Publisher()
    publisher.tell([Change(1, NOBODY)])
    wait_until(lambda: not publisher._pending, 5, "the publisher")
    publisher.tell(pytest.fail("not to be asked for") for _ in "x")
    publisher.settle()


# Who gets in.


def test_whoever_may_not_see_a_run_is_refused_as_if_there_were_none(site, session):
    theirs = a_run(tenant="theirs")
    lonely = make.a_user("lonely")
    unknown = refusal(site, f"/ws/runs/{uuid4()}", session)
    assert unknown == refusal(site, f"/ws/runs/{theirs}", session)
    assert unknown == refusal(site, f"/ws/runs/{theirs}", None)
    assert unknown == refusal(site, f"/ws/runs/{theirs}", "no such session")
    assert unknown == refusal(site, "/ws/runs", session_of(lonely))
    assert unknown == refusal(site, "/ws/elsewhere", session)
    assert unknown[0] == 403


@pytest.mark.parametrize(
    "origin", [None, "null", "http://evil.example", "http://127.0.0.1:1", "http://localhost"]
)
def test_a_page_of_another_origin_is_refused(site, session, origin):
    assert refusal(site, "/ws/runs", session, origin)[0] == 403
    assert refusal(site, "/ws/runs", session) == (0, b"")


def test_an_unknown_host_is_refused_even_as_its_own_origin(site, session):
    assert refusal(site, "/ws/runs", session, named="http://evil.example")[0] == 403


def test_a_session_that_is_over_opens_nothing(site, ann, session):
    assert refusal(site, "/ws/runs", session) == (0, b"")
    ann.set_password("another long password")
    ann.save()
    assert refusal(site, "/ws/runs", session)[0] == 403
    fresh = session_of(ann)
    User.objects.filter(pk=ann.pk).update(is_active=False)
    assert refusal(site, "/ws/runs", fresh)[0] == 403


def test_who_is_not_allowed_any_more_is_not_told_any_more(site, ann, session):
    run_id = a_run()
    with (
        Watcher(site, "/ws/runs", session) as first,
        Watcher(site, f"/ws/runs/{run_id}", session_of(ann)) as second,
    ):
        first.settled()
        Session.objects.filter(pk=session).delete()
        assert first.closed(15) == 4403
        assert second.hear()["topic"] == f"run:{run_id}"
        Membership.objects.for_tenant(make.a_tenant().pk).delete()
        assert second.closed(15) == 4403


# Limits.


def test_a_client_may_say_ping_and_nothing_else(site, session):
    for said, code in (("hello", 1008), (b"ping", 1008), ("x" * 2000, 1009)):
        with Watcher(site, "/ws/runs", session) as page:
            page.socket.send("ping")
            assert '"changed": []' in page.socket.recv(timeout=5)
            page.socket.send(said)
            assert page.closed() == code


def test_who_pings_all_the_time_is_thrown_out(site, session):
    with Watcher(site, "/ws/runs", session) as page:
        page.socket.send("ping")
        page.socket.send("ping")
        assert page.closed() == 1008


def test_a_user_has_so_many_sockets_and_gets_a_place_back(session):
    with served(FEW_PLACES) as (here, _):
        with Watcher(here, "/ws/runs", session), Watcher(here, "/ws/runs", session):
            assert refusal(here, "/ws/runs", session)[0] == 403
        wait_until(lambda: refusal(here, "/ws/runs", session) == (0, b""), 5, "a free place")


def test_a_web_process_that_ends_says_so_and_ends_at_once(session):
    with served() as (here, process), Watcher(here, "/ws/runs", session) as page:
        page.settled()
        process.send_signal(signal.SIGTERM)
        assert page.closed() == 1012
        process.wait(3)


# Redis.


@contextmanager
def running(server: Redis):
    process = server.start()
    try:
        wait_until(server.is_ready, 10, "Redis")
        yield process
    finally:
        process.send_signal(STOP_SIGNAL)
        process.wait(10)


@pytest.fixture
def own_redis(tmp_path, settings) -> Redis:
    """A Redis that is not running yet, and which this process publishes through."""
    server = Redis(tmp_path / "redis")
    server.prepare()
    settings.REDIS_URL, settings.CHANNEL_LAYERS = server.url, channel_layers(server.url)
    return server


def test_redis_that_is_away_costs_the_engine_nothing(own_redis, monkeypatch):
    publisher = Publisher()
    monkeypatch.setattr(live, "_publisher", publisher)
    run_id = a_run("noop", "noop")
    began = time.monotonic()
    for _ in range(1000):
        publisher.tell([Change(1, run_id)])
    # It takes some milliseconds; were Redis asked each time, it would be more than this however fast the machine is.
    assert time.monotonic() - began < 2
    make.work()
    assert make.run(run_id).status == "COMPLETED"
    publisher.settle()


def test_sockets_end_with_redis_and_come_back_with_it(own_redis, session, monkeypatch):
    monkeypatch.setattr(live, "_publisher", Publisher())
    run_id = a_run("noop")
    path = f"/ws/runs/{run_id}"
    with served(BEATS_OFTEN, REDIS_URL=own_redis.url) as (here, _):
        assert refusal(here, path, session)[0] == 403
        with ExitStack() as leaving:
            with running(own_redis):
                page = leaving.enter_context(Watcher(here, path, session)).settled()
            assert page.closed() == 1013
        assert refusal(here, path, session)[0] == 403
        with running(own_redis), Watcher(here, path, session) as page:
            page.settled()
            wait_until(lambda: not live._publisher._lost, 5, "the publisher")
            page.hear_all(1.5)
            make.work()
            # Whose connection turns out to be an old one says a second later that everything may have changed.
            assert page.hear(5)["changed"]
    live.settle()


def test_what_could_not_be_told_is_made_up_for(own_redis):
    publisher, topic = Publisher(), Topic(1, NOBODY)
    publisher.tell([Change(1, NOBODY)])
    wait_until(lambda: publisher._lost, 5, "the failure")
    with running(own_redis):
        client = redis.Redis.from_url(own_redis.url)
        client.zadd(redis_live.WATCHED, {topic.group: time.time() + 60})
        with client.pubsub() as heard:
            heard.psubscribe("*")
            assert heard.get_message(timeout=5)["type"] == "psubscribe"
            message = heard.get_message(timeout=5)
            assert message["channel"].endswith(live.ALL.encode())
            assert topic.group.encode() in message["data"]
        publisher.settle()


def test_a_topic_is_read_from_its_group():
    for topic in (Topic(12), Topic(3, NOBODY), Topic(3, NOBODY, TREE), Topic(12, about=INBOX)):
        assert Topic.of(topic.group) == topic
