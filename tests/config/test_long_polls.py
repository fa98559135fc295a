"""Waiting in front of Django: one answer of many, nobody forgotten, nothing done for who has left."""

import asyncio
import json

from config import long_polls
from lib.waiting import attempt_of
from runs.kernel import dispatch

POLL = {"type": "http.request", "body": b'{"a": 1}', "more_body": False}
LEFT = {"type": "http.disconnect"}


class Stage:
    """An app that finds something at the `at`-th try, and a client that leaves after `leaves` tries."""

    def __init__(self, at=1, leaves=None, wait_seconds=10, news=True):
        self.at, self.leaves, self.wait_seconds, self.news = at, leaves, wait_seconds, news
        self.bodies, self.sent, self.undone = [], [], []

    async def app(self, scope, receive, send):
        self.bodies.append((await receive())["body"])
        tried = len(self.bodies)
        attempt = attempt_of({"asgi.scope": scope})
        attempt.undo = lambda: self.undone.append(tried)
        attempt.topics = {"t"}
        attempt.wait_seconds = self.wait_seconds if tried < self.at else 0
        if tried == self.leaves:
            self.left.set()
            await self.heard.wait()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"tried", b"%d" % tried)]})
        await send({"type": "http.response.body", "body": json.dumps(tried).encode(), "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    def look(self, waiting):
        if self.news is None:
            raise OSError("no database")
        return waiting if self.news else {}

    def play(self, path=long_polls.PATH):
        asyncio.run(self._play(path))
        return self

    async def _play(self, path):
        self.left, self.heard, messages = asyncio.Event(), asyncio.Event(), [POLL]

        async def receive():
            if messages:
                return messages.pop()
            await self.left.wait()
            asyncio.get_running_loop().call_soon(self.heard.set)
            return LEFT

        async def send(message):
            self.sent.append(message)

        await long_polls.LongPolls(self.app, look=lambda waiting: self.look(waiting))(
            {"type": "http", "path": path}, receive, send
        )


def test_the_last_answer_is_sent_and_only_that_in_one_piece():
    stage = Stage(at=3).play()
    assert stage.bodies == [POLL["body"]] * 3
    assert [message.get("headers", message.get("body")) for message in stage.sent] == [
        [(b"tried", b"3")],
        b"3",
    ]
    assert stage.undone == []


def test_who_waited_long_enough_gets_the_last_answer_there_was():
    stage = Stage(at=9, wait_seconds=0.01, news=False).play()
    assert (len(stage.bodies), stage.sent[1]["body"]) == (1, b"1")


def test_for_a_client_that_left_while_it_waited_nothing_more_is_tried():
    stage = Stage(at=9, leaves=2).play()
    assert len(stage.bodies) == 2
    assert stage.sent == []


def test_what_was_done_for_a_client_that_left_meanwhile_is_undone():
    stage = Stage(at=2, leaves=2).play()
    assert (stage.sent, stage.undone) == ([], [2])


def test_a_poll_of_s4_that_nobody_hears_is_undone_too():
    stage = Stage(leaves=1).play(path="/v1/jobs/poll")
    assert (stage.sent, stage.undone) == ([], [1])


def test_where_the_look_fails_the_app_is_asked_and_can_say_so(caplog):
    stage = Stage(at=2, news=None).play()
    assert stage.sent[1]["body"] == b"2"
    assert "did not answer" in caplog.text


def test_who_is_told_of_a_job_looks_at_once_and_else_now_and_then(monkeypatch):
    bells = []
    monkeypatch.setattr(long_polls, "LOOK_SECONDS", 600.0)
    monkeypatch.setattr(dispatch.dispatcher(), "attend_pollers", bells.append, raising=False)
    stage = Stage(at=2, news=False, wait_seconds=600)
    looks = []

    def look(waiting):
        looks.append(waiting)
        if len(looks) == 1:
            # By another thread, as this is.
            stage.news = True
            bells[0]()
        return waiting if len(looks) > 1 else {}

    monkeypatch.setattr(stage, "look", look)
    assert stage.play().sent[1]["body"] == b"2"
    assert looks == [{"t": 1}, {"t": 1}]


def test_so_many_wait_and_the_next_is_answered_at_once(monkeypatch):
    monkeypatch.setattr(long_polls, "PLACES", 0)
    assert len(Stage(at=9).play().bodies) == 1


def test_other_paths_are_passed_through():
    stage = Stage(at=9).play(path="/api/v1/runs")
    assert [message.get("body") for message in stage.sent] == [None, b"1", b""]
