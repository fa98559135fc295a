"""Runs that ask a language model: on the blocking queue, tried again when the server says so, cost on record."""

import pytest

from tests import factories as make
from tests.answering import answering, http
from tests.llm_answers import USED, said, said_json

pytestmark = pytest.mark.django_db

PIPELINE = make.graph(
    [
        {"id": "clean", "type": "text.clean"},
        {"id": "sum", "type": "text.summarize", "params": {"llm": True, "sentences": 1}},
        {"id": "reply", "type": "llm.prompt", "params": {"prompt": "Reply to this.\n{{ prev.text }}"}},
    ],
    ["clean>sum", "sum>reply"],
)


@pytest.fixture
def model(monkeypatch):
    def answers(*given):
        server = answering(*given)
        entered = server.__enter__()
        servers.append(server)
        monkeypatch.setenv("HANDOFF_LLM_URL", entered.url("/v1"))
        monkeypatch.setenv("HANDOFF_LLM_MODEL", "small")
        return entered

    servers = []
    yield answers
    for server in servers:
        server.__exit__(None, None, None)


def test_a_pipeline_goes_through_the_model_where_it_is_wanted(model):
    model(said_json({"sentences": ["Rain fell."]}), said("Thank you for your mail."))
    (run_id,) = make.start(PIPELINE, {"text": "<p>Rain fell on the town.</p>"})
    make.work("default")
    steps = make.steps(run_id)
    assert (steps["sum"].queue, steps["sum"].status, steps["sum"].lease_seconds) == (
        "blocking",
        "QUEUED",
        300,
    )

    make.work("default", "blocking")

    assert make.run(run_id).status == "COMPLETED"
    assert make.steps(run_id)["sum"].output == {"text": "Rain fell.", "sentences": 1}
    assert make.run(run_id).output == {"text": "Thank you for your mail."}
    payloads = {event.node: event.payload for event in make.events(run_id, "STEP_COMPLETED")}
    assert payloads["sum"]["usage"] == payloads["reply"]["usage"] == USED
    assert "usage" not in payloads["clean"]


def test_the_retry_waits_as_long_as_the_server_wants(model, clock):
    server = model(http(b"slow down", "429 Too Many Requests", retry_after="90"), said("Fine."))
    (run_id,) = make.start(
        make.graph([{"id": "a", "type": "llm.prompt", "params": {"prompt": "How are you?"}}], [])
    )
    make.work("blocking")
    clock.advance(89)
    make.work("blocking")
    assert (len(server.asked), make.statuses(run_id)) == (1, {"a": "QUEUED"})
    clock.advance(2)
    make.work("blocking")

    assert make.run(run_id).output == {"text": "Fine."}


def test_what_a_useless_answer_cost_is_on_record_too(model, clock):
    schema = {"type": "object", "required": ["n"]}
    params = {"prompt": "A number?", "json_schema": schema}
    model(said("Well…"), said_json({"n": 4}))
    (run_id,) = make.start(make.graph([{"id": "a", "type": "llm.prompt", "params": params}], []))
    make.work("blocking")
    clock.advance(10)
    make.work("blocking")

    assert make.run(run_id).output == {"n": 4}
    (failed,) = make.events(run_id, "ATTEMPT_FAILED")
    assert failed.payload["usage"] == USED
    assert failed.payload["error"]["code"] == "LlmBadAnswer"


def test_without_a_model_the_run_fails_at_once_and_goes_on_when_there_is_one(model, monkeypatch):
    monkeypatch.delenv("HANDOFF_LLM_URL", raising=False)
    (run_id,) = make.start(PIPELINE, {"text": "Rain fell on the town."})
    make.work("default", "blocking")
    assert make.run(run_id).status == "FAILED"
    assert make.run(run_id).error["code"] == "LlmNotConfigured"
    assert make.steps(run_id)["sum"].attempt == 1

    model(said_json({"sentences": ["Rain fell."]}), said("Thank you."))
    make.resume(run_id)
    make.work("default", "blocking")
    assert make.run(run_id).output == {"text": "Thank you."}
