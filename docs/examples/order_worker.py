"""A worker for the example "Order fulfilment": plain Python, nothing to install.

In the folder of Handoff, while `make up` runs in another terminal:

    export HANDOFF=http://127.0.0.1:8000/api/v1
    export TOKEN=$(.venv/bin/python manage.py create_token --user admin --role worker)
    python3 docs/examples/order_worker.py

It polls the queue `orders`. Each job is one call of another system: with SHOP=http://… in the environment it is
posted there, with the job's key as `Idempotency-Key`; without, the answer is made up here. Start as many as you like,
stop them with Ctrl-C or SIGTERM, kill them. What goes wrong is yours to choose, by the names of the steps:

    DOWN=west,loyalty      nobody is there: these calls are tried again, as often as the step's `retry` says
    LOST=ship              these calls get there, their answers don't: tried again as well, and undone in the end
    REFUSED=ship           these calls are refused, once and for all: the order is undone

docs/order-fulfilment.md goes through all of it.
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
SHOP = os.environ.get("SHOP", "").rstrip("/")
DOWN, LOST, REFUSED = (os.environ.get(name, "").split(",") for name in ("DOWN", "LOST", "REFUSED"))
# A pause before each call, so that there is something to watch.
WORK_SECONDS = float(os.environ.get("WORK_SECONDS", "1"))
# A third of `lease_seconds` in the definition: two beats may get lost.
HEARTBEAT_SECONDS = float(os.environ.get("HEARTBEAT_SECONDS", "5"))
TRY_AGAIN = (408, 425, 429, 500, 502, 503, 504)
MAYBE_DONE = (500, 502, 504)
KM = {"north": 410, "west": 120, "south": 590}

Json = dict[str, Any]


class Failed(Exception):
    """The call gave nothing; `code` says how, and `retryable` whether it may go better the next time."""

    def __init__(self, code: str, message: str, *, retryable: bool = True) -> None:
        super().__init__(message)
        self.code, self.retryable = code, retryable


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

stopping = Event()
busy = Event()


def ask(node: str, asked: Json, key: str) -> Json:
    """What the other system answers. The key never changes between attempts, so it does the work once.

    Raises Failed. A code `Timeout` says that nobody knows whether it was done: then Handoff undoes the step, too.
    """
    verb = CALLS[node].__name__
    if node in DOWN:
        raise Failed("NoAnswer", f"{verb}: nobody is there, because DOWN names {node}.")
    if node in LOST:
        raise Failed("Timeout", f"{verb}: the answer is lost, because LOST names {node}.")
    if node in REFUSED:
        raise Failed("Refused", f"{verb}: refused, because REFUSED names {node}.", retryable=False)
    if not SHOP:
        return CALLS[node](asked)
    try:
        return post(f"{SHOP}/{verb}", asked, {"Idempotency-Key": key}, seconds=30)
    except urllib.error.HTTPError as no:
        again = no.code in TRY_AGAIN
        code = "Timeout" if no.code in MAYBE_DONE else "NoAnswer" if again else "Refused"
        raise Failed(code, f"{verb}: {no}", retryable=again) from no
    except urllib.error.URLError as nobody:
        raise Failed("NoAnswer", f"{verb}: {nobody.reason}") from nobody
    except (OSError, HTTPException, ValueError) as lost:
        raise Failed("Timeout", f"{verb}: the answer is lost: {lost!r}") from lost


def post(url: str, body: Json, headers: dict[str, str], *, seconds: float) -> Json:
    headers = {"Content-Type": "application/json", **headers}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=seconds) as answer:
        said: Json = json.load(answer)
    return said


def call(path: str, body: Json, *, patient: bool = True) -> Json:
    """POST to Handoff; the answer. While it is away or busy it is asked again, unless not `patient`."""
    while True:
        try:
            return post(
                f"{API}{path}", body, {"Authorization": f"Bearer {TOKEN}"}, seconds=60 if patient else 5
            )
        except (OSError, HTTPException) as problem:
            # An HTTPError is an answer: only some are worth another try.
            is_final = isinstance(problem, urllib.error.HTTPError) and problem.code not in TRY_AGAIN
            if is_final or not patient:
                raise
            say(f"no answer, trying again: {problem}")
            if stopping.wait(2):
                raise


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
    except (OSError, HTTPException) as away:
        say(f"{job['node']}: not reported: {away}")
    finally:
        ended.set()


def work(job: Json, unwanted: Event) -> tuple[str, Json]:
    """What to report, and with which route.

    A job is given back before its call and never after: from then on something may have happened out there.
    """
    until = time.monotonic() + WORK_SECONDS
    while not stopping.is_set() and not unwanted.is_set() and time.monotonic() < until:
        stopping.wait(0.1)
    if stopping.is_set() or unwanted.is_set():
        return "release", {}
    try:
        if job["node"] == "stop":
            raise Failed("OrderStopped", job["params"]["reason"], retryable=False)
        return "complete", {"output": ask(job["node"], job["params"], job["idempotency_key"])}
    except Failed as problem:
        error = {"code": problem.code, "message": str(problem)}
        return "fail", {"error": error, "retryable": problem.retryable}
    except (KeyError, TypeError) as problem:
        error = {"code": "BadOrder", "message": f"This worker can't use that: {problem!r}."}
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
    """Ctrl-C, or SIGTERM, which stops services: a job in hand is seen to first; once is enough."""
    stopping.set()
    if not busy.is_set():
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
    poll = {"worker_id": name, "queues": ["orders"], "max_jobs": 1, "wait_seconds": 20}
    say(f"{name} polls the queue orders at {API}; Ctrl-C stops it")
    while not stopping.is_set():
        jobs = call("/jobs/poll", poll)["jobs"]
        busy.set()
        for job in jobs:
            do(job)
        busy.clear()
        if not jobs:
            stopping.wait(1)


if __name__ == "__main__":
    try:
        with suppress(KeyboardInterrupt):
            main()
        say("stopped")
    except urllib.error.HTTPError as refused:
        sys.exit(f"Handoff refuses: {refused} {refused.read().decode()}")
