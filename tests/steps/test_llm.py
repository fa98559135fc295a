"""Asking a language model over real HTTP: what is sent, what is taken for an answer, and what is not."""

import json
import time

import pytest

from engine.errors import StepError
from steps import llm_client, outside
from tests.answering import answering, dripping, hanging_up, http, silent
from tests.llm_answers import USED, messages, said, said_json

SCHEMA = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}


class TestWhatIsSent:
    def test_a_prompt_goes_as_the_user_s_message_with_model_and_key(self, llm_at, run_step):
        with answering(said("Fine.")) as server:
            llm_at(server)
            params = {"system": "Be brief.", "temperature": 0, "max_tokens": 50}
            run_step("llm.prompt", {}, prompt="How are you?", **params)
        [asked] = server.asked
        assert (asked.method, asked.target) == ("POST", "/v1/chat/completions")
        assert asked.headers["authorization"] == "Bearer sk-secret"
        assert json.loads(asked.body) == {
            "model": "small",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "How are you?"},
            ],
            "temperature": 0,
            "max_tokens": 50,
        }

    @pytest.mark.parametrize(
        ("path", "target"),
        [
            ("", "/v1/chat/completions"),
            ("/", "/v1/chat/completions"),
            ("/v1/", "/v1/chat/completions"),
            ("/openai/v2", "/openai/v2/chat/completions"),
            ("/v1/chat/completions", "/v1/chat/completions"),
        ],
    )
    def test_the_address_is_the_base_of_the_api(self, llm_at, path, target):
        with answering(said("Fine.")) as server:
            llm_at(server, path)
            llm = outside.llm()
            assert llm is not None
            assert llm.url == server.url(target)

    def test_a_step_may_name_its_model(self, asking):
        _, [asked] = asking([said("Fine.")], model="large")
        assert asked["model"] == "large"

    def test_a_schema_is_asked_for_in_both_ways(self, asking):
        output, [asked] = asking([said_json({"n": 1})], json_schema=SCHEMA)
        assert output == {"n": 1}
        assert asked["response_format"] == {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": SCHEMA},
        }
        assert json.dumps(SCHEMA, separators=(",", ":")) in messages(asked)["system"]

    def test_a_server_that_knows_no_schemas_is_asked_for_json(self, asking):
        refused = http(b'{"error": "response_format json_schema is not supported"}', "400 Bad Request")
        output, [_, again] = asking([refused, said_json({"n": 1})], json_schema=SCHEMA)
        assert output == {"n": 1}
        assert again["response_format"] == {"type": "json_object"}


class TestAnswers:
    def test_a_text_and_what_it_cost(self, asking, usage):
        output, _ = asking([said("  Fine.\n")])
        assert output == {"text": "Fine."}
        assert usage == USED

    @pytest.mark.parametrize("content", ['```json\n{"n": 1}\n```', '```\n{"n": 1}```', '\n{"n": 1}\n'])
    def test_json_may_stand_in_a_fence(self, asking, content):
        assert asking([said(content)], json_schema=SCHEMA)[0] == {"n": 1}

    @pytest.mark.parametrize(
        "content", ["```" + "\n" * 100_000, "```json" + " \n" * 50_000 + "``", "`" * 100_000]
    )
    def test_a_fence_without_an_end_is_read_at_once(self, failing, content):
        began = time.thread_time()
        assert failing([said(content)], json_schema=SCHEMA).code == "LlmBadAnswer"
        assert time.thread_time() - began < 1

    def test_a_text_may_end_where_the_author_wants_it_to(self, asking):
        assert asking([said("Fine, tha", "length")], max_tokens=3)[0] == {"text": "Fine, tha"}

    @pytest.mark.parametrize("params", [{}, {"json_schema": SCHEMA, "max_tokens": 3}], ids=["text", "json"])
    def test_what_was_cut_off_else_is_no_answer(self, failing, params):
        error = failing([said('{"n": 1}', "length")], **params)
        assert (error.code, error.retryable) == ("LlmCutOff", False)

    @pytest.mark.parametrize(
        "answer", [said(None, refusal="I won't."), said("", "content_filter")], ids=["refusal", "filter"]
    )
    def test_a_refusal_is_not_tried_again(self, failing, answer):
        error = failing([answer])
        assert (error.code, error.retryable) == ("LlmRefused", False)

    @pytest.mark.parametrize(
        "content",
        [
            "",
            "Sure! Here it is.",
            '{"n": 1',
            '{"n": "one"}',
            "[]",
            '{"n": NaN}',
            '{"n": 1, "n": 2}',
            '{"n": 1e999}',
        ],
    )
    def test_what_does_not_fit_the_schema_is_tried_again_and_costs_all_the_same(
        self, failing, usage, content
    ):
        error = failing([said(content)], json_schema=SCHEMA)
        assert (error.code, error.retryable) == ("LlmBadAnswer", True)
        assert usage == USED

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"<html>",
            b"[]",
            b"{}",
            b'{"choices": []}',
            b'{"choices": [{}]}',
            b'{"choices": NaN}',
            b"\xff",
        ],
        ids=repr,
    )
    def test_what_is_no_completion_is_tried_again(self, failing, body):
        error = failing([http(body)])
        assert (error.code, error.retryable) == ("LlmBadAnswer", True)


