"""Plays a case of the conformance suite by gRPC alone, and prints what came of it as JSON: CASE WORKFLOW KEY.

The service is `handoff.v1`. Jobs come by their stream, and a run is watched by its events until they end.
"""

import json
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import grpc

from tests.conformance.scene import Case, Refused, play
from tests.integrations.grpc.speaking import Client, pool, told

STATUS_OF = {"UNAUTHENTICATED": 401, "NOT_FOUND": 404}
"""Cases say the statuses of HTTP."""
SECONDS = 80.0
# Once for all who are forked from here.
pool()


class Rpc:
    """Handoff by its gRPC service."""

    def __init__(self, address: str, token: str) -> None:
        self._channel = grpc.insecure_channel(address)
        self._client = Client(self._channel, token)

    def jobs(self, queues: Sequence[str], is_over: threading.Event) -> Iterator[Case]:
        """As `Door.jobs`."""
        stream = self._client.jobs(
            "StreamJobs", worker_id="raw", queues=queues, max_jobs=1, seconds=2 * SECONDS
        )
        threading.Thread(target=lambda: is_over.wait() and stream.cancel()).start()
        try:
            for job in stream:
                yield _row(job)
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.CANCELLED:
                raise

    def tell(self, verb: str, job: Case, said: Case) -> Case:
        """As `Door.tell`."""
        lease = {"job_id": job["id"], "lease_token": job["lease_token"]}
        return _row(_told(self._client.jobs, f"{verb.title()}Job", **lease, **said))

    def start(self, start: Case) -> Case:
        """As `Door.start`."""
        return _row(_told(self._client.runs, "StartRun", **start).run)

    def run(self, run_id: str, token: str | None = None) -> Case:
        """As `Door.run`."""
        client = self._client if token is None else Client(self._channel, token)
        return _row(_told(client.runs, "GetRun", run_id=run_id))

    def wait(self, run_id: str) -> Case:
        """As `Door.wait`."""
        for _ in self._client.runs("WatchRun", run_id=run_id, seconds=SECONDS):
            pass
        return self.run(run_id)

    def signal(self, run_id: str, signal: Case) -> None:
        """As `Door.signal`."""
        _told(self._client.runs, "SignalRun", run_id=run_id, **signal)

    def cancel(self, run_id: str, reason: str) -> None:
        """As `Door.cancel`."""
        _told(self._client.runs, "CancelRun", run_id=run_id, reason=reason)


def _told(ask: Any, method: str, **fields: Any) -> Any:
    """The answer to a call. Raises Refused."""
    try:
        return ask(method, **fields)
    except grpc.RpcError as error:
        refusal = told(error)
        raise Refused(STATUS_OF.get(refusal["status"], 500), refusal["code"] or "") from error


def _row(message: Any) -> Case:
    """What a message says, as a row of REST's: fields of bytes are JSON."""
    row = {field.name: (field, getattr(message, field.name)) for field in message.DESCRIPTOR.fields}
    return {
        name: json.loads(value or b"null") if field.type == field.TYPE_BYTES else value
        for name, (field, value) in row.items()
    }


if __name__ == "__main__":
    play(Rpc(os.environ["HANDOFF_GRPC"], os.environ["TOKEN"]), *sys.argv[1:])
