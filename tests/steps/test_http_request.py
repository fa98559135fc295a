"""http.request against real servers: what it sends, what it gives, and which failures are tried again."""

import time
from email.utils import formatdate

import pytest

from engine.errors import StepError
from steps.base import execute
from steps.catalogue import CATALOGUE
from tests.answering import answering, hanging_up, http, silent, zipped

HTTP = CATALOGUE["http.request"]
JSON = {"content_type": "application/json"}


@pytest.fixture
def run(monkeypatch):
    """One request; the server of the test may be reached."""
    monkeypatch.setenv("HANDOFF_EGRESS_ALLOW", "127.0.0.1/32")

    def run(url, method="GET", **params):
        return execute(
            HTTP,
            {"method": method, "url": url, **params},
            {},
            run_id="r",
            node="n",
            attempt=2,
            idempotency_key="r/n",
        )

    return run


@pytest.fixture
def server():
    with answering(http(b'{"id": 7}', content_type="application/json; charset=utf-8", x_a="b")) as server:
        yield server


def failing(run, *args, **params):
    with pytest.raises(StepError) as failed:
        run(*args, **params)
    return failed.value


class TestWhatIsSent:
    def test_json_goes_with_its_type_and_the_key_of_the_step(self, run, server):
        run(server.url(), "POST", json={"order": 17})
        [asked] = server.asked
        assert (asked.method, asked.body) == ("POST", b'{"order":17}')
        assert asked.headers["content-type"] == "application/json"
        assert asked.headers["idempotency-key"] == "r/n"

    @pytest.mark.parametrize("value", [0, False, "", [], {}], ids=repr)
    def test_any_value_but_null_is_json(self, run, server, value):
        run(server.url(), "POST", json=value)
        assert server.asked[0].body != b""

    def test_a_text_goes_as_it_is(self, run, server):
        run(server.url(), "put", body="Füße", headers={"Content-Type": "text/csv"})
        [asked] = server.asked
        assert (asked.method, asked.body) == ("PUT", "Füße".encode())
        assert asked.headers["content-type"] == "text/csv"

    def test_the_author_may_give_another_key_in_any_spelling(self, run, server):
        run(server.url(), headers={"IDEMPOTENCY-KEY": "order-17"})
        assert server.asked[0].headers["idempotency-key"] == "order-17"

    def test_the_query_is_encoded_and_added(self, run, server):
        query = {"q": "a&b=c d", "n": 3.0, "x": 1.5, "yes": True, "tags": ["a", "b"], "none": None}
        run(server.url("/find?sort=up#there"), query=query)
        assert server.asked[0].target == "/find?sort=up&q=a%26b%3Dc+d&n=3&x=1.5&yes=true&tags=a&tags=b"


