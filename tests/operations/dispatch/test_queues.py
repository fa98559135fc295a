"""Queues and who serves them, and the steps of one."""

from datetime import timedelta

import pytest

from accounts.models import FolderGrant
from runs.commands import jobs
from runs.commands.job_reports import complete
from runs.commands.lifecycle import pause_runs
from runs.models import StepExecution
from tests import factories as make
from tests.store.watching import trips_of_page
from tests.timing import clock

__all__ = ["clock"]
pytestmark = pytest.mark.django_db

JOB = make.graph([{"id": "charge", "title": "Charge the card", "type": "job", "queue": "card"}], [])


def poll(worker="w1", many=1):
    return jobs.poll(tenant=make.a_tenant().pk, worker=worker, queues=["card"], max_jobs=many)


def logged_in(client, role):
    client.force_login(make.a_member(f"the-{role}", role))
    return client


@pytest.fixture
def viewer(client):
    return logged_in(client, "viewer")


def queue(client, name):
    answer = client.get("/api/v1/queues")
    assert answer.status_code == 200, answer.json()
    return next(row for row in answer.json()["results"] if row["queue"] == name)


def test_the_items_of_a_queue_come_in_the_order_in_which_they_are_claimed(viewer, clock):
    """R-043."""
    retried = make.start({**JOB, "nodes": [{**JOB["nodes"][0], "retry": {"max_retries": 2, "jitter": 0}}]})[0]
    make.fail(*make.claimed("card"), retryable=True)
    first, second = make.start(JOB, {}, {})
    answer = viewer.get("/api/v1/queues/card/items")
    rows = answer.json()["results"]
    assert [(row["workflow_id"], row["retry_count"]) for row in rows] == [
        (first, 0),
        (second, 0),
        (retried, 1),
    ]
    assert rows[0]["queue_id"] == rows[0]["step_id"] == str(make.steps(first)["charge"].id)
    assert rows[0]["queued_at"] <= rows[0]["available_at"] < rows[2]["available_at"]
    assert len(viewer.get("/api/v1/queues/card/items?limit=1").json()["results"]) == 1
    assert viewer.get("/api/v1/queues/card/items?limit=0").json()["error"]["field"] == "limit"
    pause_runs(make.a_tenant().pk, [first], by="ann")
    assert [row["workflow_id"] for row in viewer.get("/api/v1/queues/card/items").json()["results"]] == [
        second,
        retried,
    ]
    poll(many=10)
    assert viewer.get("/api/v1/queues/card/items").json()["results"][0]["workflow_id"] == retried
    make.start(make.chain("noop"))
    make.work()
    assert viewer.get("/api/v1/queues/default/items").json() == {"results": []}
    for queue_name in ("none", "a%00b"):
        assert viewer.get(f"/api/v1/queues/{queue_name}/items").status_code == 404
    viewer.force_login(make.a_member("eve", "admin", "theirs"))
    assert viewer.get("/api/v1/queues/card/items").status_code == 404


def test_a_queue_tells_what_is_ready_at_work_and_waits_and_who_asks_for_it(viewer, clock):
    make.start(JOB, *[{}] * 3)
    clock.advance(30)
    poll()
    row = queue(viewer, "card")
    assert row == {
        "queue": "card",
        "ready": 2,
        "running": 1,
        "waiting": 0,
        "oldest_seconds": pytest.approx(30, abs=5),
        "in_per_minute": 3.0,
        "out_per_minute": 0.0,
        "workers": 1,
        "last_polled_at": row["last_polled_at"],
        "built_in": False,
        "unserved": False,
    }
    assert row["last_polled_at"] is not None


def test_what_comes_and_ends_is_told_by_the_minute(viewer, monkeypatch):
    make.start(JOB, *[{}] * 4)
    for job in poll(many=3):
        complete(tenant=make.a_tenant().pk, job=str(job.step.id), lease_token=job.lease_token, output={})
    row = queue(viewer, "card")
    assert (row["in_per_minute"], row["out_per_minute"]) == (4.0, 3.0)
    # Of more than are looked at the newest ones count, and the time that those take.
    monkeypatch.setattr("operations.dispatch.queues.FLOW_COUNTED", 2)
    assert queue(viewer, "card")["in_per_minute"] > 4.0
    StepExecution.unsafe_all_tenants.update(tenant_id=make.a_tenant("other").pk)
    assert queue(viewer, "card")["in_per_minute"] == 0.0


def test_a_queue_that_no_worker_asks_for_comes_first_and_says_what_to_do(viewer, clock):
    make.start(JOB)
    clock.advance(400)
    assert viewer.get("/api/v1/queues").json()["results"][0]["unserved"]
    page = viewer.get("/operations/").text
    assert "No worker asks for jobs of the queue card" in page
    assert "None has ever asked" in page
    assert "1 job waits, the oldest for 6 min" in page


def test_a_worker_that_beats_serves_its_queue_though_it_polls_no_more(viewer, clock):
    make.start(JOB, {}, {})
    poll()
    StepExecution.unsafe_all_tenants.filter(status="RUNNING").update(
        heartbeat_at=clock.now + timedelta(seconds=290)
    )
    clock.advance(300)
    assert queue(viewer, "card")["workers"] == 1


def test_steps_between_two_attempts_wait_and_those_of_others_are_not_counted(viewer, clock):
    make.start(JOB)
    StepExecution.unsafe_all_tenants.update(available_at=clock.now + timedelta(hours=1))
    row = queue(viewer, "card")
    assert (row["ready"], row["waiting"], row["oldest_seconds"]) == (0, 1, None)
    StepExecution.unsafe_all_tenants.update(tenant_id=make.a_tenant("other").pk)
    assert "card" not in [row["queue"] for row in viewer.get("/api/v1/queues").json()["results"]]


def test_built_in_queues_are_always_there_with_workers_of_ours(viewer):
    make.WorkerFactory(queue="default")
    assert (queue(viewer, "default")["workers"], queue(viewer, "engine")["workers"]) == (1, 0)
    assert "Handoff’s own" in viewer.get("/operations/").text


def test_the_steps_of_a_queue_lead_to_their_runs_if_one_may_read_them(viewer):
    (run_id,) = make.start(JOB)
    page = viewer.get("/operations/?queue=card").text
    assert f"/runs/{run_id}" in page
    assert "Charge the card" in page
    FolderGrant.unsafe_all_tenants.all().delete()
    page = viewer.get("/operations/?queue=card").text
    assert run_id not in page
    assert "Nothing of yours is ready or at work in this queue" in page


def test_queues_cost_as_many_statements_however_many_there_are(viewer):
    make.start(JOB)
    few = trips_of_page(viewer, "/operations/")
    for number in range(5):
        make.start(make.graph([{"id": "a", "type": "job", "queue": f"queue-{number}"}], []))
    page = viewer.get("/operations/").text
    assert all(f"queue-{number}" in page for number in range(5))
    assert trips_of_page(viewer, "/operations/") == few <= 7
