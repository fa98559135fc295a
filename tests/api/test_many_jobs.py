"""Many jobs in one call: each is answered by itself, in the order asked, at the cost of one."""

import uuid

import pytest
from django.db import connection

from tests import factories as make
from tests.store.watching import watching

pytestmark = pytest.mark.django_db


@pytest.fixture
def worker(people):
    """A client with a worker's token, and `start`, which gives so many jobs that it has polled."""
    admin, client = people.client("admin"), people.client("worker")
    for name, retries in (("pay", 0), ("pay_again", 1)):
        nodes = [{"id": "charge", "type": "job", "queue": "card", "retry": {"max_retries": retries}}]
        admin.post("/api/v1/workflows", {"name": name, "definition": {"name": name, "nodes": nodes}})
        assert admin.post(f"/api/v1/workflows/{name}/publish").status_code == 201

    def start(count, workflow="pay"):
        items = [{"input": {"n": number}} for number in range(count)]
        assert admin.post("/api/v1/runs/batch", {"workflow": workflow, "items": items}).status_code == 201
        sent = {"worker_id": "w1", "queues": ["card"], "max_jobs": count}
        return client.post("/api/v1/jobs/poll", sent).json()["jobs"]

    client.start = start
    return client


def held(job, **more):
    return {"id": job["id"], "lease_token": job["lease_token"], **more}


def told(worker, verb, items):
    answer = worker.post(f"/api/v1/jobs/{verb}", {"items": items})
    assert answer.status_code == 200, answer.json()
    results = answer.json()["results"]
    assert [one.pop("id") for one in results] == [item["id"] for item in items]
    return results


def status_of(job):
    return make.run(job["run_id"]).status


def test_each_job_is_completed_and_answered_by_itself(worker):
    good, taken, large, twice, unknown = (*worker.start(4), {"id": str(uuid.uuid4()), "lease_token": "x"})
    results = told(
        worker,
        "complete",
        [
            held(unknown, output=1),
            held(good, output={"ok": 1}),
            held(taken, output=1) | {"lease_token": taken["lease_token"][:-1]},
            held(large, output="x" * (4 * 1024 * 1024 + 1)),
            held(twice, output={"n": 1}),
            held(twice, output={"n": 1}),
            held(twice, output={"n": 2}),
        ],
    )
    messages = [one.pop("message", None) for one in results]
    assert results == [
        {"applied": False, "reason": "not_found"},
        {"applied": True},
        {"applied": False, "reason": "lease_lost"},
        {"applied": False, "reason": "too_large", "field": "output"},
        {"applied": True},
        {"applied": True, "duplicate": True},
        {"applied": False, "reason": "completed_otherwise"},
    ]
    assert [place for place, message in enumerate(messages) if message] == [0, 3]
    assert [status_of(job) for job in (good, taken, large, twice)] == [
        "COMPLETED",
        "RUNNING",
        "RUNNING",
        "COMPLETED",
    ]
    assert make.run(twice["run_id"]).output == {"n": 1}


def test_a_job_that_is_completed_sets_variables_of_its_own_run(worker, people):
    jobs = worker.start(2)
    told(worker, "complete", [held(job, output=1, variables={"paid": n}) for n, job in enumerate(jobs)])
    admin = people.client("admin")
    runs = [admin.get(f"/api/v1/runs/{job['run_id']}").json() for job in jobs]
    assert [run["variables"]["paid"]["value"] for run in runs] == [0, 1]


def test_failures_are_final_or_tried_again_as_each_says(worker):
    first, second = worker.start(2)
    error = {"code": "Declined", "message": "No."}
    results = told(
        worker, "fail", [held(first, error=error), held(second, error=error | {"code": "x" * 200})]
    )
    assert results == [{"applied": True}, {"applied": True, "cut": ["error.code"]}]
    assert {status_of(first), status_of(second)} == {"FAILED"}
    again = told(worker, "complete", [held(first, output=1)])
    assert (again[0]["applied"], again[0]["reason"]) == (False, "stale_token")
    assert "LATE_RESULT charge" in make.history(first["run_id"])


