"""A bucket that speaks as much S3 as payloads need: real HTTP on loopback, objects in memory."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

import pytest

from tests.answering import handled_by

BUCKET = "payloads"


class Bucket:
    """`objects` by key; `fails`: the status that every request is answered with instead, if one is set."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.fails: int | None = None

    def listed(self, query: dict[str, list[str]]) -> str:
        """The answer to ListObjectsV2, in pages of two."""
        prefix, after = query.get("prefix", [""])[0], query.get("continuation-token", [""])[0]
        delimiter = query.get("delimiter", [""])[0]
        found = sorted(key for key in self.objects if key.startswith(prefix))
        if delimiter:
            parts = sorted({key[len(prefix) :].split(delimiter)[0] for key in found})
            inner = "".join(
                f"<CommonPrefixes><Prefix>{prefix}{part}/</Prefix></CommonPrefixes>" for part in parts
            )
            return f"<IsTruncated>false</IsTruncated>{inner}"
        rest = [key for key in found if key > after]
        inner = "".join(
            f"<Contents><Key>{escape(key)}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>"
            f'<ETag>"e"</ETag><Size>{len(self.objects[key])}</Size></Contents>'
            for key in rest[:2]
        )
        more = len(rest) > 2
        token = f"<NextContinuationToken>{escape(rest[1])}</NextContinuationToken>" if more else ""
        return f"<IsTruncated>{'true' if more else 'false'}</IsTruncated>{token}{inner}"


class Handler(BaseHTTPRequestHandler):
    """One request: signed by whom it must be, and refused where the bucket `fails`."""

    protocol_version = "HTTP/1.1"
    bucket: Bucket

    @property
    def key(self) -> str:
        return unquote(urlsplit(self.path).path).removeprefix(f"/{BUCKET}").lstrip("/")

    def answer(self, status: int, body: str | bytes = b"", **headers: str) -> None:
        raw = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def take(self) -> bytes | None:
        """The body of a request that is not refused."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        assert "Credential=reader/" in self.headers["Authorization"]
        if self.bucket.fails is not None:
            self.answer(self.bucket.fails)
            return None
        return body

    def do_PUT(self) -> None:
        if (body := self.take()) is not None:
            self.bucket.objects[self.key] = body
            self.answer(200, ETag='"e"')

    def do_GET(self) -> None:
        if self.take() is None:
            return
        if not self.key:
            listed = self.bucket.listed(parse_qs(urlsplit(self.path).query))
            self.answer(200, f"<ListBucketResult>{listed}</ListBucketResult>")
        elif self.key in self.bucket.objects:
            at = "Thu, 01 Jan 2026 00:00:00 GMT"
            self.answer(200, self.bucket.objects[self.key], ETag='"e"', Last_Modified=at)
        else:
            self.answer(404, "<Error><Code>NoSuchKey</Code></Error>")

    def do_POST(self) -> None:
        if (body := self.take()) is not None:
            keys = re.findall(r"<Key>([^<]+)</Key>", body.decode())
            for key in keys:
                self.bucket.objects.pop(key, None)
            gone = "".join(f"<Deleted><Key>{key}</Key></Deleted>" for key in keys)
            self.answer(200, f"<DeleteResult>{gone}</DeleteResult>")

    def log_message(self, *_: object) -> None:
        return


@contextmanager
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bucket]:
    """The bucket `payloads` on a port of its own, and the environment that leads there."""
    ours = Bucket()
    with handled_by(type("OurHandler", (Handler,), {"bucket": ours})) as port:
        for name, value in {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
            "AWS_ACCESS_KEY_ID": "reader",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": "eu-central-1",
        }.items():
            monkeypatch.setenv(name, value)
        yield ours
