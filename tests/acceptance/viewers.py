"""A process of its own with viewers that send what takes longest to compute, until its input ends: the threads that
measure what others wait for must not wait for these.

`python -m tests.acceptance.viewers PORT TOKEN...`; what they were answered is printed as JSON, a count of each status.
"""

import json
import os
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.acceptance.connections import Connection
from tests.growth.schemas import SCHEMAS
from tests.growth.values import VALUES

CONNECTIONS = 4
NODES = [{"id": "job", "type": "job", "queue": "of-others"}]
DEFINITION: dict[str, Any] = {"name": "beside", "nodes": NODES, "edges": []}
VALIDATE, EVALUATE = "/workflows/validate", "/workflows/beside/evaluate"
MATCHES = " && ".join(['input.t.matches("[ab]*a[ab]{900}c")'] * 30)
LISTS = "input.l.all(a, input.l.all(b, input.l.all(c, a + b + c >= 0)))"


def nasty() -> Iterator[tuple[str, dict[str, Any]]]:
    """What a viewer may send, worst first: route and body."""
    for make in SCHEMAS.values():
        for size in (12, 200):
            node = {"id": "a", "type": "human.form", "params": {"title": "x", "form_schema": make(size)}}
            yield VALIDATE, {"definition": {"name": "x", "nodes": [node], "edges": []}}
            yield (
                VALIDATE,
                {"definition": {"name": "x", "nodes": [], "edges": [], "input_schema": make(size)}},
            )
    for make in VALUES.values():
        schema, _ = make(60)
        yield VALIDATE, {"definition": {"name": "x", "nodes": [], "edges": [], "input_schema": schema}}
    shown = {"definition": DEFINITION, "place": "input", "node": "job"}
    yield EVALUATE, {**shown, "text": f"{{{{ {MATCHES} }}}}", "input": {"t": "ab" * 100_000}}
    yield EVALUATE, {**shown, "text": f"{{{{ {LISTS} }}}}", "input": {"l": [*range(400)]}}


def main(port: int, tokens: list[str]) -> None:
    """Send until standard input ends, then print what was answered."""
    # What others send and measure goes first on this machine, as it does where they have one of their own.
    os.nice(10)
    bodies = [(path, json.dumps(body).encode()) for path, body in nasty()]
    end, lock, statuses = threading.Event(), threading.Lock(), Counter[int]()

    def send(token: str) -> None:
        connection = Connection(port, token)
        while not end.is_set():
            for path, body in bodies:
                status, _ = connection.send("POST", path, body)
                with lock:
                    statuses[status] += 1
                if end.is_set():
                    break
        connection.close()

    threads = [threading.Thread(target=send, args=(token,)) for token in tokens for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    sys.stdin.read()
    end.set()
    for thread in threads:
        thread.join(90)
    print(json.dumps(statuses))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
