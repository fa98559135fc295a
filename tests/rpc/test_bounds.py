"""What strangers and tenants can't take from others: streams without a token, places to wait, and the beat."""

import asyncio

import grpc
import pytest
from grpc.aio import AioRpcError, Metadata
from grpc_health.v1 import health_pb2, health_pb2_grpc

from lib.waiting import Attempt
from rpc import news, standard
from rpc.fitting import LARGEST_POLL, fill_fitting
from rpc.server import answers
from rpc.standard import Health, StrangersPlaces
from tests.rpc.speaking import message


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
    for _ in range(standard.MOST_OF_ONE + 1):
        assert watched(servicer, context) is grpc.StatusCode.UNAVAILABLE
    assert len(context.written) == standard.MOST_OF_ONE + 1


def test_strangers_have_few_streams_of_an_address_and_in_all(monkeypatch):
    monkeypatch.setattr(standard, "MOST", 2)
    monkeypatch.setattr(standard, "MOST_OF_ONE", 1)
    places = StrangersPlaces()
    with places.place("ipv4:10.0.0.1:1") as one, places.place("ipv4:10.0.0.1:2") as same:
        assert (one, same) == (True, False)
        with places.place("ipv6:[::1]:1") as two, places.place("ipv4:10.0.0.3:1") as three:
            assert (two, three) == (True, False)


def test_a_stranger_who_watches_too_much_is_refused_and_others_are_answered(grpc_site):
    with grpc.insecure_channel(grpc_site) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        request = health_pb2.HealthCheckRequest()
        streams = [stub.Watch(request, timeout=20) for _ in range(standard.MOST_OF_ONE)]
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
        await asyncio.sleep(0)
        return frozenset()


def test_polls_without_a_place_are_answered_at_once_and_streams_have_theirs(monkeypatch):
    monkeypatch.setattr(news, "PLACES_OF_ONE", 1)
    monkeypatch.setattr(news, "PLACES", 2)

    async def play():
        board = news.News(Nothing())
        first, other = (asyncio.create_task(board.wait(Attempt(caller=who), 60)) for who in ("one", "two"))
        await asyncio.sleep(0)
        refused = [await board.wait(Attempt(caller=who), 60) for who in ("one", "three")]
        stream = asyncio.create_task(board.come(frozenset(), 60))
        await asyncio.sleep(0)
        waiting = [task.done() for task in (first, other, stream)]
        board.stop()
        ended = await asyncio.gather(first, other, stream)
        return refused, waiting, ended, board._polls.total()

    assert asyncio.run(play()) == ([False, False], [False] * 3, [False] * 3, 0)


@pytest.mark.parametrize(
    ("sizes", "count"),
    [([LARGEST_POLL * 2, 1], 1), ([LARGEST_POLL // 2, LARGEST_POLL // 3, LARGEST_POLL // 3], 2), ([], 0)],
)
def test_one_job_always_fits_and_others_while_there_is_room(sizes, count):
    answer = message("workflow.v1.PollJobsResponse")()
    fitted = fill_fitting(answer.jobs, sizes, lambda job, size: setattr(job, "id", "x" * size))
    assert (fitted, len(answer.jobs)) == (count, count)
