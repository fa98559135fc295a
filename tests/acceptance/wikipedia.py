"""A Wikipedia of our own, for the example that asks one."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlsplit

from tests.answering import handled_by

EXTRACT = "Urban areas are often warmer than the country around them; the difference is larger at night."


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        asked = {name: value for name, [value] in parse_qs(urlsplit(self.path).query).items()}
        assert (asked["prop"], asked["formatversion"]) == ("extracts", "2")
        page = {"ns": 0, "title": asked["titles"]}
        page |= {"missing": True} if asked["titles"] == "Nothing" else {"pageid": 1, "extract": EXTRACT}
        body = json.dumps({"batchcomplete": True, "query": {"pages": [page]}}).encode()
        self.send_response(503 if asked["titles"] == "Maintenance" else 200)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        return


@contextmanager
def open_wikipedia() -> Iterator[str]:
    """An address that answers as MediaWiki documents `prop=extracts` with `formatversion=2`."""
    with handled_by(_Handler) as port:
        yield f"http://127.0.0.1:{port}/w/api.php"
