"""No answer takes longer, more memory or more headers than it may, however the server goes about it."""

import gzip
import socket
import time
import tracemalloc
import zlib

import pytest

from lib.egress import EgressFailed, EgressTimeout, EgressTooLarge
from tests.answering import answering, dripping, http, silent

pytestmark = pytest.mark.slow

MIB = 1024 * 1024


class TestTime:
    @pytest.mark.parametrize(
        "answer",
        [
            silent,
            dripping(b""),
            dripping(b"HTTP/1.1 200 OK\r\nX-Slow: "),
            dripping(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
            dripping(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
            dripping(b"HTTP/1.1 200 OK\r\n\r\n"),
            dripping(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n"),
            dripping(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
        ],
        ids=["silence", "line", "header", "headers", "continue", "endless", "length", "chunks"],
    )
    def test_a_server_that_drips_does_not_outlast_the_deadline(self, ask, answer):
        began = time.monotonic()
        with answering(answer) as server, pytest.raises(EgressTimeout, match=r"within 0\.4 seconds"):
            ask(server.url(), timeout_seconds=0.4)
        assert time.monotonic() - began < 3

    def test_a_server_that_does_not_read_does_not_outlast_the_deadline(self, ask):
        content = b"x" * 60 * MIB
        with socket.create_server(("127.0.0.1", 0)) as deaf, pytest.raises(EgressTimeout):
            ask(f"http://127.0.0.1:{deaf.getsockname()[1]}/", "POST", content=content, timeout_seconds=0.4)

    def test_the_time_is_for_all_redirects_together(self, ask):
        def slow(asked, connection, closing):
            closing.wait(0.15)
            connection.sendall(http(status="302 Found", location="/"))

        with answering(slow) as server, pytest.raises(EgressTimeout):
            ask(server.url(), timeout_seconds=0.5, follow_redirects=20)


class TestSize:
    def test_a_body_of_just_the_size_is_taken_and_one_byte_more_is_not(self, ask):
        with answering(http(b"x" * 1000)) as server:
            assert len(ask(server.url(), max_bytes=1000).body) == 1000
            with pytest.raises(EgressTooLarge, match="999 bytes"):
                ask(server.url(), max_bytes=999)

    @pytest.mark.parametrize("encoding", ["gzip", "deflate", "bare deflate"])
    def test_so_it_is_after_decompression(self, ask, encoding):
        body = _compressed(b"x" * 1000, encoding)
        with answering(http(body, content_encoding=encoding.split()[-1])) as server:
            assert ask(server.url(), max_bytes=1000).body == b"x" * 1000
            with pytest.raises(EgressTooLarge):
                ask(server.url(), max_bytes=999)

    def test_a_zip_bomb_never_unfolds(self, ask):
        compressor = zlib.compressobj(9, wbits=zlib.MAX_WBITS | 16)
        bomb = b"".join(compressor.compress(bytes(MIB)) for _ in range(128)) + compressor.flush()
        with answering(http(bomb, content_encoding="gzip")) as server:
            tracemalloc.start()
            try:
                with pytest.raises(EgressTooLarge):
                    ask(server.url(), max_bytes=MIB)
                assert tracemalloc.get_traced_memory()[1] < 8 * MIB
            finally:
                tracemalloc.stop()

    def test_an_endless_body_is_cut_off(self, ask):
        chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        start = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        with answering(dripping(start, chunk, 0.001)) as server, pytest.raises(EgressTooLarge):
            ask(server.url())

    def test_compressed_frames_without_content_do_not_go_on_for_ever(self, ask):
        empty = gzip.compress(b"") * 3000
        start = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"
        with answering(dripping(start, empty, 0.001)) as server, pytest.raises(EgressTooLarge):
            ask(server.url(), max_bytes=1000)


class TestEncodings:
    def test_several_members_of_gzip_are_one_body(self, ask):
        body = gzip.compress(b"one ") + gzip.compress(b"two")
        with answering(http(body, content_encoding="gzip")) as server:
            assert ask(server.url()).body == b"one two"

    @pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "compress", "x"])
    def test_what_was_not_asked_for_is_refused(self, ask, encoding):
        answer = http(b"abc", content_encoding=encoding)
        with answering(answer) as server, pytest.raises(EgressFailed, match="not asked for"):
            ask(server.url())

    @pytest.mark.parametrize(
        "body", [b"not gzip at all", gzip.compress(b"hello")[:-9]], ids=["none", "cut off"]
    )
    def test_what_is_broken_is_a_failure(self, ask, body):
        with answering(http(body, content_encoding="gzip")) as server, pytest.raises(EgressFailed):
            ask(server.url())

    def test_an_empty_body_needs_no_encoding(self, ask):
        with answering(http(b"", content_encoding="gzip")) as server:
            assert ask(server.url()).body == b""


class TestHeaders:
    @pytest.mark.parametrize(
        "headers",
        [
            {f"X-{number}": "y" for number in range(300)},
            {"X": "y" * 70_000},
            {"X": "y" * 1_000_000},
            {f"X-{number}": "y" * 1000 for number in range(80)},
        ],
        ids=["many", "long", "huge", "much"],
    )
    def test_too_many_are_refused(self, ask, headers):
        with answering(http(b"", **headers)) as server, pytest.raises(EgressTooLarge, match="headers"):
            ask(server.url())


def _compressed(body, encoding):
    wbits = {"gzip": zlib.MAX_WBITS | 16, "deflate": zlib.MAX_WBITS, "bare deflate": -zlib.MAX_WBITS}[
        encoding
    ]
    compressor = zlib.compressobj(wbits=wbits)
    return compressor.compress(body) + compressor.flush()
