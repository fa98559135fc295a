"""Plays a case of the conformance suite with the SDK, and prints what came of it as JSON: CASE WORKFLOW KEY.

Where EVENTS is the address of a Redis or a Kafka (`kafka://HOST:PORT`) its worker gets jobs from there.
"""

import json
import os
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

from handoff_sdk import ApiError, Client, Release, StepError, Worker
from handoff_sdk.events import Events
from handoff_sdk.kafka import KafkaEvents
from handoff_sdk.redis_streams import RedisEvents

Case = dict[str, Any]


class Scene:
    """A case that is being played."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.begun = threading.Semaphore(0)
        self.cancelled = threading.Event()

    def worker(self) -> Worker:
        """A worker whose steps do what the case says."""
        worker = Worker(events=_events())
        queues = self.case.get("queues", {})
        for node, actions in self.case.get("jobs", {}).items():
            worker.step(node, queue=queues.get(node, node))(self._step(actions))
        return worker

    def _step(self, actions: list[Case]) -> Any:
        calls = 0

        def step(ctx: Any) -> Any:
            nonlocal calls
            calls += 1
            self.begun.release()
            return self._act(ctx, actions[min(calls, len(actions)) - 1])

        return step

    def _act(self, ctx: Any, action: Case) -> Any:
        for text in action.get("log", ()):
            ctx.log(text)
        ctx.variables.update(action.get("variables", {}))
        if "progress" in action:
            ctx.heartbeat(action["progress"])
            time.sleep(1)
        time.sleep(action.get("seconds", 0))
        if action.get("until_cancelled"):
            while not ctx.is_cancelled:
                time.sleep(0.05)
            self.cancelled.set()
            raise StepError("nobody wants it")
        return _ending(ctx, action)

    def ask(self, client: Client, workflow: str, key: str) -> Case:
        """Do what the case says for whoever starts the run; gives what came of it."""
        outcome: Case = {}
        start = (workflow, self.case.get("input", {}))
        run: Any = None
        for line in self.case["client"]:
            verb, _, argument = line.partition(":")
            if verb == "start":
                run = client.start(*start, business_key=key)
            elif verb == "start_again":
                outcome["same_run"] = client.start(*start, business_key=key)["id"] == run["id"]
            elif verb == "begun":
                self.begun.acquire(timeout=60)
            elif verb == "signal":
                client.signal(run["id"], argument, "once", self.case.get("payload"))
            elif verb == "cancel":
                client.cancel(run["id"], reason=argument)
            elif verb == "wait":
                run = client.wait(run["id"], seconds=60)
                outcome |= {
                    "status": run["status"],
                    "output": run["output"],
                    "error": (run["error"] or {}).get("code"),
                }
            elif verb == "start_unknown":
                outcome["refused"] = _refusal(lambda: client.start("there-is-none", {}))
            elif verb == "strange_token":
                with Client(token="hf_none") as stranger:
                    outcome["stranger"] = _refusal(partial(stranger.run, run["id"]))[0]
        return outcome


def _events() -> Events | None:
    address, tenant = os.environ.get("EVENTS", ""), os.environ.get("TENANT", "")
    if address.startswith("kafka://"):
        return KafkaEvents(address.removeprefix("kafka://"), tenant=tenant)
    return RedisEvents(address, tenant=tenant) if address else None


def _ending(ctx: Any, action: Case) -> Any:
    if action.get("release"):
        raise Release
    if fail := action.get("fail"):
        raise StepError(
            fail["message"],
            code=fail["code"],
            retryable=fail.get("retryable", False),
            details=fail.get("details"),
        )
    if text := action.get("raise"):
        raise RuntimeError(text)
    if action.get("echo"):
        return {
            "input": ctx.input,
            "attempt": ctx.attempt,
            "retries_remaining": ctx.retries_remaining,
            "progress": ctx.progress,
            "has_key": bool(ctx.idempotency_key),
        }
    return action.get("complete")


def _refusal(call: Any) -> list[Any]:
    try:
        call()
    except ApiError as error:
        return [error.status, error.code]
    return []


def main(path: str, workflow: str, key: str) -> None:
    """Play the case at this path."""
    scene = Scene(json.loads(Path(path).read_text()))
    worker, working = scene.worker(), None
    if scene.case.get("jobs"):
        working = threading.Thread(target=worker.run)
        working.start()
    try:
        with Client() as client:
            outcome = scene.ask(client, workflow, key)
        if outcome.get("status") == "CANCELLED":
            outcome["worker_saw_it"] = scene.cancelled.wait(60)
    finally:
        worker.stop()
        if working is not None:
            working.join()
    print(json.dumps(outcome))


if __name__ == "__main__":
    main(*sys.argv[1:])
