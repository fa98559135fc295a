"""What strangers and tenants can't take from others: streams without a token, places to wait, the beat; and what a poll
leases and nobody gets.
"""

import asyncio
import time

import grpc
import pytest
from django.db import connection, transaction
from grpc.aio import AioRpcError, Metadata
from grpc_health.v1 import health_pb2, health_pb2_grpc

from config.embedded.processes import wait_until
from integrations.grpc import news, standard
from integrations.grpc.calls import Call
from integrations.grpc.fitting import fill_fitting
from integrations.grpc.limits import ADDRESS_HEALTH_STREAMS, POLL_BYTES
from integrations.grpc.process_limits import Limits
from integrations.grpc.server import answers
from integrations.grpc.standard import Health, StrangersPlaces
from lib.refusals import TooMuchWork
from lib.waiting import Attempt
from runs.models import StepExecution
from tests import rochallor
from tests.integrations.grpc.speaking import Client, answering, message


class Ended(Exception):
    pass


class Context:
    """A call that remembers what it was told."""

    def __init__(self, peer="ipv4:10.0.0.1:555"):
        self.written, self.of = [], peer

    def peer(self):
        return self.of

    async def write(self, said):
        self.written.append(said)

    async def abort(self, code, details):
        raise Ended(code)


def watched(servicer, context):
    with pytest.raises(Ended) as caught:
        asyncio.run(servicer.Watch(health_pb2.HealthCheckRequest(), context))
    return caught.value.args[0]


def test_health_is_watched_for_a_while_and_its_place_is_free_again(monkeypatch):
    monkeypatch.setattr(standard, "WATCH_SECONDS", 0.01)
    servicer, context = Health(StrangersPlaces()), Context()
    for _ in range(ADDRESS_HEALTH_STREAMS + 1):
        assert watched(servicer, context) is grpc.StatusCode.UNAVAILABLE
    assert len(context.written) == ADDRESS_HEALTH_STREAMS + 1


def test_strangers_have_few_places_of_an_address_and_in_all():
    places = StrangersPlaces(1, 2)
    with places.place("ipv4:10.0.0.1:1") as one, places.place("ipv4:10.0.0.1:2") as same:
        assert (one, same) == (True, False)
        with places.place("ipv6:[::1]:1") as two, places.place("ipv4:10.0.0.3:1") as three:
            assert (two, three) == (True, False)


def test_a_stranger_who_watches_too_much_is_refused_and_others_are_answered(grpc_site):
    with grpc.insecure_channel(grpc_site) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        request = health_pb2.HealthCheckRequest()
        streams = [stub.Watch(request, timeout=20) for _ in range(ADDRESS_HEALTH_STREAMS)]
        for stream in streams:
            next(stream)
        with pytest.raises(grpc.RpcError) as caught:
            next(stub.Watch(request, timeout=20))
        assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert stub.Check(request, timeout=5).status == health_pb2.HealthCheckResponse.SERVING
        for stream in streams:
            stream.cancel()


@pytest.mark.parametrize(
    ("code", "lives"),
    [(grpc.StatusCode.RESOURCE_EXHAUSTED, True), (grpc.StatusCode.DEADLINE_EXCEEDED, False)],
)
def test_a_process_with_too_much_to_do_lives(code, lives):
    async def check(request, timeout):
        raise AioRpcError(code, Metadata(), Metadata())

    assert asyncio.run(answers(check)) is lives


class Nothing:
    """Threads that find no job."""

    async def do(self, work):
        return frozenset()


def test_polls_without_a_place_are_answered_at_once_and_streams_have_theirs(monkeypatch):
    monkeypatch.setattr(news, "PLACES_OF_ONE", 1)
    monkeypatch.setattr(news, "PLACES", 2)

    async def play():
        board = news.News(Nothing())
        first, other = (asyncio.create_task(board.wait(Attempt(caller=who), 60)) for who in ("one", "two"))
        await asyncio.wait({first, other}, timeout=0.05)
        refused = [await board.wait(Attempt(caller=who), 60) for who in ("one", "three")]
        stream = asyncio.create_task(board.come(frozenset(), 60))
        await asyncio.wait({stream}, timeout=0.05)
        waiting = [task.done() for task in (first, other, stream)]
        board.stop()
        ended = await asyncio.gather(first, other, stream)
        return refused, waiting, ended, board._polls.total()

    assert asyncio.run(play()) == ([False, False], [False] * 3, [False] * 3, 0)


