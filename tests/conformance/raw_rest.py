"""Plays a case of the conformance suite by HTTP alone, and prints what came of it as JSON: CASE WORKFLOW KEY."""

import json
import os
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any

Case = dict[str, Any]
OPEN = ("PENDING", "WAITING", "RUNNING", "PAUSED", "FAILING", "CANCELLING")


class Refused(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(f"{status} {code}")
        self.status, self.code = status, code


def call(method: str, path: str, body: Any = None, token: str = os.environ["TOKEN"]) -> Any:
    """What the API answers. Raises Refused."""
    request = urllib.request.Request(
        os.environ["HANDOFF"] + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise Refused(error.code, json.load(error)["error"]["code"]) from error


class Scene:
    """A case that is being played."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.calls: Counter[str] = Counter()
        self.begun, self.cancelled, self.over = threading.Event(), threading.Event(), threading.Event()

    def work(self) -> None:
        """Do jobs until it is over."""
        jobs, queues = self.case["jobs"], self.case.get("queues", {})
        asked = {"worker_id": "raw", "queues": [queues.get(node, node) for node in jobs], "max_jobs": 1}
        while not self.over.is_set():
            for job in call("POST", "/jobs/poll", {**asked, "wait_seconds": 0.5})["jobs"]:
                actions = jobs[job["node"]]
                self.calls[job["node"]] += 1
                self.begun.set()
                self._do(job, actions[min(self.calls[job["node"]], len(actions)) - 1])

    def _do(self, job: Case, action: Case) -> None:
        lease = {"lease_token": job["lease_token"]}
        if "progress" in action:
            call("POST", f"/jobs/{job['id']}/heartbeat", {**lease, "progress": action["progress"]})
        until = time.monotonic() + action.get("seconds", 0)
        while action.get("until_cancelled") or time.monotonic() < until:
            answer = call("POST", f"/jobs/{job['id']}/heartbeat", lease)
            if answer.get("cancel_requested") or not answer["applied"]:
                self.cancelled.set()
                action = {"fail": {"code": "StepError", "message": "nobody wants it", "retryable": True}}
                break
            self.over.wait(0.3)
        verb, said = ending(job, action)
        # What can't be stored is refused: it is for the client to leave it out.
        texts = [text.replace("\0", "") for text in action.get("log", ())]
        lines = [{"text": text, "seq": number} for number, text in enumerate(texts, 1)]
        call("POST", f"/jobs/{job['id']}/{verb}", {**lease, **said, **({"log": lines} if lines else {})})

    def ask(self, workflow: str, key: str) -> Case:
        """Do what the case says for whoever starts the run; gives what came of it."""
        told: Case = {}
        start = {"workflow": workflow, "input": self.case.get("input", {}), "business_key": key}
        run: Any = None
        for line in self.case["client"]:
            verb, _, argument = line.partition(":")
            if verb == "start":
                run = call("POST", "/runs", start)
            elif verb == "start_again":
                told["same_run"] = call("POST", "/runs", start)["id"] == run["id"]
            elif verb == "begun":
                self.begun.wait(60)
            elif verb == "signal":
                signal = {"name": argument, "signal_id": "once", "payload": self.case.get("payload")}
                call("POST", f"/runs/{run['id']}/signals", signal)
            elif verb == "cancel":
                call("POST", f"/runs/{run['id']}/cancel", {"reason": argument})
            elif verb == "wait":
                while (run := call("GET", f"/runs/{run['id']}"))["status"] in OPEN:
                    self.over.wait(0.1)
                told |= {
                    "status": run["status"],
                    "output": run["output"],
                    "error": (run["error"] or {}).get("code"),
                }
            elif verb == "start_unknown":
                told["refused"] = refusal("POST", "/runs", {"workflow": "there-is-none", "input": {}})
            elif verb == "strange_token":
                told["stranger"] = refusal("GET", f"/runs/{run['id']}", token="hf_none")[0]
        return told


def ending(job: Case, action: Case) -> tuple[str, Case]:
    """The verb that ends the job, and what is said with it."""
    if action.get("give_back"):
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


def refusal(method: str, path: str, body: Any = None, **options: Any) -> list[Any]:
    """The status and the code of a call that is refused."""
    try:
        call(method, path, body, **options)
    except Refused as refused:
        return [refused.status, refused.code]
    return []


def main(path: str, workflow: str, key: str) -> None:
    """Play the case at this path."""
    scene = Scene(json.loads(Path(path).read_text()))
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


if __name__ == "__main__":
    main(*sys.argv[1:])
