"""What stands between a worker and Handoff: answers of proxies, jobs that break the server, steps that misbehave."""

import asyncio
import json
import time
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from handoff_sdk import StepError, Worker
from handoff_sdk.calls import Call, Retries, is_result
from handoff_sdk.errors import error_of
from handoff_sdk.jobs import Claim, failure_of
from handoff_sdk.reports import Reports
from handoff_sdk.sender import AsyncSender
from handoff_sdk.watcher import Watcher
from handoff_sdk.worker import _Shift

PAGE = {"Content-Type": "text/html"}
JOB = {"id": "j1", "node": "score", "lease_token": "t"}


class Counting(Watcher):
    """Counts retried reports."""

    def __init__(self):
        self.retries = []

    def report_retried(self, verb):
        self.retries.append(verb)


def told(answer, words=("a",), seconds=5.0, watcher=None):
    """What Handoff says of these words, each of which is an item's id, where `answer(ids)` is what a server answers."""

    async def handle(request: httpx.Request) -> httpx.Response:
        return answer([item["id"] for item in json.loads(request.content)["items"]])

    async def tell():
        http = httpx.AsyncClient(transport=httpx.MockTransport(handle))
        async with AsyncSender(
            "http://handoff/api/v1", "token", retries=Retries(limit=0), http=http
        ) as sender:
            reports = Reports(sender, "complete", watcher or Watcher())
            working = asyncio.create_task(reports.work())
            until = time.monotonic() + seconds
            telling = [reports.submit(b'{"id":"%s"}' % word.encode(), until) for word in words]
            try:
                return await asyncio.gather(*telling, return_exceptions=True)
            finally:
                working.cancel()

    return asyncio.run(tell())


def applied(ids):
    return httpx.Response(200, json={"results": [{"id": one, "applied": True} for one in ids]})


@pytest.mark.parametrize("status", [302, 403, 404, 522, 200])
def test_a_proxys_answer_is_none_and_the_result_is_told_again(status):
    answers = iter([httpx.Response(status, headers=PAGE, text="<h1>Maintenance</h1>")])
    watcher = Counting()
    (result,) = told(lambda ids: next(answers, None) or applied(ids), watcher=watcher)
    assert result["applied"]
    assert watcher.retries == ["complete"]


def test_handoffs_own_refusal_is_one():
    said = httpx.Response(404, json={"error": {"code": "not_found", "message": "There is no such job."}})
    error = error_of(said)
    assert (error.is_from_handoff, error.is_retryable) == (True, False)
    assert not is_result(Call("GET", "/runs"), said)


def test_a_job_that_breaks_the_server_holds_up_no_other():
    def answer(ids):
        return (
            httpx.Response(500, json={"error": {"code": "x", "message": "y"}})
            if "bad" in ids
            else applied(ids)
        )

    bad, *good = told(answer, ["bad", *map(str, range(8))], seconds=1.0)
    assert [one["applied"] for one in good] == [True] * 8
    assert type(bad).__name__ == "Unreported"


def test_whatever_a_step_raises_can_be_told():
    held = Claim(JOB, 10.0, 10.0)
    for error in (StepError("no", code=404, details=["a list"]), SystemExit(3), ValueError("\0")):
        word = json.loads(failure_of(held, error).body)
        assert word["error"]["code"] in ("404", "SystemExit", "ValueError")
        assert type(error).__name__ in word["error"]["stack"]
    assert json.loads(failure_of(held, StepError("no", details=["a"])).body)["error"]["details"] == {
        "text": "['a']"
    }


def test_jobs_whose_poll_is_answered_while_the_worker_stops_are_given_back():
    worker, begun, released = Worker("http://handoff", "token"), [], []
    ends = datetime.now(UTC) + timedelta(seconds=30)
    job = JOB | {
        "run_id": "r",
        "attempt": 1,
        "lease_expires_at": ends.isoformat(),
        "input": None,
        "params": {},
    }

    async def handle(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/poll"):
            worker.stop()
            answered = asyncio.Event()
            asyncio.get_running_loop().call_later(0.05, answered.set)
            await answered.wait()
            return httpx.Response(200, json={"jobs": [job]})
        released.append(request.url.path)
        return httpx.Response(200, json={"applied": True})

    async def serve():
        stopped = asyncio.Event()
        worker._wake = lambda: stopped.set()
        http = httpx.AsyncClient(transport=httpx.MockTransport(handle))
        async with AsyncSender(
            "http://handoff/api/v1", "token", retries=Retries(limit=0), http=http
        ) as sender:
            await _Shift(worker, sender, stopped).work()

    worker.step("score")(begun.append)
    asyncio.run(serve())
    assert (begun, released) == ([], ["/api/v1/jobs/j1/release"])
