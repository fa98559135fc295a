"""Ways to run a step, also against a server that answers as a language model."""

import json

import pytest

from engine.errors import StepError
from steps.base import execute
from steps.catalogue import CATALOGUE
from tests.answering import answering


@pytest.fixture(scope="session")
def run_step():
    def run(name, given, /, **params):
        return execute(CATALOGUE[name], params, given, run_id="r", node="n", attempt=1, idempotency_key="r:n")

    return run


@pytest.fixture
def llm_at(monkeypatch):
    """Configure this server as that of the language model."""

    def configure(server, path="/v1"):
        monkeypatch.setenv("HANDOFF_LLM_URL", server.url(path))
        monkeypatch.setenv("HANDOFF_LLM_MODEL", "small")
        monkeypatch.setenv("HANDOFF_LLM_KEY", "sk-secret")
        monkeypatch.delenv("HANDOFF_EGRESS_ALLOW", raising=False)

    return configure


@pytest.fixture
def usage():
    """What the last attempt of `asking` or `failing` used up."""
    return {}


@pytest.fixture
def asking(llm_at, usage):
    """Run a step against a language model with these answers: its output, and what the server was asked."""

    def ask(answers, name="llm.prompt", given=None, /, **params):
        usage.clear()
        if name == "llm.prompt":
            params = {"prompt": "How are you?", **params}
        with answering(*answers) as server:
            llm_at(server)
            place = {"run_id": "r", "node": "n", "attempt": 1, "idempotency_key": "r/n"}
            output = execute(CATALOGUE[name], params, given, **place, usage=usage)
        return output, [json.loads(asked.body) for asked in server.asked]

    return ask


@pytest.fixture
def failing(asking):
    """As `asking`, for what fails: the error."""

    def fail(*args, **params):
        with pytest.raises(StepError) as failed:
            asking(*args, **params)
        return failed.value

    return fail
