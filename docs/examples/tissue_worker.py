"""A worker for the example "Analyse a tissue", with the Python SDK (sdks/python).

In the folder of Handoff, while `make up` runs in another terminal:

    export HANDOFF=http://127.0.0.1:8000/api/v1
    export TOKEN=$(.venv/bin/python manage.py create_token --user admin --role worker --queue '*')
    .venv/bin/python docs/examples/tissue_worker.py

It polls the queue `tissue` for jobs, does what each asks, and reports the output; start as many as you like.
Ctrl-C stops it: a job that it holds goes back to the queue at once. After `kill -9` somebody else is given the job
when its lease ends. A Handoff that is away for a while is waited for. docs/workers.md says more.
"""

import logging
import os
import sys
from collections.abc import Callable
from typing import Any

from handoff_sdk import ApiError, Context, NonRetryableError, Release, Worker

# A pause instead of real work, in each job, so that there is something to watch.
WORK_SECONDS = float(os.environ.get("WORK_SECONDS", "1"))

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


def work(ctx: Context) -> Json:
    """One job. Whatever takes long looks now and then whether it is still to go on."""
    if ctx.wait(WORK_SECONDS):
        raise Release
    try:
        return STEPS[ctx.node](ctx.input, ctx.params)
    except (KeyError, TypeError) as problem:
        raise NonRetryableError(f"{ctx.node} can't use its input: {problem!r}.", code="BadImage") from problem


def main() -> None:
    """Poll until somebody stops it."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    worker = Worker(slots=1)
    for node in STEPS:
        worker.step(node, queue="tissue")(work)
    try:
        worker.run()
    except ValueError as problem:
        sys.exit(str(problem))
    except ApiError as refused:
        sys.exit(f"Handoff refuses: {refused}")


if __name__ == "__main__":
    main()
