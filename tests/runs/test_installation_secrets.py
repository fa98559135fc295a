"""Secrets of the installation are not stored where an answer echoes them; what somebody gave a step is."""

import json

import pytest

from lib import masking
from tests import factories as make
from tests.answering import answering, http
from tests.llm_answers import said

pytestmark = pytest.mark.django_db

KEY = 'sk-01234"56789\\abcdef'
ASK = {"id": "ask", "type": "llm.prompt", "retry": "none", "params": {"prompt": "{{ input.text }}"}}


@pytest.fixture
def run_with(monkeypatch):
    """Runs a prompt whose model answers so, where the key is this."""
    monkeypatch.setenv("HANDOFF_LLM_MODEL", "small")

    def run(answer, text="Hello", key=KEY):
        monkeypatch.setenv("HANDOFF_LLM_KEY", key)
        for remembered in (masking.secrets_of_process, masking._installation):
            remembered.cache_clear()
        with answering(answer) as server:
            monkeypatch.setenv("HANDOFF_LLM_URL", server.url("/v1"))
            (run_id,) = make.start(make.graph([ASK], []), {"text": text})
            make.work("default", "blocking")
        return make.steps(run_id)["ask"]

    yield run
    for remembered in (masking.secrets_of_process, masking._installation):
        remembered.cache_clear()


def test_an_output_that_echoes_the_key_is_stored_without_it(run_with):
    step = run_with(said(f"You sent Bearer {KEY}, and {KEY}."))
    assert step.output == {"text": f"You sent Bearer {masking.MASK}, and {masking.MASK}."}


def test_an_error_that_echoes_the_key_is_stored_without_it(run_with):
    body = json.dumps({"error": f"The key {KEY} is not valid."}).encode()
    step = run_with(http(body, "401 Unauthorized"))
    assert step.status == "FAILED"
    assert "56789" not in json.dumps(step.error)
    assert masking.MASK in json.dumps(step.error, ensure_ascii=False)


def test_the_name_of_a_model_that_is_the_key_is_stored_without_it(run_with):
    answer = {"model": KEY, "choices": [{"message": {"content": "Hello"}, "finish_reason": "stop"}]}
    step = run_with(http(json.dumps(answer).encode()))
    assert step.output == {"text": "Hello"}
    [event] = make.events(step.run_id, "STEP_COMPLETED")
    assert event.payload["usage"] == {"model": masking.MASK}


def test_what_somebody_gave_the_step_is_never_masked(run_with):
    step = run_with(said(f"You wrote {KEY}."), text=f"What is {KEY}?")
    assert step.output == {"text": f"You wrote {KEY}."}


@pytest.mark.parametrize(
    ("name", "value"),
    [("SHOP_TOKEN_URL", "https://login.example.org/oauth2/token"), ("SHOP_TOKEN_FILE", "/run/secrets/shop")],
)
def test_where_something_is_is_no_secret(run_with, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    assert run_with(said(f"It is at {value}.")).output == {"text": f"It is at {value}."}


def test_a_short_value_is_a_word_like_others(run_with):
    step = run_with(said("The state is production."), key="production")
    assert step.output == {"text": "The state is production."}


def test_secrets_are_the_keys_and_passwords_of_the_environment(monkeypatch):
    monkeypatch.setenv("SHOP_DATABASE", "postgresql://me:a-long-password-of-mine@db/shop")
    monkeypatch.setenv("SHOP_CERT_KEY", "/etc/ssl/private/shop.pem")
    monkeypatch.setenv("SHOP_KEY", "0123456789abcdef")
    masking.secrets_of_process.cache_clear()
    found = masking.secrets_of_process()
    masking.secrets_of_process.cache_clear()
    assert {"a-long-password-of-mine", "0123456789abcdef"} <= found
    assert "/etc/ssl/private/shop.pem" not in found
