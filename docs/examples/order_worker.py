"""A worker for the example "Order fulfilment", with the Python SDK (sdks/python).

In the folder of Handoff, while `make up` runs in another terminal:

    export HANDOFF=http://127.0.0.1:8000/api/v1
    export TOKEN=$(.venv/bin/python manage.py create_token --user admin --role worker --queue '*')
    .venv/bin/python docs/examples/order_worker.py

It polls the queue `orders`. Each job is one call of another system: with SHOP=http://… in the environment it is
posted there, with the job's key as `Idempotency-Key`; without, the answer is made up here. Start as many as you like,
stop them with Ctrl-C or SIGTERM, kill them. What goes wrong is yours to choose, by the names of the steps:

    DOWN=west,loyalty      nobody is there: these calls are tried again, as often as the step's `retry` says
    LOST=ship              these calls get there, their answers don't: tried again as well, and undone in the end
    REFUSED=ship           these calls are refused, once and for all: the order is undone

docs/order-fulfilment.md goes through all of it.
"""

import logging
import os
import sys
from collections.abc import Callable
from typing import Any

import httpx

from handoff_sdk import ApiError, Context, NonRetryableError, Release, StepError, Worker

SHOP = os.environ.get("SHOP", "").rstrip("/")
DOWN, LOST, REFUSED = (os.environ.get(name, "").split(",") for name in ("DOWN", "LOST", "REFUSED"))
# A pause before each call, so that there is something to watch.
WORK_SECONDS = float(os.environ.get("WORK_SECONDS", "1"))
TRY_AGAIN = (408, 425, 429, 500, 502, 503, 504)
MAYBE_DONE = (500, 502, 504)
KM = {"north": 410, "west": 120, "south": 590}

Json = dict[str, Any]


def reserve(asked: Json) -> Json:
    return {"reservation": f"res-{asked['order']}"}


def release(asked: Json) -> Json:
    return {"released": asked["reserved_with"]}


def charge(asked: Json) -> Json:
    return {"receipt": f"rec-{asked['order']}", "amount_cents": asked["amount_cents"]}


def refund(asked: Json) -> Json:
    return {"refunded": asked["charged_with"], "amount_cents": asked["amount_cents"]}


def offer(asked: Json) -> Json:
    return {"warehouse": asked["warehouse"], "km": KM[asked["warehouse"]]}


def price(asked: Json) -> Json:
    return {"price_cents": 450 + KM[asked["warehouse"]]}


def give_points(asked: Json) -> Json:
    return {"points": asked["points"]}


def take_points(asked: Json) -> Json:
    return {"taken": asked["given_with"]}


def ship(asked: Json) -> Json:
    return {"tracking": f"trk-{asked['order']}"}


def recall(asked: Json) -> Json:
    return {"recalled": asked["shipped_with"]}


# A job carries the id of its node; what undoes a step is called `<node>:compensate`.
CALLS: dict[str, Callable[[Json], Json]] = {
    "reserve": reserve,
    "reserve:compensate": release,
    "charge": charge,
    "charge:compensate": refund,
    "north": offer,
    "west": offer,
    "south": offer,
    "price": price,
    "loyalty": give_points,
    "loyalty:compensate": take_points,
    "ship": ship,
    "ship:compensate": recall,
}


def ask(node: str, asked: Json, key: str) -> Json:
    """What the other system answers. The key never changes between attempts, so it does the work once.

    Raises StepError. A code `Timeout` says that nobody knows whether it was done: then Handoff undoes the step, too.
    """
    verb = CALLS[node].__name__
    if node in DOWN:
        raise StepError(f"{verb}: nobody is there, because DOWN names {node}.", code="NoAnswer")
    if node in LOST:
        raise StepError(f"{verb}: the answer is lost, because LOST names {node}.", code="Timeout")
    if node in REFUSED:
        raise NonRetryableError(f"{verb}: refused, because REFUSED names {node}.", code="Refused")
    if not SHOP:
        return CALLS[node](asked)
    try:
        answer = httpx.post(f"{SHOP}/{verb}", json=asked, headers={"Idempotency-Key": key}, timeout=30)
        answer.raise_for_status()
        said: Json = answer.json()
    except httpx.HTTPStatusError as no:
        status = no.response.status_code
        again = status in TRY_AGAIN
        code = "Timeout" if status in MAYBE_DONE else "NoAnswer" if again else "Refused"
        raise StepError(f"{verb}: {no}", code=code, retryable=again) from no
    except (httpx.ConnectError, httpx.ConnectTimeout) as nobody:
        raise StepError(f"{verb}: {nobody}", code="NoAnswer") from nobody
    except (httpx.TransportError, ValueError) as lost:
        raise StepError(f"{verb}: the answer is lost: {lost!r}", code="Timeout") from lost
    return said


def call(ctx: Context) -> Json:
    """One job. It is given back before its call and never after: from then on something may have happened out there."""
    if ctx.wait(WORK_SECONDS):
        raise Release
    try:
        return ask(ctx.node, ctx.params, ctx.idempotency_key)
    except (KeyError, TypeError) as problem:
        raise NonRetryableError(f"This worker can't use that: {problem!r}.", code="BadOrder") from problem


def stop(ctx: Context) -> Json:
    """The job of an order that can't be fulfilled: it fails, so that all is undone."""
    raise NonRetryableError(ctx.params["reason"], code="OrderStopped")


def main() -> None:
    """Poll until somebody stops it."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    worker = Worker(slots=1)
    worker.step("stop", queue="orders")(stop)
    for node in CALLS:
        worker.step(node, queue="orders")(call)
    try:
        worker.run()
    except ValueError as problem:
        sys.exit(str(problem))
    except ApiError as refused:
        sys.exit(f"Handoff refuses: {refused}")


if __name__ == "__main__":
    main()
