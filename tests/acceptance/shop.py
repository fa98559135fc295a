"""The other systems of an order, as a service that keeps book: warehouses, bank, carrier and loyalty programme.

It does what good services do: a call with an `Idempotency-Key` that it knows is answered as the first one was.
"""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler

from config.embedded.processes import wait_until
from engine.catalogue import Json
from tests.answering import handled_by

KM = {"north": 410, "west": 120, "south": 590}
ANSWERS = {
    "offer": lambda asked: {"warehouse": asked["warehouse"], "km": KM[asked["warehouse"]]},
    "price": lambda asked: {"price_cents": 860},
    "give_points": lambda asked: {"points": asked["points"]},
    "ship": lambda asked: {"tracking": f"trk-{asked['order']}"},
}


@dataclass(frozen=True)
class Call:
    """One call that came in: what was asked of whom, with which key, at which moment, and whether it was done."""

    verb: str
    key: str
    asked: Json
    at: float
    is_effect: bool

    @property
    def order(self) -> str:
        return self.asked["order"]


class Shop:
    """Calls of all verbs, each done once a key."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._refusals: dict[tuple[str, str, str | None], list[int]] = {}
        self._held: dict[tuple[str, str], threading.Event] = {}
        self._in_hand: set[tuple[str, str]] = set()
        self._lock = threading.Lock()

    def refuse(
        self, verb: str, order: str, status: int, *, times: int = 1, warehouse: str | None = None
    ) -> None:
        """The next calls of it, or of this warehouse, are answered with this status, and nothing is done."""
        self._refusals[verb, order, warehouse] = [status] * times

    def hold(self, *calls: tuple[str, str]) -> None:
        """These calls, each a verb and an order, are done, and get no answer until they are let go."""
        self._held |= {call: threading.Event() for call in calls}

    def until_held(self, *calls: tuple[str, str]) -> None:
        """Wait until all of these are in hand."""
        wait_until(lambda: self._in_hand >= set(calls), 60, str(calls))

    def until_done(self, verb: str, order: str) -> None:
        """Wait until this was done for the order."""
        wait_until(lambda: bool(self.effects(order, verb)), 60, f"{verb} of {order}")

    def let_go(self, *calls: tuple[str, str]) -> None:
        """They are answered, from now on."""
        for call in calls:
            self._held.pop(call).set()

    def effects(self, order: str, *verbs: str) -> list[Call]:
        """What was done for an order, in this order."""
        return [call for call in self.tried(order, *verbs) if call.is_effect]

    def tried(self, order: str, *verbs: str) -> list[Call]:
        """All calls, those that had no effect too."""
        with self._lock:
            return [call for call in self.calls if call.order == order and (not verbs or call.verb in verbs)]

    def answer(self, verb: str, key: str, asked: Json) -> tuple[int, Json]:
        """Status and body of the answer to a call."""
        with self._lock:
            named = [(verb, asked["order"], one) for one in (asked.get("warehouse"), None)]
            refusals = next((left for name in named if (left := self._refusals.get(name))), [])
            known = any((call.verb, call.key) == (verb, key) for call in self.calls if call.is_effect)
            self.calls.append(Call(verb, key, asked, time.monotonic(), not refusals and not known))
            if refusals:
                return refusals.pop(), {"error": f"no {verb} for {asked['order']}"}
            gate = self._held.get((verb, asked["order"]))
        if gate:
            self._in_hand.add((verb, asked["order"]))
            gate.wait(60)
        return 200, ANSWERS.get(verb, lambda asked: {"done": verb})(asked)


@contextmanager
def open_shop() -> Iterator[tuple[Shop, str]]:
    """A shop and its address."""
    shop = Shop()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, said = shop.answer(self.path.strip("/"), self.headers["Idempotency-Key"], asked)
            body = json.dumps(said).encode()
            # Whoever asked may have been killed meanwhile.
            with suppress(OSError):
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            return

    with handled_by(Handler) as port:
        yield shop, f"http://127.0.0.1:{port}"
