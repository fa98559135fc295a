"""Requests with one `Idempotency-Key` at once, and one whose process dies: done once, or not at all."""

from functools import partial

import pytest
from rest_framework.test import APIClient

from accounts import idempotency
from accounts.models import KeptAnswer
from runs.models import Run
from tests import factories as make
from tests.people import People
from tests.races.staging import blocked, holding


@pytest.fixture
def start():
    """Starts a run with a key, as one user."""
    people = People()
    name = make.a_version(make.chain("noop"), tenant=people.tenant()).workflow.name
    token = people.token("operator")

    def start(key):
        client = APIClient()
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
        body = {"workflow": name, "input": {}}
        return client.post("/api/v1/runs", body, headers={"Idempotency-Key": key})

    return start


def test_who_asks_meanwhile_waits_for_the_answer(rounds, start):
    for number in rounds:
        with holding(partial(start, f"k{number}"), before="keep_answer") as first:
            second = blocked(partial(start, f"k{number}"))
        answers = [first.end(), second.end()]
        assert [answer.status_code for answer in answers] == [201, 201]
        assert answers[0].content == answers[1].content
        assert Run.unsafe_all_tenants.count() == number + 1


def test_who_waits_for_long_is_asked_to_come_back(start, monkeypatch):
    """A thread and a connection of the web process are not kept by a request that only waits."""
    monkeypatch.setattr(idempotency, "_PATIENCE", "50ms")
    with holding(partial(start, "k"), before="keep_answer") as first:
        refused = start("k")
        assert first.end().status_code == 201
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "in_progress")
    assert refused.headers["Retry-After"] == "1"
    assert start("k").headers["Idempotent-Replayed"] == "true"


def test_another_key_waits_for_nobody(start):
    with holding(partial(start, "one"), before="keep_answer"):
        assert start("two").status_code == 201
    assert Run.unsafe_all_tenants.count() == 2


def test_what_was_not_answered_was_not_done(start):
    """The session of the first ends before its commit, as when its process is killed: the second does it."""
    with holding(partial(start, "k"), before="keep_answer") as dying:
        behind = blocked(partial(start, "k"))
        dying.lose_session()
        answer = behind.end()
    assert dying.result.status_code == 503
    assert answer.status_code == 201
    assert "Idempotent-Replayed" not in answer.headers
    assert (Run.unsafe_all_tenants.count(), KeptAnswer.unsafe_all_tenants.count()) == (1, 1)
