"""What the egress client sends and takes, against real servers: names, redirects, secrets, TLS."""

import socket
import ssl
import threading

import pytest

from lib.egress import EgressFailed, EgressRefused, EgressTimeout
from tests.answering import answering, hanging_up, http, silent, zipped
from tests.lib.conftest import CERTIFICATE, Names


@pytest.fixture
def server():
    with answering(http(b"hello", content_type="text/plain", x_two="a")) as server:
        yield server


class TestAPlainRequest:
    def test_it_goes_out_as_asked_and_the_whole_answer_comes_back(self, ask, server):
        answer = ask(server.url("/a?b=c#d"), "POST", headers={"X-Key": "v"}, content=b"body")
        [asked] = server.asked
        assert (asked.method, asked.target, asked.body) == ("POST", "/a?b=c", b"body")
        assert asked.headers["x-key"] == "v"
        assert asked.headers["host"] == f"127.0.0.1:{server.port}"
        assert (answer.status, answer.body, answer.url) == (200, b"hello", server.url("/a?b=c"))
        assert answer.headers["x-two"] == "a"

    def test_any_status_is_an_answer(self, ask):
        with answering(http(b"no", "503 Busy")) as server:
            assert ask(server.url()).status == 503

    def test_an_answer_before_the_whole_request_was_read_counts(self, ask):
        def early(asked, connection, closing):
            connection.sendall(http(b"too much", "413 Too Much"))

        with answering(early) as server:
            assert ask(server.url(), "POST", content=b"x" * 5_000_000).status == 413

    def test_bodies_are_decompressed(self, ask):
        with answering(zipped(b"hello")) as server:
            assert ask(server.url()).body == b"hello"
            assert "gzip" in server.asked[0].headers["accept-encoding"]

    def test_ipv6_works(self, ask):
        with answering(http(b"six"), address="::1") as server:
            assert ask(server.url(host="[::1]")).body == b"six"

    def test_nothing_of_the_environment_is_used(self, ask, server, monkeypatch, tmp_path):
        (tmp_path / ".netrc").write_text("machine 127.0.0.1 login me password secret\n")
        monkeypatch.setenv("HOME", str(tmp_path))
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
            monkeypatch.setenv(name, "http://127.0.0.1:1")
        assert ask(server.url()).status == 200
        assert "authorization" not in server.asked[0].headers

    def test_cookies_are_not_kept(self, ask):
        with answering(http(status="302 Found", location="/b", set_cookie="a=b"), http()) as server:
            ask(server.url(), follow_redirects=1)
            ask(server.url())
            assert [asked.headers.get("cookie") for asked in server.asked] == [None] * 3


class TestNames:
    def test_a_name_is_resolved_once_and_the_server_sees_the_name(self, ask, server):
        names = Names(service_test=[["127.0.0.1"], ["169.254.169.254"]])
        ask(server.url(host="service.test"), resolver=names)
        assert names.asked == ["service.test"]
        assert server.asked[0].headers["host"] == f"service.test:{server.port}"

    def test_an_answer_that_changes_between_calls_is_checked_again(self, ask, server):
        names = Names(service_test=[["127.0.0.1"], ["10.0.0.1"]])
        ask(server.url(host="service.test"), resolver=names)
        with pytest.raises(EgressRefused, match=r"service\.test \(10\.0\.0\.1\) is not a public address"):
            ask(server.url(host="service.test"), resolver=names)
        assert len(server.asked) == 1

    def test_one_bad_address_among_good_ones_refuses_the_name(self, ask, server):
        names = Names(service_test=[["127.0.0.1", "10.0.0.1"]])
        with pytest.raises(EgressRefused):
            ask(server.url(host="service.test"), resolver=names)
        assert server.asked == []

    def test_the_next_address_is_tried_where_one_does_not_answer(self, ask, server):
        names = Names(service_test=[["127.0.0.9", "127.0.0.1"]])
        assert ask(server.url(host="service.test"), resolver=names).status == 200

    def test_an_unknown_name_is_a_failure_that_says_so(self, ask):
        with pytest.raises(EgressFailed, match=r"The name nowhere\.test can't be resolved: Name or service"):
            ask("http://nowhere.test/", resolver=Names())

    def test_a_name_without_addresses_is_a_failure(self, ask):
        with pytest.raises(EgressFailed, match="has no address"):
            ask("http://empty.test/", resolver=Names(empty_test=[[]]))

    def test_a_resolver_that_hangs_ends_with_the_time(self, ask):
        let_go = threading.Event()
        with pytest.raises(EgressTimeout):
            ask("http://slow.test/", resolver=lambda *_, **__: let_go.wait(10), timeout_seconds=0.2)
        let_go.set()


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://localhost/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:169.254.169.254]/latest/meta-data/",
        "http://[0:0:0:0:0:ffff:a9fe:a9fe]/",
        "http://[64:ff9b::169.254.169.254]/",
        "http://[2002:7f00:1::]/",
        "http://[fe80::1%25lo]/",
        "http://2130706433/",
        "http://0177.0.0.1/",
        "http://0x7f.1/",
        "http://0x7f000001/",
        "http://127.1/",
        "http://0/",
        "http://127.0.0.1./",
        "http://①②⑦.0.0.1/",
        "http://user@127.0.0.1/",
        "http://user:password@example.com/",
        "http://example.com\\@127.0.0.1/",
        "http://example.com:0/",
        "http://example.com:99999/",
        "http:///path",
        "http://",
        "//example.com/",
        "example.com",
        "",
        "ftp://example.com/",
        "file:///etc/passwd",
        "gopher://127.0.0.1:6379/_INFO",
        "http://example.com/\r\nX: y",
        "http://exa mple.com/",
        "http://[::1/",
        "http://example.com/" + "x" * 9_000,
    ],
)
def test_these_urls_are_refused_by_rule(ask, url):
    with pytest.raises(EgressRefused):
        ask(url, allow="")


