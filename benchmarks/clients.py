"""Many clients of the REST API at once that cost little themselves, and what each process of Handoff costs then."""

import json
import os
import socket
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from accounts.models import Tenant, User
from accounts.services import create_token

_TICK: Final = os.sysconf("SC_CLK_TCK")
_TICKS: Final = slice(11, 15)
"""Where `/proc/PID/stat` has those of a process, behind its name: its own, and of the children that it saw end."""
_KINDS: Final = {
    "web": "web",
    "postgres": "PostgreSQL",
    "worker": "workers",
    "relay": "workers",
    "redis": "Redis",
}


class Client:
    """One connection that is kept; a Python library for HTTP would cost more than what it asks of Handoff."""

    def __init__(self, url: str, token: str) -> None:
        place = urlsplit(url)
        self._host = f"{place.hostname}:{place.port}"
        self._token = token
        self._socket = socket.create_connection((place.hostname, place.port), timeout=60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._read = self._socket.makefile("rb")

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, bytes]:
        """The status and the body of an answer."""
        sent = b"" if body is None else json.dumps(body).encode()
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: {self._host}\r\nAuthorization: Bearer {self._token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(sent)}\r\n\r\n"
        )
        self._socket.sendall(head.encode() + sent)
        status = int(self._read.readline().split()[1])
        length = 0
        while (line := self._read.readline()) not in (b"\r\n", b""):
            if line[:15].lower() == b"content-length:":
                length = int(line[15:])
        return status, self._read.read(length)

    def close(self) -> None:
        """End the connection."""
        self._read.close()
        self._socket.close()


Call = Callable[[Client, int], int]
"""One thing that a client does for the so-manieth time; gives how many of what is counted it did."""


def admin_token() -> str:
    """A token of the administrator."""
    tenant, admin = Tenant.objects.get(slug="default"), User.objects.get(username="admin")
    return create_token(user=admin, tenant=tenant, role="admin", name="bench")[1]


def rate(url: str, connections: int, seconds: float, call: Call) -> dict[str, Any]:
    """So many clients do `call` again and again for so long: how often a second, and ms of CPU for each, by process."""
    token = admin_token()
    clients = [Client(url, token) for _ in range(connections)]
    done: list[int] = []
    until = time.monotonic() + seconds
    begun, before = time.monotonic(), cpu_seconds()
    threads = [
        threading.Thread(target=_repeat, args=(client, call, place, until, done))
        for place, client in enumerate(clients)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took, after = time.monotonic() - begun, cpu_seconds()
    for client in clients:
        client.close()
    if len(done) < connections:
        raise RuntimeError("a client was answered with an error")
    count = sum(done)
    cost = {kind: (after[kind] - before[kind]) * 1000 / max(count, 1) for kind in after}
    return {"per s": round(count / took), **{f"ms {kind}": round(cost[kind], 2) for kind in sorted(cost)}}


def _repeat(client: Client, call: Call, place: int, until: float, done: list[int]) -> None:
    count, turn = 0, place
    while time.monotonic() < until:
        count += call(client, turn)
        turn += 1_000_003
    done.append(count)


def expect(answer: tuple[int, bytes], *statuses: int) -> bytes:
    """The body of an answer with one of these statuses. Raises RuntimeError for another."""
    status, body = answer
    if status not in statuses:
        raise RuntimeError(f"{status}: {body[:300]!r}")
    return body


def cpu_seconds() -> Mapping[str, float]:
    """Seconds of CPU that the processes of this Handoff have had, by kind, and this one as `client`.

    What has ended meanwhile counts with its parent: a connection's process in PostgreSQL takes with it what it had.
    """
    found: defaultdict[str, float] = defaultdict(float, {"client": time.process_time()})
    mine = f"HANDOFF_HOME={os.environ['HANDOFF_HOME']}\0".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            name = (folder / "comm").read_text().strip()
            kind = next((kind for word, kind in _KINDS.items() if name.startswith(word)), None)
            if kind is None or not _belongs(folder, mine, kind):
                continue
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found[kind] += sum(map(int, fields[_TICKS])) / _TICK
    return found


def _belongs(folder: Path, mine: bytes, kind: str) -> bool:
    if kind in ("web", "workers"):
        return mine in (folder / "environ").read_bytes()
    # The servers are told nothing of a home but work in it.
    return os.environ["HANDOFF_HOME"] in os.readlink(folder / "cwd") + (folder / "cmdline").read_text()
