"""A service that takes its time: real HTTP on loopback, every request kept waiting until it is let go."""

import threading
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

from tests.answering import handled_by


class SlowService:
    """`keys` counts the idempotency keys of its callers, `paths` has those of each path; `inside`: how many wait now,
    `most`: how many ever did.
    """

    def __init__(self) -> None:
        self.let_go = threading.Event()
        self.keys: Counter[str] = Counter()
        self.paths: defaultdict[str, set[str]] = defaultdict(set)
        self.inside = self.most = 0
        self.url = self.allowance = ""
        self._lock = threading.Lock()

    def answered(self, path: str, key: str) -> None:
        """A request came: wait."""
        with self._lock:
            self.keys[key] += 1
            self.paths[path].add(key)
            self.inside += 1
            self.most = max(self.most, self.inside)
        self.let_go.wait(60)
        with self._lock:
            self.inside -= 1


@contextmanager
def slow_service() -> Iterator[SlowService]:
    """The service on a port of its own."""
    service = SlowService()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            service.answered(self.path, self.headers["Idempotency-Key"])
            try:
                self.send_response(200)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"ok")
            except OSError:
                return  # The caller was killed.

        def log_message(self, *_: object) -> None:
            return

    with handled_by(Handler) as port:
        service.url, service.allowance = f"http://127.0.0.1:{port}/", f"127.0.0.1/32:{port}"
        try:
            yield service
        finally:
            service.let_go.set()
