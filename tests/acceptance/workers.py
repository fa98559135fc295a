"""The example workers of docs/examples as processes of their own."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from config.embedded.processes import wait_until
from tests.acceptance.client import Client
from tests.acceptance.running import ROOT

SDK = ROOT / "sdks" / "python" / "src"


class Worker:
    """An example's worker with a terminal of its own, which is the file `output`; `environment` are its knobs."""

    def __init__(self, client: Client, script: str, output: Path, **environment: str) -> None:
        token = client.handoff.worker_token
        api = f"http://127.0.0.1:{client.handoff.port}/api/v1"
        self._output = output
        with output.open("ab") as terminal:
            self.process = subprocess.Popen(
                [sys.executable, str(ROOT / "docs" / "examples" / script)],
                env={
                    "HANDOFF": api,
                    "TOKEN": token,
                    "NO_PROXY": "127.0.0.1",
                    "PYTHONPATH": str(SDK),
                    **environment,
                },
                stdout=terminal,
                stderr=subprocess.STDOUT,
            )

    def said(self) -> str:
        return self._output.read_text()

    def until_it_says(self, what: str) -> None:
        wait_until(lambda: what in self.said() or self.process.poll() is not None, 60, f"the word {what!r}")
        assert what in self.said()

    def stop(self, signum: int = signal.SIGTERM) -> int:
        """What it ends with, soon."""
        self.process.send_signal(signum)
        return self.process.wait(30)

    def kill(self) -> None:
        """It is gone at once."""
        self.process.kill()
        self.process.wait()


@contextmanager
def working(client: Client, script: str, output: Path, **environment: str) -> Iterator[Worker]:
    """A worker that polls; it doesn't outlive the test."""
    worker = Worker(client, script, output, **environment)
    try:
        worker.until_it_says("polls the queues")
        yield worker
    finally:
        worker.kill()
