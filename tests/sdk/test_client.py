"""The clients of the SDK: what they ask, what they make of errors, and when they ask again."""

import asyncio
import json
import time

import httpx
import pytest

from handoff_sdk import (
    AsyncClient,
    Client,
    Conflict,
    Forbidden,
    Invalid,
    NoResponse,
    NotAuthenticated,
    NotFound,
    Retries,
    Stale,
    Throttled,
    Unavailable,
    WaitTimeout,
    routes,
)
from runs.models import Run, StartedFrom
from tests.answering import answering, http
from tests.serving import site

__all__ = ["site"]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]
NODES = [
    {"id": "charge", "type": "job", "queue": "card"},
    {"id": "paid", "type": "signal", "params": {"name": "paid"}},
]
DEFINITION = {"name": "pay", "nodes": NODES, "edges": [{"from": "charge", "to": "paid"}]}
QUICK = Retries(first=0.01, longest=0.02)


@pytest.fixture
def client(site, people):
    """A client of the SDK with an admin's token."""
    with Client(f"{site}/api/v1", people.token(), http=httpx.Client(trust_env=False)) as client:
        client.address = f"{site}/api/v1"
        yield client


@pytest.fixture
def published(client):
    client.create_workflow("pay", DEFINITION)
    client.publish("pay", note="first")
    return client


def test_a_run_from_its_start_to_its_end(published):
    client = published
    run = client.start("pay", {"n": 1}, business_key="order-1")["id"]
    assert client.start("pay", {"n": 1}, business_key="order-1")["id"] == run
    assert Run.unsafe_all_tenants.get().started_from == StartedFrom.SDK
    [job] = client.poll("me", ["card"], jobs=5, wait=5)
    assert job["run_id"] == run
    assert client.heartbeat(job, {"share": 0.5})["applied"]
    assert client.release(job)["applied"]
    [job] = client.poll("me", ["card"])
    assert client.complete(job, {"receipt": 1})["applied"]
    assert client.complete(job, {"receipt": 1})["duplicate"]
    with pytest.raises(WaitTimeout, match=r"Wait for a signal \(paid\) waits"):
        client.wait(run, seconds=0.2)
    assert client.signal(run, "paid", "evt-1", {"amount": 3})["duplicate"] is False
    assert client.signal(run, "paid", "evt-1", {"amount": 3})["duplicate"] is True


def test_jobs_in_one_call(published):
    client = published
    client.start_many("pay", [{"input": {"n": number}} for number in range(3)])
    jobs = client.poll("me", ["card"], jobs=3)
    held = [{"id": job["id"], "lease_token": job["lease_token"]} for job in jobs]
    assert [one["applied"] for one in client.heartbeat_many([held[0] | {"progress": 1}, held[1]])] == [
        True
    ] * 2
    assert client.complete_many([held[0] | {"output": 1}])[0]["applied"]
    error = {"code": "NoCard", "message": "There is none."}
    assert client.fail_many([held[1] | {"error": error, "retryable": False}])[0]["applied"]
    assert client.fail(jobs[2], "NoCard", "There is none.", retryable=False)["applied"]
    assert {run["status"] for run in client.runs(status="FAILED")} == {"FAILED"}


def test_a_list_is_read_to_its_end(published):
    client = published
    client.start_many("pay", [{"input": {"n": number}} for number in range(7)])
    rows = list(client.pages(routes.get_runs(workflow="pay", limit=3)))
    assert sorted(row["input"]["n"] for row in rows) == list(range(7))
    assert [flow["name"] for flow in client.workflows(q="pay")] == ["pay"]
    assert client.cancel(rows[0]["id"], reason="not needed")["status"] == "CANCELLED"
    assert client.wait(rows[0]["id"])["status"] == "CANCELLED"


def test_errors_have_types_and_what_the_body_says(client, site, people):
    with pytest.raises(NotFound) as found:
        client.run("0190b6d6-0000-7000-8000-000000000000")
    assert (found.value.code, found.value.status) == ("not_found", 404)
    assert found.value.request_id
    with pytest.raises(Invalid) as found:
        client.send(routes.post_runs(workflow="pay", input=1, version=0))
    assert found.value.field == "version"
    client.create_workflow("pay", DEFINITION)
    with pytest.raises(Conflict, match="name_taken"):
        client.create_workflow("pay", DEFINITION)
    client.save_draft("pay", DEFINITION | {"title": "Pay"}, revision=1)
    with pytest.raises(Stale):
        client.save_draft("pay", DEFINITION, revision=1)
    inner = httpx.Client(trust_env=False)
    with (
        Client(f"{site}/api/v1", people.token("worker"), http=inner) as worker,
        pytest.raises(Forbidden) as found,
    ):
        worker.run("0190b6d6-0000-7000-8000-000000000000")
    assert found.value.details["scope"] == "runs:read"


