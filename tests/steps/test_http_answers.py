"""http.request and odd answers: charsets, numbers, redirects, and what was done though nobody can read the answer."""

import gzip
import zlib

import pytest

from engine.errors import StepError
from steps.base import execute
from steps.catalogue import CATALOGUE
from tests.answering import answering, http, zipped

HTTP = CATALOGUE["http.request"]
JSON = "application/json"


@pytest.fixture
def run(monkeypatch):
    monkeypatch.setenv("HANDOFF_EGRESS_ALLOW", "127.0.0.1/32")

    def run(url, method="GET", **params):
        names = {"run_id": "r", "node": "n", "attempt": 1, "idempotency_key": "r/n"}
        return execute(HTTP, {"method": method, "url": url, **params}, {}, **names)

    return run


def told(run, *answers, method="POST", **params):
    """The output of a request that a server answers so."""
    with answering(*answers) as server:
        return run(server.url(), method, **params)


def failed(run, *answers, method="POST", **params):
    with pytest.raises(StepError) as failure:
        told(run, *answers, method=method, **params)
    return failure.value


@pytest.mark.parametrize(
    ("body", "kind", "value"),
    [
        ("Füße".encode("latin-1"), "text/plain", "Füße"),
        ("5 €".encode("cp1252"), "text/csv", "5 €"),
        ("Füße".encode(), "text/plain", "Füße"),
        ("Füße".encode("utf-8-sig"), "text/plain", "Füße"),
        ("Füße".encode("utf-8-sig"), "text/plain; charset=iso-8859-1", "Füße"),
        ("Füße".encode("utf-16"), "text/plain", "Füße"),
        (b"\xfe\xff" + "Füße".encode("utf-16-be"), "text/plain", "Füße"),
        ("Füße".encode("utf-16-be"), "text/plain; charset=UTF-16BE", "Füße"),
        ("日本".encode("gb18030"), "text/html; charset=gb18030", "日本"),
        ('{"a": "ß"}'.encode("utf-8-sig"), JSON, {"a": "ß"}),
        ('{"a": "ß"}'.encode("utf-16"), JSON, {"a": "ß"}),
        ('{"a": "ß"}'.encode("latin-1"), f"{JSON}; charset=ISO-8859-1", {"a": "ß"}),
        (b"", JSON, None),
    ],
)
def test_a_charset_and_a_byte_order_mark_are_honoured(run, body, kind, value):
    assert told(run, http(body, content_type=kind))["body"] == value


def test_integers_that_a_double_cannot_hold_are_texts_with_all_their_digits(run):
    body = b'{"id": 9007199254740993, "most": -9223372036854775808, "long": 123456789012345678901234567890}'
    assert told(run, http(body, content_type=JSON))["body"] == {
        "id": "9007199254740993",
        "most": "-9223372036854775808",
        "long": "123456789012345678901234567890",
    }
    small = b"[9007199254740992, -9007199254740992, 0, -0]"
    assert told(run, http(small, content_type=JSON))["body"] == [2**53, -(2**53), 0, 0]


@pytest.mark.parametrize(
    ("answer", "form", "body"),
    [
        (http(b'{"a": 1}', content_type="text/html"), "json", {"a": 1}),
        (http(b'{"a": 1}', content_type=JSON), "text", '{"a": 1}'),
        (http(b'{"a": 1}', content_type=JSON), "auto", {"a": 1}),
        (http(status="204 No Content", content_type=JSON), "auto", None),
        (http(status="204 No Content"), "json", None),
        (http(status="204 No Content", content_type=JSON), "text", ""),
        (http(status="204 No Content"), "file", None),
    ],
)
def test_the_author_says_how_an_answer_is_read(run, answer, form, body):
    assert told(run, answer, answer=form)["body"] == body


def test_head_has_no_body_whatever_its_headers_say(run):
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\nContent-Type: application/json\r\n\r\n"
    assert told(run, answer, method="HEAD")["body"] is None


