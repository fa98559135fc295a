"""A Handoff of its own for clients that show no credentials."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.error import URLError
from urllib.request import urlopen

from config.embedded.processes import wait_until
from config.embedded.redis import free_port

ROOT = Path(__file__).resolve().parents[2]


class Doors(NamedTuple):
    """Where a Handoff answers: the address of its REST routes, and host and port of its gRPC; `kafka`: of the brokers
    through which it tells of jobs, where it does.
    """

    rest: str
    grpc: str
    kafka: str = ""


@contextmanager
def handoff(home: Path, dispatch: str = "hints", database: str = "") -> Iterator[Doors]:
    """The doors of a Handoff whose tenant `default` is open; it ends, and its home stays. With `kafka_outbox` it has a
    node of Kafka of its own. `database`: the URL of a PostgreSQL; one of its own otherwise.
    """
    port, grpc_port = free_port(), free_port()
    address = f"http://127.0.0.1:{port}"
    told = {
        "HANDOFF_HOME": str(home),
        "HANDOFF_PORT": str(port),
        "HANDOFF_GRPC_PORT": str(grpc_port),
        "HANDOFF_V1_OPEN_TENANT": "default",
        "HANDOFF_ADMIN_PASSWORD": "a-password-for-this-only",
        "HANDOFF_DISPATCH": dispatch,
        **({"DATABASE_URL": database} if database else {}),
        **({"HANDOFF_KAFKA": "embedded"} if dispatch == "kafka_outbox" else {}),
    }
    own = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    home.mkdir(parents=True, exist_ok=True)
    with (home / "supervisor.log").open("w") as heard:
        supervisor = subprocess.Popen(
            [sys.executable, "-m", "config.supervisor"], cwd=ROOT, env=own | told, stdout=heard, stderr=heard
        )
        try:
            wait_until(lambda: _is_ready(address) or supervisor.poll() is not None, 120, "Handoff")
            told_at = home / "run.json"
            wait_until(lambda: told_at.exists() or supervisor.poll() is not None, 30, "Handoff")
            facts = json.loads(told_at.read_text())
            yield Doors(address, f"127.0.0.1:{grpc_port}", str(facts.get("kafka_brokers") or ""))
        finally:
            supervisor.send_signal(signal.SIGINT)
            supervisor.wait(60)


def _is_ready(address: str) -> bool:
    try:
        with urlopen(f"{address}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
    except (URLError, OSError):
        return False
