"""A worker for the example "Analyse a tissue": plain Python, nothing to install.

    export HANDOFF=http://127.0.0.1:8420/api/v1
    export TOKEN=$(.venv/bin/python manage.py create_token --user admin --role worker)
    python docs/examples/tissue_worker.py

It polls for jobs, does what the step asks, and reports the output. Stop it with Ctrl-C: what it held is given to
another worker as soon as its lease ends.
"""

import json
import os
import urllib.request
from collections.abc import Callable
from typing import Any

API, TOKEN = os.environ["HANDOFF"].rstrip("/"), os.environ["TOKEN"]


def upload_image(given: dict[str, Any], params: dict[str, Any]) -> dict[str, Any]:
    return {"image": given["image"], "stored_at": f"s3://slides/{given['image']}", "megapixels": 96}


def deep_zoom_tiles(given: dict[str, Any], params: dict[str, Any]) -> dict[str, Any]:
    size = params.get("tile_size", 256)
    return {**given, "tile_size": size, "tiles": given["megapixels"] * 1_000_000 // size**2}


def predict(given: dict[str, Any], params: dict[str, Any]) -> dict[str, Any]:
    return {**given, "cells": given["tiles"] * 3, "suspicious": given["tiles"] // 50}


def annotations(given: dict[str, Any], params: dict[str, Any]) -> dict[str, Any]:
    return {**given, "regions": max(given["suspicious"] // 7, 1)}


def report(given: dict[str, Any], params: dict[str, Any]) -> dict[str, Any]:
    share = given["suspicious"] / given["cells"]
    text = f"{given['image']}: {given['suspicious']} of {given['cells']} cells in {given['regions']} regions"
    return {"report": f"{text} look unusual ({share:.1%})."}


STEPS: dict[str, Callable[[dict[str, Any], dict[str, Any]], dict[str, Any]]] = {
    step.__name__: step for step in (upload_image, deep_zoom_tiles, predict, annotations, report)
}


def call(path: str, body: dict[str, Any]) -> Any:
    """POST to the API; the answer."""
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{API}{path}", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def do(job: dict[str, Any]) -> None:
    """One job: done, or failed with a reason that the page of the run shows."""
    held = {"lease_token": job["lease_token"]}
    try:
        output = STEPS[job["node"]](job["input"], job["params"])
    except (KeyError, TypeError) as problem:
        error = {"code": "BadImage", "message": f"{job['node']} misses {problem}."}
        call(f"/jobs/{job['id']}/fail", {**held, "error": error, "retryable": False})
        print(f"{job['node']}: failed, {error['message']}")
    else:
        call(f"/jobs/{job['id']}/complete", {**held, "output": output})
        print(f"{job['node']}: done")


def main() -> None:
    """Poll until somebody stops it."""
    poll = {"worker_id": "tissue-example", "queues": ["tissue"], "max_jobs": 5, "wait_seconds": 20}
    while True:
        for job in call("/jobs/poll", poll)["jobs"]:
            do(job)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print("stopped")
