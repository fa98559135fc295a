"""Workers with the SDK that get jobs through a broker."""

import secrets
import time
from urllib.parse import urlsplit

import pytest
import redis
from confluent_kafka import Consumer, Producer, TopicPartition
from django.db import connection

from config.embedded.processes import wait_until
from integrations.broker.kafka import KafkaBroker
from integrations.broker.redis_streams import RedisStreams
from integrations.broker.relay import Relay
from runs.models import StepExecution
from tests.serving import served

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]

WORKER = """
worker = Worker(
    slots=int(os.environ.get("SLOTS", "4")), events=events, drain_seconds=float(os.environ.get("DRAIN", "30"))
)
held = most = 0

@worker.step("charge", queue=os.environ["QUEUE"])
async def charge(ctx):
    global held, most
    held += 1
    most = max(most, held)
    print("working", ctx.input["n"], flush=True)
    await asyncio.sleep(float(os.environ.get("SECONDS", "0")))
    held -= 1
    if ctx.input["n"] < 0 and ctx.attempt == 1:
        raise StepError("Not yet.")
    return {"n": ctx.input["n"], "attempt": ctx.attempt, "most": most, "name": os.environ.get("NAME", "")}

worker.run()
"""


class Streams:
    """Redis, as these tests need it."""

    def __init__(self, queue, url):
        self.stream, self.group = f"ours.workflow.jobs.{queue}", f"ours.workflow.workers.{queue}"
        self.redis = redis.Redis.from_url(url)
        self.publisher = RedisStreams(url)
        self.events = (
            "from handoff_sdk.redis_streams import RedisEvents\n"
            f"events = RedisEvents({url!r}, tenant='ours')\n"
        )

    def send_strange(self):
        self.redis.xadd(self.stream, {"event": b"1"})
        self.redis.xadd(self.stream, {"event": b"1", "job-id": "ä" * 300})

    def is_read(self):
        return not self.redis.xlen(self.stream)

    def close(self):
        self.publisher.close()
        self.redis.close()


class Topics:
    """Kafka, as these tests need it."""

    def __init__(self, queue, node):
        self.topic, self.group, self.node = (
            f"ours.workflow.jobs.{queue}",
            f"ours.workflow.workers.{queue}",
            node,
        )
        self.publisher = KafkaBroker(node.client, partitions=2)
        self.events = (
            "from handoff_sdk.kafka import KafkaEvents\n"
            f"events = KafkaEvents({node.server.address!r}, tenant='ours')\n"
        )

    def send_strange(self):
        producer = Producer({**self.node.client, "log_level": 0})
        producer.produce(self.topic, b"1", partition=0)
        producer.produce(self.topic, b"1", partition=1, headers={"job-id": "ä" * 300})
        assert producer.flush(20) == 0

    def is_read(self):
        reader = Consumer({**self.node.client, "group.id": self.group, "log_level": 0})
        try:
            places = [
                TopicPartition(self.topic, number) for number in range(self.node.partitions(self.topic))
            ]
            ends = [reader.get_watermark_offsets(place, timeout=20)[1] for place in places]
            return [max(place.offset, 0) for place in reader.committed(places, timeout=20)] == ends
        finally:
            reader.close()

    def close(self):
        self.publisher.close()


@pytest.fixture
def queue():
    """One that nobody has used: Kafka keeps what is on it."""
    return f"charge-{secrets.token_hex(4)}"


@pytest.fixture(params=["redis", pytest.param("kafka", marks=pytest.mark.kafka)])
def broker(request, queue, settings):
    if request.param == "kafka":
        made = Topics(queue, request.getfixturevalue("kafka"))
    else:
        made = Streams(queue, settings.REDIS_URL)
    yield made
    made.close()


@pytest.fixture
def relay(db, broker, settings):
    """A relay; what queues a job in this process leaves a row in the outbox."""
    settings.HANDOFF_BROKER = "redis"
    with connection.cursor() as cursor:
        cursor.execute("SET handoff.dispatch = 'outbox'")
    made = Relay(broker.publisher, secrets.token_hex(4), 300)
    yield made
    made.leave()
    with connection.cursor() as cursor:
        cursor.execute("RESET handoff.dispatch")


@pytest.fixture(scope="module")
def site(django_db_setup):
    """The address of a web process in that mode."""
    with served(HANDOFF_DISPATCH="redis_outbox") as (address, _):
        yield address


@pytest.fixture
def worker(program, site, broker, queue):
    """Starts a worker of the queue."""

    def start(name="program", **environment):
        return program(broker.events + WORKER, site, name, QUEUE=queue, NAME=name, **environment)

    return start


@pytest.fixture
def all_ended(api, relay):
    """Relays until all these runs have ended; gives them."""

    def do(*runs, seconds=15):
        def look():
            relay.turn()
            return all(api.get(f"/api/v1/runs/{run}").json()["status"] == "COMPLETED" for run in runs)

        wait_until(look, seconds, "all runs")
        return [api.get(f"/api/v1/runs/{run}").json() for run in runs]

    return do


@pytest.fixture
def one(api, publish, queue):
    """Starts a run with this number."""
    publish(queue=queue)

    def do(number):
        answer = api.post("/api/v1/runs", {"workflow": "pay", "input": {"n": number}})
        assert answer.status_code == 201, answer.json()
        return answer.json()["id"]

    return do


def relay_all(relay):
    while relay.turn():
        pass