TRUNCATED = b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n"
UNREADABLE = {
    "bad JSON": (http(b"{", content_type=JSON), "HttpBadAnswer"),
    "wrong charset": (http(b"\xff", content_type="text/plain; charset=ascii"), "HttpBadAnswer"),
    "unknown charset": (http(b"a", content_type="text/plain; charset=klingon"), "HttpBadAnswer"),
    "no text": (http(b"\x89PNG\xff", content_type="image/png"), "HttpBadAnswer"),
    "half of UTF-16": (http(b"\xff\xfea", content_type="text/plain"), "HttpBadAnswer"),
    "truncated": (TRUNCATED, "HttpBadAnswer"),
    "broken chunks": (CHUNKED, "HttpBadAnswer"),
    "broken gzip": (http(b"no gzip", content_encoding="gzip"), "HttpBadAnswer"),
    "truncated gzip": (http(gzip.compress(b"x" * 99)[:-9], content_encoding="gzip"), "HttpBadAnswer"),
    "other encoding": (http(b"x", content_encoding="br"), "HttpBadAnswer"),
    "gzip bomb": (zipped(bytes(8 * 1024 * 1024)), "HttpTooLarge"),
    "deflate bomb": (
        http(zlib.compress(bytes(8 * 1024 * 1024)), content_encoding="deflate"),
        "HttpTooLarge",
    ),
    "too large": (http(b"x" * (5 * 1024 * 1024)), "HttpTooLarge"),
    "too large as JSON": (http(b"\x01" * (1024 * 1024)), "HttpTooLarge"),
    "too many headers": (
        b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 300 + b"Content-Length: 0\r\n\r\n",
        "HttpTooLarge",
    ),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_was_done_and_cannot_be_read_says_so_and_is_not_tried_again(run, name):
    answer, code = UNREADABLE[name]
    for method in ("POST", "GET"):
        error = failed(run, answer, method=method)
        assert (error.code, error.retryable, error.details["outcome"]) == (code, False, "done")
        assert error.details.get("status", 200) == 200
        assert error.message.startswith("Done, but the answer is not readable: ")


def test_an_answer_that_does_not_come_to_its_end_in_time_was_done(run):
    def dripping(asked, connection, closing):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx")
        closing.wait(20)

    error = failed(run, dripping, timeout_seconds=0.5)
    assert (error.code, error.retryable, error.details["outcome"]) == ("HttpTimeout", False, "done")


def test_a_failure_whose_body_breaks_off_is_not_known_to_be_done(run):
    error = failed(run, TRUNCATED.replace(b"200 OK", b"500 X"))
    assert (error.code, error.retryable, error.details["outcome"]) == ("HttpUnreachable", True, "unknown")


def test_a_status_that_the_author_calls_good_was_done_too(run):
    error = failed(run, http(b"{", "404 X", content_type=JSON), ok_status=404)
    assert (error.code, error.details["outcome"]) == ("HttpBadAnswer", "done")


def moved(place, status="302 Found"):
    return http(b"", status, location=place)


class TestRedirects:
    def test_get_and_head_follow_five_of_them_and_others_none(self, run):
        for method in ("GET", "HEAD"):
            with answering(*[moved("/next")] * 5, http(b"there")) as server:
                assert run(server.url(), method)["status"] == 200
                assert [one.method for one in server.asked] == [method] * 6
        for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
            error = failed(run, moved("/next"), http(b"there"), method=method)
            assert (error.code, error.retryable, error.details["location"]) == ("HttpStatus", False, "/next")

    def test_more_of_them_are_a_failure_that_is_not_tried_again(self, run):
        for params, count in (({}, 6), ({"redirects": 2}, 3)):
            with answering(moved("/again")) as server, pytest.raises(StepError) as failure:
                run(server.url(), "GET", **params)
            assert len(server.asked) == count
            assert (failure.value.code, failure.value.retryable) == ("HttpRedirects", False)
            assert "outcome" not in failure.value.details

    def test_none_is_followed_where_the_author_says_so(self, run):
        assert failed(run, moved("/next"), http(), method="GET", redirects=0).details["status"] == 302

    def test_a_good_status_is_the_answer(self, run):
        answer = told(run, moved("/next"), http(), method="GET", ok_status=[302])
        assert (answer["status"], answer["headers"]["location"]) == (302, "/next")

    @pytest.mark.parametrize(
        ("status", "method", "then", "body"),
        [
            ("301 X", "POST", "GET", b""),
            ("302 X", "POST", "GET", b""),
            ("303 X", "POST", "GET", b""),
            ("303 X", "PUT", "GET", b""),
            ("301 X", "PUT", "PUT", b"text"),
            ("307 X", "POST", "POST", b"text"),
            ("308 X", "POST", "POST", b"text"),
        ],
    )
    def test_methods_and_contents_change_as_in_browsers(self, run, status, method, then, body):
        with answering(moved("/next", status), http()) as server:
            run(server.url(), method, redirects=1, body="text")
        assert (server.asked[1].method, server.asked[1].body) == (then, body)

    def test_secrets_do_not_go_to_another_origin(self, run):
        secrets = {"Authorization": "Bearer x", "Cookie": "a=b", "X-Api-Key": "x", "Accept": "a/b"}
        with answering(http()) as other, answering(moved(other.url("/next"))) as first:
            run(first.url(), headers=secrets)
        [asked] = other.asked
        assert asked.headers["accept"] == "a/b"
        assert not {"authorization", "cookie", "x-api-key"} & set(asked.headers)
        with answering(moved("/next"), http()) as server:
            run(server.url(), headers=secrets)
        assert server.asked[1].headers["authorization"] == "Bearer x"

    @pytest.mark.parametrize(
        "place",
        [
            "http://169.254.169.254/latest",
            "http://10.0.0.1/",
            "ftp://127.0.0.1/",
            "file:///etc/passwd",
            "http://[",
        ],
    )
    def test_each_place_passes_the_same_gate(self, run, place):
        error = failed(run, moved(place), method="GET")
        assert (error.code, error.retryable) == ("HttpRefused", False)
        assert "outcome" not in error.details

    def test_what_fails_behind_a_redirect_of_a_change_may_have_been_done(self, run):
        error = failed(run, moved("http://10.0.0.1/", "303 See Other"), redirects=1)
        assert (error.code, error.details["outcome"]) == ("HttpRefused", "unknown")

    def test_versions_from_before_follow_none(self):
        assert HTTP.defaults_by(2) == {"redirects": 0}
        assert HTTP.defaults_by(3) == {}


class TestContents:
    def test_what_is_no_text_goes_as_json(self, run):
        for value, content in (({"a": [1]}, b'{"a":[1]}'), ([1], b"[1]"), (5, b"5"), (False, b"false")):
            with answering(http()) as server:
                run(server.url(), "POST", body=value)
            [asked] = server.asked
            assert (asked.body, asked.headers["content-type"]) == (content, JSON)

    def test_a_form_goes_as_pages_send_it(self, run):
        with answering(http()) as server:
            run(server.url(), "POST", form={"a": "ä &", "n": 2.0, "tags": ["x", "y"], "none": None})
        [asked] = server.asked
        assert asked.body == b"a=%C3%A4+%26&n=2&tags=x&tags=y"
        assert asked.headers["content-type"] == "application/x-www-form-urlencoded"

    def test_there_is_one_content(self, run):
        error = failed(run, http(), form={"a": "b"}, body="c")
        assert (error.code, "only one of them" in error.message) == ("BadParams", True)
