"""What workers say of jobs with heartbeats and ends, and the log of a step over REST."""

import pytest

from runs.reading import rendered
from tests import factories

pytestmark = pytest.mark.django_db
POLL = {"worker_id": "w1", "queues": ["card"], "max_jobs": 10}


@pytest.fixture
def admin(people):
    return people.client("admin")


@pytest.fixture
def worker(people, admin):
    """A client with a worker's token, and a run that waits for its job."""
    node = {"id": "charge", "type": "job", "queue": "card", "retry": {"max_retries": 1, "base_seconds": 0}}
    node["params"] = {"api_key": "sesame-{{ input.n }}"}
    admin.post("/api/v1/workflows", {"name": "pay", "definition": {"name": "pay", "nodes": [node]}})
    assert admin.post("/api/v1/workflows/pay/publish").status_code == 201
    client = people.client("worker")
    client.run = admin.post("/api/v1/runs", {"workflow": "pay", "input": {"n": 55}}).json()["id"]
    return client


def polled(worker):
    return worker.post("/api/v1/jobs/poll", POLL).json()["jobs"][0]


def say(worker, job, verb, status=200, **body):
    answer = worker.post(f"/api/v1/jobs/{job['id']}/{verb}", {"lease_token": job["lease_token"]} | body)
    assert answer.status_code == status, answer.json()
    return answer.json()


def logs(client, run, asked=""):
    answer = client.get(f"/api/v1/runs/{run}/steps/charge/logs{asked}")
    assert answer.status_code == 200, answer.json()
    return answer.json()["results"]


def test_what_a_worker_says_is_there_at_once_and_with_the_end_by_attempt(worker, admin):
    job = polled(worker)
    say(worker, job, "heartbeat", log=[{"text": "with sesame-55", "at": "2026-01-31T09:00:00Z"}])
    assert [(one["text"], one["at"]) for one in logs(admin, worker.run)] == [
        ("with ••••", "2026-01-31T09:00:00Z")
    ]
    error = {"code": "Boom", "message": "It went wrong."}
    say(worker, job, "fail", error=error, retryable=True, log=[{"text": "away", "level": "error"}])
    job = polled(worker)
    say(worker, job, "complete", output=1, log=[{"text": "charged"}])
    found = [(one["attempt"], one["seq"], one["level"], one["text"]) for one in logs(admin, worker.run)]
    assert found == [(1, 1, "info", "with ••••"), (1, 2, "error", "away"), (2, 1, "info", "charged")]
    assert [one["text"] for one in logs(admin, worker.run, "?attempt=2")] == ["charged"]
    assert logs(admin, worker.run, "?index=3") == []


def test_numbered_lines_that_are_told_again_are_kept_once(worker, admin):
    job = polled(worker)
    lines = [{"text": "one", "seq": 1}, {"text": "two", "seq": 2}]
    say(worker, job, "heartbeat", log=lines)
    say(worker, job, "heartbeat", log=lines)
    say(worker, job, "complete", output=1, log=[*lines, {"text": "three", "seq": 3}])
    assert [one["text"] for one in logs(admin, worker.run)] == ["one", "two", "three"]


def test_lines_that_are_too_many_are_counted(worker, admin):
    job = polled(worker)
    for _ in range(2):
        say(worker, job, "heartbeat", log=[{"text": str(n)} for n in range(150)])
    say(worker, job, "heartbeat", log=[{"text": "x" * 3_000}])
    answer = admin.get(f"/api/v1/runs/{worker.run}/steps/charge/logs?limit=200").json()
    assert len(answer["results"]) == 200
    assert answer["results"][199]["text"] == "49"
    rest = admin.get(answer["next"]).json()["results"]
    assert [(one["text"], one["left_out"]) for one in rest] == [("", 101)]


def test_who_has_lost_the_job_says_nothing_of_it(worker, admin):
    job = polled(worker)
    say(worker, job, "release")
    assert say(worker, job, "heartbeat", log=[{"text": "lost"}])["applied"] is False
    assert logs(admin, worker.run) == []


def test_many_jobs_each_have_what_was_said_of_them(worker, admin):
    other = admin.post("/api/v1/runs", {"workflow": "pay", "input": {"n": 1}}).json()["id"]
    jobs = worker.post("/api/v1/jobs/poll", POLL).json()["jobs"]
    assert len(jobs) == 2
    items = [
        {"id": job["id"], "lease_token": job["lease_token"], "log": [{"text": f"of {job['run_id']}"}]}
        for job in jobs
    ]
    worker.post("/api/v1/jobs/heartbeat", {"items": items})
    for run in (worker.run, other):
        assert [one["text"] for one in logs(admin, run)] == [f"of {run}"]


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ({"text": 1}, "log[0].text"),
        ({"text": "x", "level": "loud"}, "log[0].level"),
        ({"text": "x", "seq": 0}, "log[0].seq"),
        ({"text": "x", "at": "now"}, "log[0].at"),
        ({"text": "x", "more": 1}, "log[0].more"),
    ],
)
def test_a_line_that_is_none_is_refused_by_its_field(worker, line, field):
    job = polled(worker)
    assert say(worker, job, "heartbeat", 400, log=[line])["error"]["field"] == field


def test_a_node_that_there_is_not_has_no_log(worker, admin):
    assert admin.get(f"/api/v1/runs/{worker.run}/steps/none/logs").status_code == 404
    assert factories.run(worker.run).status == "RUNNING"


def test_where_secrets_can_not_be_known_in_time_a_line_is_not_shown(worker, admin, monkeypatch):
    job = polled(worker)
    monkeypatch.setattr(rendered, "SECONDS", -1.0)
    say(worker, job, "heartbeat", log=[{"text": "with sesame-55"}])
    assert [one["text"] for one in logs(admin, worker.run)] == ["••••"]
