"""Every door by which consumers take what a broker told them of: `/api/v1`, `handoff.v1`, rochallor's REST and gRPC."""

import pytest

from config.startup import forget_events
from integrations.broker.store import outbox_standing
from tests import rochallor
from tests.integrations.broker.consuming import rows, told
from tests.integrations.rochallor.conftest import engine, linear

__all__ = ["engine", "linear"]


@pytest.fixture
def instance(linear, relay):
    """An instance whose first job consumers were told of."""
    started = linear.start()
    relay.turn()
    return started


def next_event(streams, relay, job_type):
    relay.turn()
    [event] = told(streams, job_type)
    return event


def test_s4s_consumers_complete_by_the_id_in_the_event_and_never_claim(linear, streams, relay, instance):
    for job_type in ("a", "b", "c"):
        event = next_event(streams, relay, job_type)
        linear.complete({"id": event.job}, {"n": job_type})
        # A consumer that ended before it committed is told again.
        linear.complete({"id": event.job}, {"n": "again"})
    assert linear.instance(instance)["status"] == "COMPLETED"
    assert linear.instance(instance)["variables"] == {"n": "c"}
    assert rows() == []


def test_a_failure_of_theirs_is_followed_by_another_event(linear, streams, relay, clock):
    linear.upload(rochallor.document(rochallor.service("a", "end", retryCount=1), name="once"))
    started = linear.start("once")
    first = next_event(streams, relay, "a")
    linear.fail({"id": first.job}, retryable=True)
    clock.advance(120)
    second = next_event(streams, relay, "a")
    assert second.job != first.job
    # What comes late of the first attempt changes nothing.
    linear.complete({"id": first.job})
    linear.fail({"id": second.job}, retryable=True)
    assert linear.instance(started)["status"] == "FAILED"


@pytest.mark.parametrize("worker", ["", "\x07", "x" * 1000])
def test_who_they_say_they_are_is_kept_as_far_as_it_goes(linear, streams, relay, instance, worker):
    event = next_event(streams, relay, "a")
    linear.post(f"jobs/{event.job}/complete", {"workerId": worker, "variables": None}, 204)
    assert [step for step, status in linear.history(instance) if status == "COMPLETED"] == ["a"]


def test_where_kafka_tells_of_jobs_their_polls_are_told_so(linear, settings):
    assert linear.post("jobs/poll", {"workerId": "w", "jobTypes": ["a"]})["jobs"] is None
    settings.HANDOFF_DISPATCH_MODE = "kafka_outbox"
    answer = linear.post("jobs/poll", {"workerId": "w", "jobTypes": ["a"]}, 410)
    assert (answer["error"], answer["dispatch_mode"]) == ("poll path disabled", "kafka_outbox")
    assert "workflow.jobs." in answer["hint"]


@pytest.fixture
def card(people, relay, streams):
    """A worker's client whose tenant's job on the queue `card` consumers were told of, and the event."""
    admin = people.client("admin")
    node = {"id": "charge", "type": "job", "queue": "card", "params": {"amount": "{{ input.amount }}"}}
    admin.post(
        "/api/v1/workflows", {"name": "pay", "definition": {"name": "pay", "nodes": [node], "edges": []}}
    )
    assert admin.post("/api/v1/workflows/pay/publish").status_code == 201
    admin.post("/api/v1/runs", {"workflow": "pay", "input": {"amount": 5}})
    relay.turn()
    [event] = told(streams, "card", "ours")
    return people.client("worker"), event.job


def test_a_consumer_of_ours_claims_by_the_ids(card):
    worker, job = card
    asked = {"worker_id": "w", "ids": [job, "strange"], "queues": ["card"], "version": "1", "slots": 3}
    answer = worker.post("/api/v1/jobs/claim", asked).json()
    [leased] = answer["jobs"]
    assert (leased["node"], leased["params"], leased["attempt"]) == ("charge", {"amount": 5}, 1)
    assert answer["refused"] == [{"id": "strange", "reason": "gone"}]
    assert worker.post("/api/v1/jobs/claim", asked).json() == {
        "jobs": [],
        "refused": [{"id": job, "reason": "leased"}, {"id": "strange", "reason": "gone"}],
    }
    word = {"lease_token": leased["lease_token"], "output": None}
    assert worker.post(f"/api/v1/jobs/{leased['id']}/complete", word).json() == {"applied": True}


def test_a_consumer_without_work_says_that_it_is_there(card, people):
    worker, _ = card
    answer = worker.post(
        "/api/v1/jobs/claim", {"worker_id": "idle", "ids": [], "queues": ["card"], "slots": 2}
    )
    assert answer.json() == {"jobs": [], "refused": []}
    [known] = people.client("admin").get("/api/v1/workers").json()["results"]
    assert (known["id"], known["queues"], known["slots"]) == ("idle", ["card"], 2)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"ids": ["x" * 201]}, "ids[0]"),
        ({"ids": ["x"] * 101}, "ids"),
        ({"ids": [7]}, "ids[0]"),
        ({"worker_id": ""}, "worker_id"),
        ({"queues": ["engine"]}, "queues[0]"),
        ({"slots": 0}, "slots"),
        ({"more": 1}, "more"),
    ],
)
def test_what_is_wrong_with_a_claim_is_named(card, wrong, field):
    worker, job = card
    answer = worker.post("/api/v1/jobs/claim", {"worker_id": "w", "ids": [job]} | wrong)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)


def test_without_a_broker_the_outbox_is_emptied_at_the_next_start(card, settings, relay):
    assert outbox_standing()["told"] == 1
    forget_events()
    assert outbox_standing()["told"] == 1
    settings.HANDOFF_BROKER = ""
    # Another Handoff at this database has one.
    forget_events()
    assert outbox_standing()["told"] == 1
    relay.leave()
    forget_events()
    standing = outbox_standing()
    assert (standing["waiting"], standing["told"], standing["oldest_seconds"]) == (0, 0, None)
