"""Plays a case of the conformance suite by HTTP alone, and prints what came of it as JSON: CASE WORKFLOW KEY."""

import json
import os
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from typing import Any

from tests.conformance.scene import Case, Refused, play

OPEN = ("PENDING", "WAITING", "RUNNING", "PAUSED", "FAILING", "CANCELLING")


class Http:
    """Handoff by its REST API."""

    def __init__(self, address: str, token: str) -> None:
        self._address, self._token = address, token
        self._pause = threading.Event()

    def call(self, method: str, path: str, body: Any = None, token: str | None = None) -> Any:
        """What the API answers. Raises Refused."""
        request = urllib.request.Request(
            self._address + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {token or self._token}",
                "Content-Type": "application/json",
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise Refused(error.code, json.load(error)["error"]["code"]) from error

    def jobs(self, queues: Sequence[str], is_over: threading.Event) -> Iterator[Case]:
        """As `Door.jobs`."""
        asked = {"worker_id": "raw", "queues": queues, "max_jobs": 1, "wait_seconds": 0.5}
        while not is_over.is_set():
            yield from self.call("POST", "/jobs/poll", asked)["jobs"]

    def tell(self, verb: str, job: Case, said: Case) -> Case:
        """As `Door.tell`."""
        body = {"lease_token": job["lease_token"], **said}
        answer: Case = self.call("POST", f"/jobs/{job['id']}/{verb}", body)
        return answer

    def start(self, start: Case) -> Case:
        """As `Door.start`."""
        run: Case = self.call("POST", "/runs", start)
        return run

    def run(self, run_id: str, token: str | None = None) -> Case:
        """As `Door.run`."""
        run: Case = self.call("GET", f"/runs/{run_id}", token=token)
        return run

    def wait(self, run_id: str) -> Case:
        """As `Door.wait`."""
        while (run := self.run(run_id))["status"] in OPEN:
            self._pause.wait(0.1)
        return run

    def signal(self, run_id: str, signal: Case) -> None:
        """As `Door.signal`."""
        self.call("POST", f"/runs/{run_id}/signals", signal)

    def cancel(self, run_id: str, reason: str) -> None:
        """As `Door.cancel`."""
        self.call("POST", f"/runs/{run_id}/cancel", {"reason": reason})


if __name__ == "__main__":
    play(Http(os.environ["HANDOFF"], os.environ["TOKEN"]), *sys.argv[1:])
