"""A receiver of webhooks that go out: it keeps what it is sent, and answers as it is told."""

import contextlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from integrations.webhooks_out import store
from integrations.webhooks_out.delivering import serve
from lib.standard_webhooks import verify
from tests.webhooks import signature


class Received:
    """A message as it came."""

    def __init__(self, headers, raw: bytes) -> None:
        self.headers, self.raw = headers, raw
        self.event = json.loads(raw)
        self.id, self.type = headers["webhook-id"], self.event["type"]

    def is_signed_by(self, secret: str) -> bool:
        """Whether a signature is the secret's, as somebody else computes it."""
        own = signature(secret, self.id, self.headers["webhook-timestamp"], self.raw)
        return own in self.headers["webhook-signature"].split(" ")

    def verify(self, *secrets: bytes) -> None:
        """As a receiver that is Handoff would."""
        verify(
            secrets,
            message_id=self.id,
            timestamp=self.headers["webhook-timestamp"],
            signatures=self.headers["webhook-signature"],
            body=self.raw,
            now=time.time(),
        )


class Receiver:
    """`answers(message)` gives a status, or a status and headers; it may take its time."""

    def __init__(self) -> None:
        self.messages: list[Received] = []
        self.answers = lambda message: 204
        self.port = 0

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}/hook"

    def types(self) -> list[str]:
        """The types of what came, in its order."""
        return [message.type for message in self.messages]

    def of(self, run_id: str) -> list[Received]:
        """What came of a run, in its order."""
        return [one for one in self.messages if one.event["data"].get("run_id") == str(run_id)]


@contextlib.contextmanager
def receiving(monkeypatch=None):
    """A receiver that listens in the meantime, to which the egress gate lets pass if `monkeypatch` is given."""
    receiver, lock = Receiver(), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            raw = self.rfile.read(int(self.headers["content-length"]))
            message = Received(dict(self.headers.items()), raw)
            with lock:
                receiver.messages.append(message)
            answer = receiver.answers(message)
            status, headers = answer if isinstance(answer, tuple) else (answer, {})
            with contextlib.suppress(OSError):
                self.send_response(status)
                for name, value in {"Content-Length": "0", **headers}.items():
                    self.send_header(name, value)
                self.end_headers()

        def log_message(self, *_):
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver.port = server.server_port
    if monkeypatch is not None:
        monkeypatch.setenv("HANDOFF_EGRESS_ALLOW", f"127.0.0.1:{receiver.port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()


def deliver(worker: str = "w") -> int:
    """Serve what is due until nothing is; gives how many attempts were made."""
    count = 0
    while leased := store.lease(worker, failing=True):
        count += serve(leased, worker)
    return count