def test_heartbeats_renew_each_lease_and_say_who_is_wanted_no_more(worker, people):
    kept, cancelled = worker.start(2)
    people.client("operator").post(f"/api/v1/runs/{cancelled['run_id']}/cancel", {"reason": "no"})
    ours, theirs, none = told(
        worker,
        "heartbeat",
        [
            held(kept, progress={"at": 3}),
            held(cancelled),
            held(kept) | {"lease_token": kept["lease_token"][:-1]},
        ],
    )
    assert (ours["applied"], ours["cancel_requested"]) == (True, False)
    assert ours["lease_expires_at"] >= kept["lease_expires_at"]
    assert (theirs["applied"], theirs["cancel_requested"]) == (True, True)
    assert none == {"applied": False, "reason": "lease_lost", "cancel_requested": False}


@pytest.mark.parametrize("verb", ["complete", "fail", "heartbeat"])
def test_many_cost_as_many_statements_as_one(worker, verb):
    more = {
        "complete": {"output": {"n": 1}, "variables": {"paid": True}},
        "fail": {"error": {"code": "Declined", "message": "No."}},
        "heartbeat": {},
    }[verb]
    costs = []
    for count in (1, 30):
        # The second words are on jobs that are over: those, and evidence, cost no more either.
        items = [held(job, **more) for job in worker.start(count)]
        for _ in range(2):
            with watching() as seen:
                told(worker, verb, items)
            costs.append(seen.trips)
    assert costs[:2] == costs[2:]


def refuse_to_end(run):
    """The database refuses whatever changes this run, as where a statement takes too long."""
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
            " $$BEGIN RAISE EXCEPTION 'took too long' USING ERRCODE = '57014'; END$$"
        )
        cursor.execute(
            "CREATE TRIGGER refuse BEFORE UPDATE ON runs_run FOR EACH ROW"
            f" WHEN (NEW.id = '{uuid.UUID(run)}') EXECUTE FUNCTION refuse()"
        )


@pytest.mark.parametrize(
    ("verb", "more"),
    [("complete", {"output": 1}), ("fail", {"error": {"code": "Declined", "message": "No."}})],
)
def test_what_the_database_refuses_of_a_batch_is_told_of_that_one_and_the_rest_as_usual(
    worker, people, verb, more
):
    done, refused = worker.start(2, "pay_again")
    # A run that is being cancelled is ended in a transaction of its own, after the others.
    cancel = f"/api/v1/runs/{refused['run_id']}/cancel"
    assert people.client("operator").post(cancel, {"reason": "no"}).status_code == 200
    refuse_to_end(refused["run_id"])
    one, other, taken = told(
        worker,
        verb,
        [
            held(refused, **more),
            held(done, **more),
            held(done, **more) | {"lease_token": "another"},
        ],
    )
    assert (one.pop("message") != "", one) == (True, {"applied": False, "reason": "unavailable"})
    assert other == {"applied": True}
    assert taken == {"applied": False, "reason": "lease_lost"}
    assert status_of(refused) == "CANCELLING"


@pytest.mark.parametrize(
    ("items", "field"),
    [
        ([], "items"),
        ([{"id": "x", "lease_token": "t", "output": 1}], "items[0].id"),
        ([{"id": str(uuid.uuid4()), "output": 1}], "items[0].lease_token"),
        ([{"id": str(uuid.uuid4()), "lease_token": "t"}], "items[0].output"),
        ([{"id": str(uuid.uuid4()), "lease_token": "t", "output": 1, "more": 1}], "items[0].more"),
    ],
)
def test_what_is_no_list_of_jobs_is_refused_with_its_field_and_none_is_done(worker, items, field):
    (job,) = worker.start(1)
    answer = worker.post("/api/v1/jobs/complete", {"items": [held(job, output=1), *items] if items else []})
    assert answer.status_code == 400
    assert answer.json()["error"]["field"] == field.replace("items[0]", "items[1]")
    assert status_of(job) == "RUNNING"