class TestServersThatMisbehave:
    @pytest.mark.parametrize(
        ("status", "retryable"),
        [
            ("400 Bad Request", False),
            ("401 Unauthorized", False),
            ("404 Not Found", False),
            ("302 Found", False),
            ("408 Request Timeout", True),
            ("429 Too Many Requests", True),
            ("500 Internal Server Error", True),
            ("503 Service Unavailable", True),
        ],
    )
    def test_which_statuses_are_tried_again(self, failing, status, retryable):
        error = failing([http(b"no", status)])
        assert (error.code, error.retryable) == ("LlmStatus", retryable)
        assert error.details["status"] == int(status[:3])

    def test_retry_after_is_kept(self, failing):
        error = failing([http(b"slow down", "429 Too Many Requests", retry_after="17")])
        assert error.details["retry_after"] == 17

    def test_a_server_that_hangs(self, failing, monkeypatch):
        monkeypatch.setattr(llm_client, "ANSWER_SECONDS", 0.3)
        error = failing([silent])
        assert (error.code, error.retryable) == ("LlmUnreachable", True)

    def test_an_answer_that_never_ends(self, failing, monkeypatch):
        monkeypatch.setattr(llm_client, "ANSWER_SECONDS", 0.5)
        error = failing([dripping(b"HTTP/1.1 200 OK\r\n\r\n{")])
        assert (error.code, error.retryable) == ("LlmUnreachable", True)

    def test_one_that_hangs_up(self, failing):
        assert failing([hanging_up]).code == "LlmUnreachable"

    def test_a_huge_answer(self, failing):
        error = failing([said("x" * (5 * 1024 * 1024))])
        assert (error.code, error.retryable) == ("LlmTooLarge", False)

    def test_no_error_tells_the_key(self, failing):
        for answer in (http(b"no", "401 Unauthorized"), hanging_up, said("")):
            error = failing([answer])
            assert "sk-secret" not in error.message + str(error.details)


class TestConfiguration:
    @pytest.mark.parametrize("name", ["llm.prompt", "text.translate"])
    def test_without_a_model_the_error_says_what_to_do(self, name, monkeypatch, run_step):
        monkeypatch.delenv("HANDOFF_LLM_URL", raising=False)
        params = {"prompt": "?"} if name == "llm.prompt" else {"to": "German"}
        with pytest.raises(StepError, match="HANDOFF_LLM_URL") as refused:
            run_step(name, "A text.", **params)
        assert (refused.value.code, refused.value.retryable) == ("LlmNotConfigured", False)

    def test_a_model_must_be_named_somewhere(self, run_step, monkeypatch, llm_at):
        with answering(said("Fine.")) as server:
            llm_at(server)
            monkeypatch.delenv("HANDOFF_LLM_MODEL")
            with pytest.raises(StepError, match="HANDOFF_LLM_MODEL") as refused:
                run_step("llm.prompt", {}, prompt="?")
        assert refused.value.code == "LlmNotConfigured"
        assert server.asked == []

    @pytest.mark.parametrize(
        "url",
        [
            "llm.example",
            "ftp://llm.example/v1",
            "https://",
            "https://me:pw@llm.example/v1",
            "https://llm.example/v1?key=1",
            "https://llm.example/v1#x",
            "https://llm.example:0/v1",
            "https://llm.example:99999/v1",
            "https://llm.exa mple/v1",
            "http://[::1/v1",
        ],
    )
    def test_an_address_that_can_t_be_meant_is_refused_at_the_start(self, monkeypatch, url):
        monkeypatch.setenv("HANDOFF_LLM_URL", url)
        with pytest.raises(outside.BadSetting, match="HANDOFF_LLM_URL must be") as refused:
            outside.check()
        assert "pw" not in str(refused.value)

    @pytest.mark.parametrize(
        ("name", "value"), [("KEY", "a b"), ("KEY", "ü"), ("MODEL", "a\nb"), ("MODEL", "m" * 201)]
    )
    def test_so_are_keys_and_models(self, monkeypatch, name, value):
        monkeypatch.setenv(f"HANDOFF_LLM_{name}", value)
        with pytest.raises(outside.BadSetting, match=f"HANDOFF_LLM_{name}") as refused:
            outside.check()
        assert value not in str(refused.value)

    def test_a_private_server_of_the_operator_is_reached_and_metadata_is_not(
        self, failing, monkeypatch, run_step
    ):
        monkeypatch.setenv("HANDOFF_LLM_URL", "http://169.254.169.254/v1")
        monkeypatch.setenv("HANDOFF_LLM_MODEL", "small")
        with pytest.raises(StepError, match="HANDOFF_LLM_URL can't be used") as refused:
            run_step("llm.prompt", {}, prompt="?")
        assert refused.value.code == "LlmNotConfigured"

    @pytest.mark.parametrize(
        "schema", [{"type": "objekt"}, {"$ref": "http://127.0.0.1/x"}, {"properties": []}]
    )
    def test_what_is_no_schema_is_no_param(self, schema, run_step):
        with pytest.raises(StepError, match="`json_schema` is no JSON Schema") as refused:
            run_step("llm.prompt", {}, prompt="?", json_schema=schema)
        assert refused.value.code == "BadParams"
