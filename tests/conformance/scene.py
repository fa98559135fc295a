"""A case of the conformance suite, played without an SDK: what a client has to do by itself."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol

Case = dict[str, Any]
UNKNOWN_STEP: Final[Case] = {"fail": {"code": "UnknownStep", "message": "There is no such step."}}
"""What a worker does with a job of a step that it does not have."""


class Refused(Exception):
    """An answer that is an error, with the status that HTTP has for it."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(f"{status} {code}")
        self.status, self.code = status, code


class Door(Protocol):
    """What is called. Each method raises Refused; jobs and runs are as the REST API shows them."""

    def jobs(self, queues: Sequence[str], is_over: threading.Event) -> Iterator[Case]:
        """Jobs of these queues, one after the other, until it is over."""

    def tell(self, verb: str, job: Case, said: Case) -> Case:
        """Say a word on the lease of a job: `heartbeat`, `complete`, `fail` or `release`."""

    def start(self, start: Case) -> Case:
        """Start a run."""

    def run(self, run_id: str, token: str | None = None) -> Case:
        """A run as it stands, as who has this token sees it."""

    def wait(self, run_id: str) -> Case:
        """A run that has ended."""

    def signal(self, run_id: str, signal: Case) -> None:
        """Send a signal to a run."""

    def cancel(self, run_id: str, reason: str) -> None:
        """Cancel a run."""


class Scene:
    """A case that is being played."""

    def __init__(self, case: Case, door: Door) -> None:
        self.case, self.door = case, door
        self.calls: Counter[str] = Counter()
        self.begun, self.cancelled, self.over = threading.Event(), threading.Event(), threading.Event()

    def work(self) -> None:
        """Do jobs until it is over."""
        jobs, queues = self.case["jobs"], self.case.get("queues", {})
        for job in self.door.jobs([queues.get(node, node) for node in jobs], self.over):
            actions = jobs.get(job["node"], [UNKNOWN_STEP])
            self.calls[job["node"]] += 1
            self.begun.set()
            self._do(job, actions[min(self.calls[job["node"]], len(actions)) - 1])

    def _do(self, job: Case, action: Case) -> None:
        if "progress" in action:
            self.door.tell("heartbeat", job, {"progress": action["progress"]})
        until = time.monotonic() + action.get("seconds", 0)
        while action.get("until_cancelled") or time.monotonic() < until:
            answer = self.door.tell("heartbeat", job, {})
            if answer.get("cancel_requested") or not answer["applied"]:
                self.cancelled.set()
                action = {"fail": {"code": "StepError", "message": "nobody wants it", "retryable": True}}
                break
            self.over.wait(0.3)
        verb, said = ending(job, action)
        # What can't be stored is refused: it is for the client to leave it out.
        texts = [text.replace("\0", "") for text in action.get("log", ())]
        lines = [{"text": text, "seq": number} for number, text in enumerate(texts, 1)]
        self.door.tell(verb, job, {**said, **({"log": lines} if lines else {})})

    def ask(self, workflow: str, key: str) -> Case:
        """Do what the case says for whoever starts the run; gives what came of it."""
        told: Case = {}
        start = {"workflow": workflow, "input": self.case.get("input", {}), "business_key": key}
        run: Any = None
        for line in self.case["client"]:
            verb, _, argument = line.partition(":")
            if verb == "start":
                run = self.door.start(start)
            elif verb == "start_again":
                told["same_run"] = self.door.start(start)["id"] == run["id"]
            elif verb == "begun":
                self.begun.wait(60)
            elif verb == "signal":
                signal = {"name": argument, "signal_id": "once", "payload": self.case.get("payload")}
                self.door.signal(run["id"], signal)
            elif verb == "cancel":
                self.door.cancel(run["id"], argument)
            elif verb == "wait":
                run = self.door.wait(run["id"])
                told |= {
                    "status": run["status"],
                    "output": run["output"],
                    "error": (run["error"] or {}).get("code"),
                }
            elif verb == "start_unknown":
                told["refused"] = _refusal(
                    partial(self.door.start, {"workflow": "there-is-none", "input": {}})
                )
            elif verb == "strange_token":
                told["stranger"] = _refusal(partial(self.door.run, run["id"], token="hf_none"))[0]
        return told


def ending(job: Case, action: Case) -> tuple[str, Case]:
    """The verb that ends the job, and what is said with it."""
    if action.get("release"):
        return "release", {}
    if fail := action.get("fail"):
        message = fail["message"].replace("\0", "")
        error = {"code": fail["code"], "message": message, "details": fail.get("details", {})}
        return "fail", {"error": error, "retryable": fail.get("retryable", False)}
    if text := action.get("raise"):
        return "fail", {"error": {"code": "Error", "message": text}, "retryable": True}
    variables = {"variables": action["variables"]} if "variables" in action else {}
    if not action.get("echo"):
        return "complete", {"output": action.get("complete"), **variables}
    output = {name: job[name] for name in ("input", "attempt", "retries_remaining", "progress")}
    return "complete", {"output": {**output, "has_key": bool(job["idempotency_key"])}, **variables}


def _refusal(call: Callable[[], object]) -> list[Any]:
    """The status and the code of a call that is refused."""
    try:
        call()
    except Refused as refused:
        return [refused.status, refused.code]
    return []


def play(door: Door, path: str, workflow: str, key: str) -> None:
    """Play the case at this path through the door, and print what came of it as JSON."""
    scene = Scene(json.loads(Path(path).read_text()), door)
    working = threading.Thread(target=scene.work if scene.case.get("jobs") else scene.over.set)
    working.start()
    try:
        told = scene.ask(workflow, key)
        if told.get("status") == "CANCELLED":
            told["worker_saw_it"] = scene.cancelled.wait(60)
    finally:
        scene.over.set()
        working.join()
    print(json.dumps(told))
