"""Order fulfilment with its own worker, over the API: every way out of it that isn't the parcel undoes the order."""

import importlib.util
from pathlib import Path

import pytest

from handoff_sdk import NonRetryableError, StepError
from tests import factories as make
from tests.families import shown
from tests.timing import clock
from workflows.versions.examples import examples

__all__ = ["clock"]
pytestmark = [pytest.mark.django_db, pytest.mark.slow]

WORKER = Path(__file__).resolve().parents[2] / "docs" / "examples" / "order_worker.py"
EXAMPLE = next(one.definition for one in examples() if one.name == "order_fulfillment")


@pytest.fixture
def worker(monkeypatch):
    """The module; each test has one of its own, whose knobs it may turn."""
    monkeypatch.setenv("WORK_SECONDS", "0")
    spec = importlib.util.spec_from_file_location("order_worker", WORKER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outcome(worker, job):
    """What the worker says of a job, and with which route."""
    try:
        if job["node"] == "stop":
            raise NonRetryableError(job["params"]["reason"], code="OrderStopped")
        return "complete", {"output": worker.ask(job["node"], job["params"], job["idempotency_key"])}
    except StepError as problem:
        error = {"code": problem.code, "message": str(problem)}
        return "fail", {"error": error, "retryable": problem.retryable}


@pytest.fixture
def order(api, people, worker, clock):
    """Plays an order to its end; gives the run and the nodes of the jobs that were done."""
    done = []
    hands = people.client("worker")

    def do_jobs():
        """Until there is nothing left, however long retries wait."""
        poll = {"worker_id": "w", "queues": ["orders"], "max_jobs": 1}
        for _ in range(60):
            make.work()
            jobs = hands.post("/api/v1/jobs/poll", poll).json()["jobs"]
            for job in jobs:
                verb, said = outcome(worker, job)
                body = {"lease_token": job["lease_token"], **said}
                assert hands.post(f"/api/v1/jobs/{job['id']}/{verb}", body).json()["applied"]
                done.extend([job["node"]] if verb == "complete" else [])
            if not jobs:
                clock.advance(10)

    def order(*, paid="SUCCESS", decision=None):
        definition = {**EXAMPLE, "name": "orders"}
        api.post("/api/v1/workflows", {"name": "orders", "definition": definition})
        assert api.post("/api/v1/workflows/orders/publish", {}).status_code == 201
        given = {"workflow": "orders", "input": EXAMPLE["metadata"]["sample_input"]}
        run_id = api.post("/api/v1/runs", given).json()["id"]
        do_jobs()
        signal = {"name": "payment", "signal_id": "m-1", "payload": {"status": paid, "transaction": "t-1"}}
        assert api.post(f"/api/v1/runs/{run_id}/signals", signal).status_code == 202
        do_jobs()
        for task in api.get("/api/v1/tasks?view=open").json()["results"]:
            assert api.post(f"/api/v1/tasks/{task['id']}/complete", decision).status_code == 200
        do_jobs()
        return api.get(f"/api/v1/runs/{run_id}").json(), done

    return order


def test_all_goes_well_and_nothing_is_undone(order):
    run, done = order(decision={"outcome": "approved"})
    assert (run["status"], run["output"]["warehouse"], run["output"]["points"]) == ("COMPLETED", "west", 150)
    assert sorted(done) == sorted(["reserve", "charge", "north", "west", "south", "loyalty", "price", "ship"])


@pytest.mark.parametrize(
    ("how", "reason", "undone"),
    shown(
        [
            ({"paid": "DECLINED"}, "The payment did not go through.", ["charge", "reserve"]),
            ({"down": "north,west,south"}, "No warehouse can ship it.", ["loyalty", "charge", "reserve"]),
            (
                {"decision": {"outcome": "rejected", "comment": "Embargo."}},
                "Compliance said no: Embargo.",
                ["loyalty", "charge", "reserve"],
            ),
            (
                {"refused": "ship"},
                "ship: refused, because REFUSED names ship.",
                ["loyalty", "charge", "reserve"],
            ),
        ],
        2,
    ),
)
def test_whatever_stops_it_undoes_it(order, worker, how, reason, undone):
    worker.DOWN, worker.REFUSED = how.pop("down", "").split(","), how.pop("refused", "").split(",")
    run, done = order(**{"decision": {"outcome": "approved"}, **how})
    assert (run["status"], run["error"]["message"]) == ("COMPENSATED", reason)
    assert done[-len(undone) :] == [f"{node}:compensate" for node in undone]
    assert "ship" not in done


def test_a_parcel_of_which_nobody_knows_is_called_back_before_the_rest_is_undone(order, worker):
    """H-24: a step whose outcome is unknown is undone, too."""
    worker.LOST = ["ship"]
    run, done = order(decision={"outcome": "approved"})
    assert (run["status"], run["error"]["code"]) == ("COMPENSATED", "Timeout")
    assert done[-4:] == [f"{node}:compensate" for node in ("ship", "loyalty", "charge", "reserve")]


def test_what_cannot_be_undone_waits_for_a_person(order, worker):
    worker.REFUSED = ["ship", "charge:compensate"]
    run, done = order(decision={"outcome": "approved"})
    assert (run["status"], run["waiting_for"]) == (
        "WAITING_FOR_MANUAL_ACTION",
        "somebody to see to what could not be undone: Refund the card",
    )
    assert done[-1] == "loyalty:compensate"
