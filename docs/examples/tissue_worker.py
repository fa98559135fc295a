"""A worker for the example "Analyse a tissue": plain Python, nothing to install.

In the folder of Handoff, while `make up` runs in another terminal:

    export HANDOFF=http://127.0.0.1:8000/api/v1
    export TOKEN=$(.venv/bin/python manage.py create_token --user admin --role worker)
    python3 docs/examples/tissue_worker.py

It polls the queue `tissue` for jobs, does what each asks, and reports the output; start as many as you like.
Ctrl-C stops it: a job that it holds goes back to the queue at once. After `kill -9` somebody else is given the job
when its lease ends. A Handoff that is away for a while is waited for. docs/workers.md says more.
"""

import json
import os
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPException
from threading import Event, Thread
from typing import Any

API, TOKEN = os.environ.get("HANDOFF", "").rstrip("/"), os.environ.get("TOKEN", "")
# A pause instead of real work, in each job, so that there is something to watch.
WORK_SECONDS = float(os.environ.get("WORK_SECONDS", "1"))
# A third of `lease_seconds` in the definition: two beats may get lost.
HEARTBEAT_SECONDS = 5
TRY_AGAIN = (408, 429, 502, 503, 504)

Json = dict[str, Any]


def upload_image(given: Json, params: Json) -> Json:
    return {"image": given["image"], "stored_at": f"s3://slides/{given['image']}", "megapixels": 96}


def deep_zoom_tiles(given: Json, params: Json) -> Json:
    size = params.get("tile_size", 256)
    return {**given, "tile_size": size, "tiles": given["megapixels"] * 1_000_000 // size**2}


def predict(given: Json, params: Json) -> Json:
    return {**given, "cells": given["tiles"] * 3, "suspicious": given["tiles"] // 50}


def annotations(given: Json, params: Json) -> Json:
    return {**given, "regions": max(given["suspicious"] // 7, 1)}


def report(given: Json, params: Json) -> Json:
    share = given["suspicious"] / given["cells"]
    text = f"{given['image']}: {given['suspicious']} of {given['cells']} cells in {given['regions']} regions"
    return {"report": f"{text} look unusual ({share:.1%})."}


# A job carries the id of its node.
STEPS: dict[str, Callable[[Json, Json], Json]] = {
    step.__name__: step for step in (upload_image, deep_zoom_tiles, predict, annotations, report)
}


def call(path: str, body: Json, *, patient: bool = True) -> Any:
    """POST to the API; the answer. While Handoff is away or busy it is asked again, unless not `patient`."""
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{API}{path}", json.dumps(body).encode(), headers)
    while True:
        try:
            with urllib.request.urlopen(request, timeout=60 if patient else 5) as answer:
                return json.load(answer)
        except (OSError, HTTPException) as problem:
            # An HTTPError is an answer: only some are worth another try.
            is_final = isinstance(problem, urllib.error.HTTPError) and problem.code not in TRY_AGAIN
            if is_final or not patient:
                raise
            say(f"no answer, trying again: {problem}")
            time.sleep(2)


def do(job: Json) -> None:
    """One job: done, failed with a reason that the page of the run shows, or given back."""
    path, lease = f"/jobs/{job['id']}", {"lease_token": job["lease_token"]}
    ended, unwanted = Event(), Event()
    Thread(target=keep, args=(path, lease, ended, unwanted), daemon=True).start()
    try:
        say(f"{job['node']}: begun")
        verb, said = work(job, unwanted)
        answer = call(f"{path}/{verb}", {**lease, **said})
        say(f"{job['node']}: {verb}" + ("" if answer["applied"] else f", too late ({answer['reason']})"))
    except urllib.error.HTTPError as refused:
        say(f"{job['node']}: {refused} {refused.read().decode()}")
    except KeyboardInterrupt:
        with suppress(OSError, HTTPException):
            call(f"{path}/release", lease, patient=False)
            say(f"{job['node']}: given back")
        raise
    finally:
        ended.set()


def work(job: Json, unwanted: Event) -> tuple[str, Json]:
    """What to report, and with which route. Whatever takes long looks at `unwanted` now and then."""
    if unwanted.wait(WORK_SECONDS):
        return "release", {}
    try:
        return "complete", {"output": STEPS[job["node"]](job["input"], job["params"])}
    except (KeyError, TypeError) as problem:
        error = {"code": "BadImage", "message": f"{job['node']} can't use its input: {problem!r}."}
        return "fail", {"error": error, "retryable": False}


def keep(path: str, lease: Json, ended: Event, unwanted: Event) -> None:
    """Renew the lease until the job has ended, and learn whether it is still wanted."""
    while not ended.wait(HEARTBEAT_SECONDS):
        try:
            answer = call(f"{path}/heartbeat", lease, patient=False)
        except (OSError, HTTPException):
            continue
        if not answer["applied"] or answer["cancel_requested"]:
            unwanted.set()
            return


def stop(*_: object) -> None:
    """Ctrl-C, or SIGTERM, which stops services: once is enough, a second one must not disturb the giving back."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise KeyboardInterrupt


def say(what: str) -> None:
    print(what, flush=True)


def main() -> None:
    """Poll until somebody stops it."""
    if not (API and TOKEN):
        sys.exit("Set HANDOFF and TOKEN: the first lines of this file say how.")
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    name = f"{socket.gethostname()}-{os.getpid()}"
    poll = {"worker_id": name, "queues": ["tissue"], "max_jobs": 1, "wait_seconds": 20}
    say(f"{name} polls the queue tissue at {API}; Ctrl-C stops it")
    while True:
        jobs = call("/jobs/poll", poll)["jobs"]
        for job in jobs:
            do(job)
        if not jobs:
            time.sleep(1)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        say("stopped")
    except urllib.error.HTTPError as refused:
        sys.exit(f"Handoff refuses: {refused} {refused.read().decode()}")