def test_a_token_is_made_used_and_revoked(client):
    made = client.create_token("for a test", role="viewer")
    with Client(client.address, made["token"], http=httpx.Client(trust_env=False)) as other:
        assert list(other.runs()) == []
        client.revoke_token(made["id"])
        with pytest.raises(NotAuthenticated):
            list(other.runs())


def test_the_same_for_asyncio(site, people):
    async def ask():
        http = httpx.AsyncClient(trust_env=False)
        async with AsyncClient(f"{site}/api/v1", people.token(), http=http) as client:
            await client.create_workflow("pay", DEFINITION)
            await client.publish("pay")
            runs = await asyncio.gather(*(client.start("pay", {"n": number}) for number in range(5)))
            jobs = await client.poll("me", ["card"], jobs=5)
            await client.complete_many(
                [{"id": job["id"], "lease_token": job["lease_token"], "output": 1} for job in jobs]
            )
            await client.cancel(runs[0]["id"])
            ended = await client.wait(runs[0]["id"])
            return ended["status"], [run async for run in client.runs(workflow="pay")]

    people.token()
    status, runs = asyncio.run(ask())
    assert status == "CANCELLED"
    assert len(runs) == 5


def asked_with(answers, call):
    """What a client makes of these answers, and what it asked."""
    with answering(*answers) as server, httpx.Client(trust_env=False) as inner:
        client = Client(server.url("/api/v1"), "secret", retries=QUICK, http=inner)
        try:
            got = client.send(call)
        except Exception as error:
            got = error
        return got, server.asked


AWAY = http(
    b'{"error": {"code": "unavailable", "message": "Later."}}',
    "503 Service Unavailable",
    content_type="application/json",
    connection="close",
)
GOOD = http(b'{"id": "r1"}', content_type="application/json", connection="close")


def test_a_call_with_a_key_is_sent_again_with_the_same_key():
    got, asked = asked_with([AWAY, AWAY, GOOD], routes.post_runs(workflow="pay", input=None))
    assert got == {"id": "r1"}
    assert len({one.headers["idempotency-key"] for one in asked}) == 1
    assert [json.loads(one.body) for one in asked] == [{"workflow": "pay", "input": None}] * 3


def test_what_may_have_been_done_is_not_sent_again_without_a_key():
    got, asked = asked_with([AWAY, GOOD], routes.patch_workflow("pay", title="Pay"))
    assert isinstance(got, Unavailable)
    assert len(asked) == 1


def test_tries_come_to_an_end():
    got, asked = asked_with([AWAY], routes.get_run("r1"))
    assert (str(got), len(asked)) == ("unavailable (503): Later.", 5)


def test_retry_after_is_waited_for():
    slow = http(b"", "429 Too Many Requests", retry_after="1", connection="close")
    began = time.monotonic()
    got, asked = asked_with([slow, GOOD], routes.patch_workflow("pay", title="Pay"))
    assert (got, len(asked)) == ({"id": "r1"}, 2)
    assert time.monotonic() - began >= 1
    got, _ = asked_with([http(b"<html>", "429 Too Many Requests")], routes.get_run("r1"))
    assert isinstance(got, Throttled)


def test_nobody_answers():
    client = Client("http://127.0.0.1:9/api/v1", "secret", retries=QUICK, http=httpx.Client(trust_env=False))
    with pytest.raises(NoResponse, match="ConnectError") as found:
        client.run("r1")
    assert not found.value.is_sent


def test_a_path_is_never_another_one():
    assert routes.get_calendar("a/b?c").path == "/calendars/a%2Fb%3Fc"
    for name in ("", ".", ".."):
        with pytest.raises(ValueError, match="can't be"):
            routes.get_calendar(name)


def test_a_client_needs_an_address_and_a_token(monkeypatch):
    monkeypatch.delenv("HANDOFF", raising=False)
    monkeypatch.delenv("TOKEN", raising=False)
    with pytest.raises(ValueError, match="HANDOFF and TOKEN"):
        Client()
