"""What the steps that come with Handoff say of what they asked outside; those that ask nobody say nothing."""

import itertools
import re

import pytest

from lib.masking import MASK
from runs.models import StepLog
from runs.reading.step_logs import said_by
from tests import factories as make
from tests.answering import answering, http, silent
from tests.llm_answers import USED, said
from tests.store.watching import watching

pytestmark = pytest.mark.django_db

QUEUES = ("blocking", "default", "engine")


@pytest.fixture
def server(monkeypatch):
    with answering(http(b'{"n": 1}', content_type="application/json")) as server:
        monkeypatch.setenv("HANDOFF_EGRESS_ALLOW", f"127.0.0.1:{server.port}")
        yield server


def lines(run_id, node="a"):
    """Level and text of each line, without the times that it took."""
    told = [line for one in said_by(make.a_tenant().pk, run_id, node) for line in one.lines]
    return [(line.level, re.sub(r"[\d,]+ ms", "n ms", line.text)) for line in told]


def done(*nodes, given=None, count=1):
    edges = [f"{one['id']}>{two['id']}" for one, two in itertools.pairwise(nodes)]
    runs = make.start(make.graph([one | {"retry": "none"} for one in nodes], edges), *[given or {}] * count)
    make.work(*QUEUES)
    return runs


def request(url, **more):
    return {"id": "a", "type": "http.request", "params": {"url": url, **more}}


def test_a_request_says_whom_it_asked_and_how_that_went_and_no_query(server):
    url = f"http://ann:pw@127.0.0.1:{server.port}/orders/17?key=1#there"
    [run] = done(request(url.replace("ann:pw@", ""), method="POST", json={"n": 1}))
    place = f"http://127.0.0.1:{server.port}/orders/17"
    assert lines(run) == [("info", f"POST {place}: 200, 8 bytes, n ms")]


def test_a_request_that_fails_says_so_as_a_warning(server, monkeypatch):
    [run] = done(request(server.url("/x"), ok_status=[201]))
    assert lines(run) == [("info", f"GET {server.url('/x')}: 200, 8 bytes, n ms")]
    with answering(silent) as nobody:
        monkeypatch.setenv("HANDOFF_EGRESS_ALLOW", f"127.0.0.1:{nobody.port}")
        [run] = done(request(nobody.url("/y?token=sesame"), timeout_seconds=0.1))
        assert lines(run) == [("warning", f"GET {nobody.url('/y')}: HttpTimeout, n ms")]


def test_secrets_that_a_step_was_given_are_masked_in_its_lines(server):
    given = {"token": "sesame-sesame"}
    [run] = done(request(server.url("/of/{{ input.token }}/" + "x" * 1_000)), given=given)
    [(_, text)] = lines(run)
    assert f"/of/{MASK}/xxx" in text
    assert len(text) < 400


def test_lines_of_many_requests_are_one_statement_and_steps_that_ask_nobody_say_nothing(server):
    version = make.a_version(make.graph([request(server.url("/x"))], []))
    runs = make.start_version(version, *[{}] * 5)
    with watching() as seen:
        make.work(*QUEUES)
    assert seen.named.count("keep_log") == 1
    assert [len(lines(run)) for run in runs] == [1] * 5
    StepLog.unsafe_all_tenants.all().delete()
    with watching() as seen:
        done(
            {"id": "a", "type": "noop"},
            {"id": "b", "type": "transform", "params": {"set": {"n": 1}}},
            {"id": "c", "type": "text.clean"},
            given={"text": "x"},
        )
    assert "keep_log" not in seen.named
    assert not StepLog.unsafe_all_tenants.exists()


def test_a_language_model_says_what_it_cost(monkeypatch):
    with answering(said("Good.")) as server:
        monkeypatch.setenv("HANDOFF_LLM_URL", server.url("/v1"))
        monkeypatch.setenv("HANDOFF_LLM_MODEL", "small-1")
        [run] = done({"id": "a", "type": "llm.prompt", "params": {"prompt": "Say something."}})
        cost = f"{USED['prompt_tokens']:,} tokens in, {USED['completion_tokens']:,} out"
        assert lines(run) == [
            ("info", f"Asked small-1 at {server.url('/v1/chat/completions')}: {cost}, n ms")
        ]
    with answering(http(b"no", status=429)) as server:
        monkeypatch.setenv("HANDOFF_LLM_URL", server.url("/v1"))
        [run] = done({"id": "a", "type": "llm.prompt", "params": {"prompt": "Say something."}})
        assert [(level, text.partition(": ")[2]) for level, text in lines(run)] == [
            ("warning", "status 429, LlmStatus, n ms")
        ]


def test_a_mail_says_to_how_many_it_went_and_to_nobody_whom(monkeypatch):
    mail = {"to": ["ann@example.org", "bo@example.org"], "subject": "Hello", "body": "There."}
    monkeypatch.delenv("HANDOFF_SMTP_URL", raising=False)
    [run] = done({"id": "a", "type": "email.send", "params": mail})
    [(level, text)] = lines(run)
    assert (level, text.partition(":")[0]) == ("warning", "Not sent")
    monkeypatch.setenv("HANDOFF_SMTP_URL", "smtp://127.0.0.1:9")
    monkeypatch.setenv("HANDOFF_MAIL_FROM", "handoff@example.org")
    [run] = done({"id": "a", "type": "email.send", "params": mail})
    assert lines(run) == [("warning", "A mail for 2 recipients to 127.0.0.1:9: MailNotSent, n ms")]