def test_a_worker_does_what_it_hears_of_and_the_broker_keeps_none_of_it(broker, worker, one, all_ended):
    first = [one(number) for number in range(3)]
    with worker() as there:
        runs = all_ended(*first, *(one(number) for number in range(3, 6)))
        wait_until(broker.is_read, 20, "what was told is let go of")
        assert there.stop() == 0
    assert sorted(run["output"]["n"] for run in runs) == list(range(6))
    assert all(run["output"]["attempt"] == 1 for run in runs)
    assert "subscribes to the queues" in there.said()


def test_it_never_has_more_than_its_slots_and_hears_on(broker, worker, one, all_ended):
    numbers = [one(number) for number in range(20)]
    with worker(SLOTS="3", SECONDS="0.2"):
        runs = all_ended(*numbers)
    assert max(run["output"]["most"] for run in runs) == 3
    assert {StepExecution.unsafe_all_tenants.get(run_id=run).epoch for run in numbers} == {1}


def test_a_failed_attempt_is_heard_of_again(worker, one, all_ended):
    number = one(-1)
    with worker():
        [run] = all_ended(number)
    assert run["output"]["attempt"] == 2


def test_two_workers_do_each_job_once(broker, worker, one, all_ended):
    with worker("a", SLOTS="2", SECONDS="0.3") as a, worker("b", SLOTS="2", SECONDS="0.3") as b:
        for each in (a, b):
            each.until_it_says("subscribes to")
        numbers = [one(number) for number in range(16)]
        all_ended(*numbers)
        begun = (a.said() + b.said()).count("working")
    assert begun == 16
    assert {StepExecution.unsafe_all_tenants.get(run_id=run).epoch for run in numbers} == {1}


def test_what_a_worker_that_stops_has_not_begun_is_for_the_next_one(relay, worker, one, all_ended):
    numbers = [one(number) for number in range(4)]
    relay_all(relay)
    with worker("a", SLOTS="1", SECONDS="2") as a:
        a.until_it_says("working")
        began = time.monotonic()
        assert a.stop() == 0
        assert time.monotonic() - began < 10
    assert a.said().count("working") == 1
    with worker("b"):
        runs = all_ended(*numbers, seconds=30)
    assert sorted(run["output"]["name"] for run in runs) == ["a", "b", "b", "b"]


def test_what_is_no_event_of_handoffs_is_left_out(broker, relay, worker, one, all_ended):
    first = one(1)
    relay_all(relay)
    broker.send_strange()
    with worker() as there:
        all_ended(first)
        there.until_it_says("no id of a job")
        all_ended(one(2))


def test_a_token_that_opens_nothing_ends_it(program, broker, queue, site):
    with program(broker.events + WORKER, site, QUEUE=queue, TOKEN="ho_wrong") as there:
        assert there.process.wait(20) == 1
    assert "authentication_failed" in there.said()


@pytest.mark.exhaustive
def test_a_handoff_that_is_away_is_asked_until_it_answers(program, broker, queue, one, relay, all_ended):
    mode = {"HANDOFF_DISPATCH": "redis_outbox"}
    with served(**mode) as (address, process), program(broker.events + WORKER, address, QUEUE=queue) as there:
        all_ended(one(1))
        process.terminate()
        process.wait(20)
        number = one(2)
        relay_all(relay)
        there.until_it_says("no jobs, trying again")
        with served(port=urlsplit(address).port, **mode):
            [run] = all_ended(number, seconds=30)
        assert there.process.poll() is None
    assert run["output"]["attempt"] == 1


def test_handoff_lists_who_hears(api, worker, queue):
    with worker("me") as there:
        there.until_it_says("subscribes to")
        wait_until(lambda: api.get("/api/v1/workers").json()["results"], 20, "the worker")
    [listed] = api.get("/api/v1/workers").json()["results"]
    assert listed["queues"] == [queue]


@pytest.mark.parametrize("broker", ["redis"], indirect=True)
def test_what_a_worker_took_that_died_is_taken_by_another(broker, relay, worker, one, all_ended):
    number = one(1)
    relay_all(relay)
    broker.redis.xgroup_create(broker.stream, broker.group, id="0")
    [[_, [(entry, _)]]] = broker.redis.xreadgroup(broker.group, "dead", {broker.stream: ">"})
    broker.redis.xclaim(broker.stream, broker.group, "dead", 0, [entry], idle=61_000)
    with worker():
        all_ended(number)
        wait_until(broker.is_read, 20, "what was told is let go of")


@pytest.mark.parametrize("broker", ["redis"], indirect=True)
def test_a_redis_that_has_lost_everything_is_heard_on(broker, worker, one, all_ended):
    with worker() as there:
        all_ended(one(1))
        broker.redis.delete(broker.stream)
        there.until_it_says("trying again")
        all_ended(one(2))


@pytest.mark.parametrize("broker", ["redis"], indirect=True)
def test_who_has_stopped_leaves_no_consumer_behind(broker, worker, one, all_ended):
    with worker() as there:
        all_ended(one(1))
        assert there.stop() == 0
    assert broker.redis.xinfo_consumers(broker.stream, broker.group) == []


@pytest.mark.parametrize("broker", [pytest.param("kafka", marks=pytest.mark.kafka)], indirect=True)
def test_a_full_worker_stays_in_its_group_and_lets_others_come(broker, worker, one, relay):
    """Who does not ask is waited for by whoever comes to the group, for minutes."""
    one(0)
    relay_all(relay)
    with worker("full", SLOTS="1", SECONDS="60", DRAIN="1") as full:
        full.until_it_says("working")
        for number in range(1, 20):
            one(number)
        relay_all(relay)
        with worker("other", SLOTS="4") as other:
            other.until_it_says("working", 30)
        assert full.said().count("working") == 1