@pytest.mark.parametrize("follow", [0, 1])
@pytest.mark.parametrize(
    "host",
    [
        "xn--", "XN--", "xn--.com", "a.xn--", "xn--a", "xn--0", "xn--zzzzzzzzzzz", "xn--a-ecp.ru", "xn--ls8h.la",
        "xn--\xdf", "\u2488com", "a\u200db.com", "\ud800", "[::1", "[v1.x]", "a:b", ".", "a..b", "a" * 64 + ".com",
    ],
)  # fmt: skip
def test_whatever_stands_where_a_host_should_be_is_an_error_of_its_own(ask, host, follow):
    """Not an error of ours, of which nobody knows whether the request was sent."""
    with pytest.raises((EgressRefused, EgressFailed)):
        ask(f"http://{host}/", allow="", follow_redirects=follow)


def test_a_redirect_to_no_host_is_refused(ask):
    moved = answering(http(status="302 Found", location="http://xn--/"))
    with moved as server, pytest.raises(EgressRefused, match="not a URL"):
        ask(server.url(), follow_redirects=1)


@pytest.mark.parametrize("host", ["2130706433", "0177.0.0.1", "0x7f.1", "127.1"])
def test_addresses_in_odd_spellings_are_refused_even_where_the_address_is_allowed(ask, server, host):
    with pytest.raises(EgressRefused, match=r"neither a name nor an address|not a URL"):
        ask(server.url(host=host))


class TestWhatMayBeSent:
    @pytest.mark.parametrize("method", ["CONNECT", "TRACE", "get", "", "GET /x HTTP/1.1\r\nA:", "G T"])
    def test_odd_methods_are_refused(self, ask, server, method):
        with pytest.raises(EgressRefused, match="is not an allowed method"):
            ask(server.url(), method)

    @pytest.mark.parametrize(
        "name",
        ["Host", "content-length", "Transfer-Encoding", "Connection", "Upgrade", "Proxy-Authorization"],
    )
    def test_headers_that_say_where_a_message_goes_or_ends_are_refused(self, ask, server, name):
        with pytest.raises(EgressRefused, match="can't be set"):
            ask(server.url(), headers={name: "1"})

    @pytest.mark.parametrize(
        ("name", "value"),
        [("X-A", "b\r\nX-C: d"), ("X-A\r\nX-B", "c"), ("X A", "b"), ("", "b"), ("X-A", "ü")],
    )
    def test_headers_that_would_be_several_are_refused(self, ask, server, name, value):
        with pytest.raises(EgressRefused):
            ask(server.url(), headers={name: value})
        assert server.asked == []


class TestRedirects:
    def test_they_are_not_followed_unless_asked_for(self, ask):
        with answering(http(status="302 Found", location="/b"), http(b"b")) as server:
            assert ask(server.url()).status == 302
            assert len(server.asked) == 1

    def test_the_next_hop_is_checked_like_the_first(self, ask, server):
        with answering(http(status="302 Found", location=server.url())) as first:
            allow = f"127.0.0.1/32:{first.port}"
            with pytest.raises(EgressRefused, match="not a public address"):
                ask(first.url(), allow=allow, follow_redirects=3)
        assert server.asked == []

    @pytest.mark.parametrize(
        "location", ["http://169.254.169.254/", "file:///etc/passwd", "http://me:pw@example.com/", "http://["]
    )
    def test_a_hop_to_what_is_forbidden_is_refused(self, ask, location):
        with answering(http(status="301 Moved", location=location)) as server, pytest.raises(EgressRefused):
            ask(server.url(), follow_redirects=1)

    def test_secrets_stay_with_their_origin(self, ask, server):
        secrets = {"Authorization": "Bearer x", "Cookie": "a=b", "X-Api-Key": "k", "Accept": "text/plain"}
        with answering(
            http(status="302 Found", location="/b"), http(status="302 Found", location=server.url())
        ) as first:
            ask(first.url(), headers=secrets, follow_redirects=2)
            assert first.asked[1].headers["x-api-key"] == "k"
        names = set(server.asked[0].headers)
        assert names == {"host", "accept", "accept-encoding", "connection"}

    def test_a_body_stays_with_its_origin(self, ask, server):
        moved = http(status="307 Moved", location=server.url())
        with answering(moved) as first, pytest.raises(EgressRefused, match="with a body"):
            ask(first.url(), "POST", content=b"secret", follow_redirects=1)
        assert server.asked == []

    def test_a_body_goes_along_within_its_origin_where_the_status_says_so(self, ask):
        with answering(http(status="308 Moved", location="/b"), http()) as server:
            ask(server.url(), "POST", content=b"body", follow_redirects=1)
            assert [(asked.method, asked.body) for asked in server.asked] == [("POST", b"body")] * 2

    @pytest.mark.parametrize("status", ["302 Found", "303 See Other"])
    def test_a_post_becomes_a_get_as_in_a_browser(self, ask, status):
        with answering(http(status=status, location="/b"), http()) as server:
            ask(
                server.url(),
                "POST",
                content=b"x",
                headers={"Content-Type": "text/plain"},
                follow_redirects=1,
            )
            assert (server.asked[1].method, server.asked[1].body) == ("GET", b"")
            assert "content-type" not in server.asked[1].headers

    def test_a_circle_ends(self, ask):
        with answering(http(status="302 Found", location="/")) as server:
            with pytest.raises(EgressFailed, match="more than 3 times"):
                ask(server.url(), follow_redirects=3)
            assert len(server.asked) == 4