@pytest.mark.parametrize(
    ("sizes", "count"),
    [([POLL_BYTES * 2, 1], 1), ([POLL_BYTES // 2, POLL_BYTES // 3, POLL_BYTES // 3], 2), ([], 0)],
)
def test_one_job_always_fits_and_others_while_there_is_room(sizes, count):
    answer = message("workflow.v1.PollJobsResponse")()
    fitted = fill_fitting(answer.jobs, sizes, lambda job, size: setattr(job, "id", "x" * size))
    assert (fitted, len(answer.jobs)) == (count, count)


@pytest.fixture
def rest(people):
    """The admin's client of the REST API."""
    return people.client("admin")


@pytest.fixture
def theirs(speak):
    """A client of the same tenant's admin, over gRPC."""
    return speak("admin")


def test_a_poll_gives_what_a_client_takes_and_the_rest_goes_back(rest, theirs):
    rest.post("/v1/definitions", rochallor.RETRY)
    for _ in range(50):
        rest.post("/v1/instances", {"definitionId": "flow", "variables": {"text": "x" * 90_000}})
    first = theirs.engine("PollJobs", worker_id="w", job_types=["flaky"], max_jobs=64).jobs
    assert 30 < len(first) < 50
    assert StepExecution.unsafe_all_tenants.filter(status="RUNNING").count() == len(first)
    second = theirs.engine("PollJobs", worker_id="w", job_types=["flaky"], max_jobs=64).jobs
    assert len({job.step_execution_id for job in (*first, *second)}) == 50
    assert {job.retries_remaining for job in second} == {first[0].retries_remaining}


def test_who_hangs_up_while_it_polls_gives_back_what_was_leased(rest, theirs):
    rest.post("/v1/definitions", rochallor.RETRY)
    rest.post("/v1/instances", {"definitionId": "flow"})
    poll = {"worker_id": "w", "job_types": ["flaky"]}
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"LOCK TABLE {StepExecution._meta.db_table} IN ACCESS EXCLUSIVE MODE")
        # The claim waits for us, and is done when nobody is there any more.
        with pytest.raises(grpc.RpcError) as caught:
            theirs.engine("PollJobs", seconds=1.5, **poll)
        assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    jobs = []
    wait_until(lambda: jobs.extend(theirs.engine("PollJobs", **poll).jobs) or jobs, 10, "the job")
    assert StepExecution.unsafe_all_tenants.get(pk=jobs[0].step_execution_id).attempt == 1


def test_a_caller_who_calls_too_often_is_told_when_to_come_again(people, rest):
    with (
        answering(HANDOFF_TOKEN_REQUESTS_PER_MINUTE="12") as (address, _),
        grpc.insecure_channel(address) as one,
    ):
        client, other = (Client(one, people.token(role)) for role in ("admin", "worker"))
        poll = {"worker_id": "w", "job_types": ["flaky"]}
        # The token is known from the first answer on, and two calls may come at once.
        for _ in range(3):
            client.engine("PollJobs", **poll)
        with pytest.raises(grpc.RpcError) as caught:
            client.engine("PollJobs", **poll)
        assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert "12 requests a minute" in caught.value.details()
        other.engine("PollJobs", **poll)


def test_a_call_that_computes_for_too_long_is_ended():
    def compute():
        end = time.thread_time() + 20
        while time.thread_time() < end:
            pass

    call = Call({}, "ipv4:10.0.0.1:555", "id")
    with pytest.raises(TooMuchWork, match="s of computing"):
        Limits({}, 0.2).do(call, compute, is_first=True)
    assert Limits({}, 0.2).do(call, lambda: "done", is_first=True) == "done"