class TestWhatItGives:
    def test_json_is_read(self, run, server):
        answer = run(server.url())
        assert (answer["status"], answer["body"]) == (200, {"id": 7})
        assert answer["headers"]["x-a"] == "b"

    @pytest.mark.parametrize("kind", ["application/problem+json", "APPLICATION/JSON", "text/json"])
    def test_json_has_many_names(self, run, kind):
        with answering(http(b"[1]", content_type=kind)) as server:
            assert run(server.url())["body"] == [1]

    @pytest.mark.parametrize(
        ("body", "kind", "text"),
        [
            (b"hello", "text/plain", "hello"),
            (b'{"a": 1}', "text/html", '{"a": 1}'),
            ("Füße".encode("latin-1"), "text/plain; charset=ISO-8859-1", "Füße"),
            ("Füße".encode("cp1252"), 'text/plain; charset="windows-1252"', "Füße"),
            ("日本".encode("shift_jis"), "text/plain; charset=Shift_JIS", "日本"),
        ],
    )
    def test_anything_else_is_text_in_its_charset(self, run, body, kind, text):
        with answering(http(body, content_type=kind)) as server:
            assert run(server.url())["body"] == text

    def test_an_answer_without_a_type_is_text(self, run):
        with answering(http("Füße".encode())) as server:
            assert run(server.url())["body"] == "Füße"

    def test_an_empty_answer_is_null_or_an_empty_text(self, run):
        with answering(http(status="204 No Content"), http(b"", **JSON)) as server:
            assert run(server.url())["body"] == ""
            assert run(server.url())["body"] is None

    def test_head_has_no_body(self, run):
        with answering(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\nContent-Encoding: gzip\r\n\r\n") as server:
            assert run(server.url(), "HEAD")["body"] == ""

    def test_compressed_answers_are_read(self, run):
        with answering(zipped(b"hello")) as server:
            assert run(server.url())["body"] == "hello"

    @pytest.mark.parametrize(
        ("status", "ok_status"),
        [("404 No", 404), ("404 No", [200, 404]), ("404 No", 404.0), ("302 Found", [302]), ("503 Busy", 503)],
    )
    def test_the_author_says_which_statuses_are_good(self, run, status, ok_status):
        with answering(http(status=status)) as server:
            assert run(server.url(), ok_status=ok_status)["status"] == int(status[:3])

    def test_then_others_are_not(self, run, server):
        assert failing(run, server.url(), ok_status=201).code == "HttpStatus"


class TestStatuses:
    @pytest.mark.parametrize("status", [408, 425, 429, 500, 501, 502, 503, 504, 599])
    def test_these_are_tried_again(self, run, status):
        with answering(http(b"later", f"{status} X")) as server:
            error = failing(run, server.url())
        assert (error.code, error.retryable) == ("HttpStatus", True)
        maybe_done = {"outcome": "unknown"} if status >= 500 else {}
        assert error.details == {"status": status, "body": "later"} | maybe_done

    @pytest.mark.parametrize("status", [300, 301, 302, 304, 307, 400, 401, 403, 404, 409, 410, 422, 451])
    def test_these_are_not(self, run, status):
        with answering(http(b"", f"{status} X", location="http://x.test/")) as server:
            error = failing(run, server.url(), redirects=0)
        assert (error.code, error.retryable) == ("HttpStatus", False)
        assert error.details["location"] == "http://x.test/"
        assert ("redirects are not followed here" in error.message) == (status < 400)

    def test_what_the_server_said_is_cut_and_shown_whatever_it_is(self, run):
        with answering(http(b"\x00\xff" * 5000, "400 Bad", **JSON)) as server:
            error = failing(run, server.url())
        assert error.details["body"] == "\N{REPLACEMENT CHARACTER}" * 2000


class TestRetryAfter:
    @pytest.mark.parametrize("said", ["120", " 120 ", "120.5", "-5", "soon", "", "٣", "9" * 40])
    def test_seconds_are_kept(self, run, said):
        with answering(http(b"", "429 Slow", retry_after=said.encode().decode("latin-1"))) as server:
            details = failing(run, server.url()).details
        expected = {"120": 120.0, "9" * 40: float("9" * 12)}.get(said.strip())
        assert details.get("retry_after") == expected

    def test_a_date_becomes_seconds(self, run):
        with answering(
            http(b"", "503 Busy", retry_after=formatdate(time.time() + 90, usegmt=True))
        ) as server:
            assert 80 < failing(run, server.url()).details["retry_after"] <= 90

    def test_a_date_in_the_past_is_now(self, run):
        with answering(http(b"", "503 X", retry_after="Wed, 21 Oct 2015 07:28:00 GMT")) as server:
            assert failing(run, server.url()).details["retry_after"] == 0

    def test_what_is_not_tried_again_has_none(self, run):
        with answering(http(b"", "404 X", retry_after="120")) as server:
            assert "retry_after" not in failing(run, server.url()).details


class TestNoAnswer:
    def test_a_time_out_is_tried_again(self, run):
        with answering(silent) as server:
            error = failing(run, server.url(), timeout_seconds=0.2)
        assert (error.code, error.retryable) == ("HttpTimeout", True)
        assert error.details["outcome"] == "unknown"

    def test_a_broken_connection_is_tried_again(self, run):
        with answering(hanging_up) as server:
            error = failing(run, server.url())
        assert (error.code, error.retryable) == ("HttpUnreachable", True)
        assert error.details["outcome"] == "unknown"

    def test_an_unknown_name_is_tried_again(self, run):
        error = failing(run, "http://nowhere.invalid/")
        assert (error.code, error.retryable) == ("HttpUnreachable", True)
        assert "outcome" not in error.details

    @pytest.mark.parametrize(
        ("answer", "unknown"), [("500 X", True), ("503 X", True), ("404 X", False), ("302 X", False)]
    )
    def test_a_server_error_may_come_after_the_deed_and_a_refusal_does_not(self, run, answer, unknown):
        """H-24."""
        with answering(http(b"", answer)) as server:
            details = failing(run, server.url()).details
        assert (details.get("outcome") == "unknown") is unknown

    def test_who_answers_what_nobody_can_read_has_done_something(self, run):
        with answering(http(b"{", "200 OK", content_type="application/json")) as server:
            error = failing(run, server.url())
        assert (error.code, error.details["outcome"]) == ("HttpBadAnswer", "done")

    def test_a_refusal_is_not_and_says_what_an_operator_can_do(self, run, server, monkeypatch):
        monkeypatch.delenv("HANDOFF_EGRESS_ALLOW")
        error = failing(run, server.url())
        assert (error.code, error.retryable) == ("HttpRefused", False)
        assert f"HANDOFF_EGRESS_ALLOW=127.0.0.1/32:{server.port}" in error.message
        monkeypatch.setenv("HANDOFF_EGRESS_ALLOW", error.details["allow"])
        assert run(server.url())["status"] == 200

    def test_what_nobody_can_allow_is_refused_without_advice(self, run):
        error = failing(run, "http://169.254.169.254/latest/meta-data/")
        assert (error.code, error.retryable) == ("HttpRefused", False)
        assert "HANDOFF_EGRESS_ALLOW" not in error.message

    def test_a_setting_that_cannot_be_meant_is_said(self, run, server, monkeypatch):
        monkeypatch.setenv("HANDOFF_EGRESS_ALLOW", "intranet")
        error = failing(run, server.url())
        assert (error.code, error.retryable) == ("NotConfigured", False)
        assert "HANDOFF_EGRESS_ALLOW: `intranet` is neither CIDR nor CIDR:port" in error.message


class TestBadAnswers:
    @pytest.mark.parametrize(
        ("body", "said"),
        [
            (b"{", "this is not JSON"),
            (b'{"a": NaN}', "at /a"),
            (b'{"a": 1e400}', "too large"),
            (b'{"a": 1, "a": 2}', "twice"),
            (b'{"a": "\\u0000"}', "NUL"),
            (b"[" * 100 + b"]" * 100, "deeper"),
            (b"\xff", "UTF-8"),
        ],
    )
    def test_json_passes_the_gate_or_is_refused(self, run, body, said):
        with answering(http(body, **JSON)) as server:
            error = failing(run, server.url())
        assert (error.code, error.retryable) == ("HttpBadAnswer", False)
        assert said in error.message

    @pytest.mark.parametrize(
        ("body", "kind"),
        [
            (b"\x89PNG\r\n\xff", "image/png"),
            (b"a\x00b", "text/plain"),
            (b"\xff", "text/plain; charset=us-ascii"),
            (b"abc", "text/plain; charset=klingon"),
            (b"abc", "text/plain; charset=punycode"),
            (b"abc", "text/plain; charset=hex"),
        ],
    )
    def test_what_is_no_text_is_refused(self, run, body, kind):
        with answering(http(body, content_type=kind)) as server:
            error = failing(run, server.url())
        assert (error.code, error.retryable) == ("HttpBadAnswer", False)

    def test_a_large_answer_is_refused(self, run):
        with answering(zipped(b"x" * 5_000_000)) as server:
            error = failing(run, server.url())
        assert (error.code, error.retryable) == ("HttpTooLarge", False)


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"method": "FETCH"}, "method"),
        ({"url": ""}, "url"),
        ({"url": 7}, "url"),
        ({"headers": {"A": 1}}, "headers.A"),
        ({"query": {"a": {"b": 1}}}, "query"),
        ({"timeout_seconds": 0}, "timeout_seconds"),
        ({"timeout_seconds": 601}, "timeout_seconds"),
        ({"timeout_seconds": float("nan")}, "timeout_seconds"),
        ({"ok_status": 99}, "ok_status"),
        ({"ok_status": "2xx"}, "ok_status"),
        ({"json": 1, "body": "a"}, "params"),
        ({"json": float("inf")}, "json"),
        ({"data": 1}, "data"),
    ],
    ids=repr,
)
def test_params_that_do_not_fit_are_named(run, params, field):
    with pytest.raises(StepError) as failed:
        run(**{"url": "http://127.0.0.1:1/", **params})
    assert (failed.value.code, failed.value.retryable) == ("BadParams", False)
    assert failed.value.details["field"].startswith(field)


@pytest.mark.parametrize("headers", [{"Host": "x"}, {"X-A": "a\r\nB: c"}, {"X-A": "ü"}, {"": "a"}])
def test_headers_that_may_not_be_sent_are_refused(run, server, headers):
    assert failing(run, server.url(), headers=headers).code == "HttpRefused"
    assert server.asked == []