class TestTls:
    @pytest.fixture
    def server(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATE, CERTIFICATE.with_suffix(".key"))
        self.names = []
        context.sni_callback = lambda _socket, name, _context: self.names.append(name)
        with answering(http(status="302 Found", location="http://127.0.0.1/"), tls=context) as server:
            yield server

    def test_a_certificate_that_nobody_vouches_for_is_refused(self, ask, server):
        with pytest.raises(EgressFailed, match=r"certificate of 127\.0\.0\.1 is not trusted: self-signed"):
            ask(server.url(scheme="https"))
        assert server.asked == []

    def test_the_name_is_sent_and_checked_although_the_address_is_connected_to(self, ask, server):
        names = Names(service_test=[["127.0.0.1"]], other_test=[["127.0.0.1"]])
        trust = {"resolver": names, "ca_file": str(CERTIFICATE)}
        assert ask(server.url(scheme="https", host="service.test"), **trust).status == 302
        with pytest.raises(EgressFailed, match=r"other\.test is not trusted: Hostname mismatch"):
            ask(server.url(scheme="https", host="other.test"), **trust)
        assert self.names == ["service.test", "other.test"]

    def test_a_redirect_from_https_to_http_is_refused(self, ask, server):
        with pytest.raises(EgressRefused, match="from https to http"):
            ask(server.url(scheme="https"), ca_file=str(CERTIFICATE), follow_redirects=1)

    def test_a_server_without_tls_is_a_failure(self, ask):
        with answering(http()) as server, pytest.raises(EgressFailed, match=r"No TLS with 127\.0\.0\.1"):
            ask(server.url(scheme="https"))

    def test_a_handshake_that_hangs_ends_with_the_time(self, ask):
        with socket.create_server(("127.0.0.1", 0)) as nobody, pytest.raises(EgressTimeout):
            ask(f"https://127.0.0.1:{nobody.getsockname()[1]}/", timeout_seconds=0.3)


class TestFailures:
    def test_nobody_there(self, ask, server):
        port = server.port
        server.closing.set()
        with answering(http()) as other:
            closed = other.port
        assert closed != port
        with pytest.raises(
            EgressFailed, match=rf"127\.0\.0\.1 at port {closed} can't be reached: Connection"
        ):
            ask(f"http://127.0.0.1:{closed}/")

    def test_a_server_that_hangs_up(self, ask):
        with answering(hanging_up) as server, pytest.raises(EgressFailed, match=r"disconnected|broke"):
            ask(server.url())

    @pytest.mark.parametrize(
        "answer", [b"SSH-2.0-OpenSSH_9.2\r\n", b"HTTP/1.1 2000 OK\r\n\r\n", b"\x00" * 500]
    )
    def test_a_server_that_speaks_something_else(self, ask, answer):
        with answering(answer) as server, pytest.raises(EgressFailed, match="not valid HTTP"):
            ask(server.url())

    def test_a_body_that_breaks_off(self, ask):
        answer = http(b"12345").replace(b": 5", b": 50")
        with answering(answer) as server, pytest.raises(EgressFailed, match="broke off"):
            ask(server.url())

    def test_a_protocol_that_nobody_asked_for(self, ask):
        answer = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"
        with answering(answer) as server, pytest.raises(EgressFailed):
            ask(server.url())

    def test_messages_hold_neither_query_nor_headers(self, ask):
        with answering(silent) as server, pytest.raises(EgressTimeout) as failed:
            ask(server.url("/p?token=s3cret"), headers={"Authorization": "s3cret"}, timeout_seconds=0.2)
        assert "s3cret" not in failed.value.message
