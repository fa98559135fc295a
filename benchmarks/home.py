"""A Handoff of its own for a benchmark: a fresh home, the real supervisor and its real workers."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parent.parent


@contextmanager
def running() -> Iterator[dict[str, Any]]:
    """Start Handoff in a temporary home and give its run.json; this process is then set up as one of its own."""
    with tempfile.TemporaryDirectory(prefix="handoff-bench-") as folder:
        home = Path(folder) / "home"
        environment = {
            **{key: value for key, value in os.environ.items() if key not in ("DATABASE_URL", "REDIS_URL")},
            "HANDOFF_HOME": str(home),
            "HANDOFF_PORT": str(_free_port()),
            "HANDOFF_EGRESS_ALLOW": "127.0.0.1/32",
        }
        log = (Path(folder) / "log").open("w")
        process = subprocess.Popen(
            [sys.executable, "-m", "config.supervisor"], cwd=CHECKOUT, env=environment, stdout=log, stderr=log
        )
        try:
            facts = _wait_for(home / "run.json", process)
            os.environ.update(
                HANDOFF_HOME=str(home),
                HANDOFF_PORT=environment["HANDOFF_PORT"],
                DJANGO_SETTINGS_MODULE="config.settings",
            )
            yield facts
        finally:
            process.terminate()
            process.wait(30)
            log.close()


def _wait_for(path: Path, process: subprocess.Popen[bytes]) -> dict[str, Any]:
    for _ in range(600):
        if path.exists():
            return dict(json.loads(path.read_text()))
        if process.poll() is not None:
            break
        time.sleep(0.1)
    raise SystemExit(f"Handoff did not start; see {path.parent.parent / 'log'}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
