"""A token with queues and folders: what it is given at each door of workers, and what it may say of jobs at each."""

import uuid

import pytest
from rest_framework.test import APIClient

from accounts.principal import JobReach
from accounts.services import create_token
from lib.waiting import with_attempt
from runs.api import polls
from runs.commands import job_events, jobs
from runs.models import StepExecution, StepLog
from tests import factories as make
from tests.store.watching import watching
from workflows.models import Workflow

pytestmark = pytest.mark.django_db
LEASED, QUEUED = "RUNNING", "QUEUED"


def client(people, *, queues=None, folders=None, role="worker"):
    jobs = JobReach(queues, None if folders is None else tuple(folder.pk for folder in folders))
    _, text = create_token(user=people.member("admin"), tenant=people.tenant(), role=role, jobs=jobs)
    one = APIClient()
    one.default_format = "json"
    one.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    return one


@pytest.fixture
def folders(people):
    return [make.FolderFactory(tenant=people.tenant(), name=name) for name in ("Here", "There")]


@pytest.fixture
def started(people, folders):
    """Starts runs of a workflow with a job on the queue `card`, one in each folder; gives their ids in that order."""
    admin = people.client("admin")
    for name, folder in zip(("here", "there"), folders, strict=True):
        node = {"id": "charge", "type": "job", "queue": "card"}
        document = {"name": name, "nodes": [node], "edges": []}
        admin.post("/api/v1/workflows", {"name": name, "definition": document, "folder": folder.name})
        assert admin.post(f"/api/v1/workflows/{name}/publish").status_code == 201

    def some(*names):
        return [admin.post("/api/v1/runs", {"workflow": name, "input": {}}).json()["id"] for name in names]

    return some


def poll(one, queue="card", status=200, **more):
    answer = one.post("/api/v1/jobs/poll", {"worker_id": "w", "queues": [queue], "max_jobs": 10, **more})
    assert answer.status_code == status, answer.json()
    return answer.json()["jobs"] if status == 200 else answer.json()["error"]


def state(job):
    step = StepExecution.unsafe_all_tenants.get(pk=job["id"])
    return step.status, step.worker, step.lease_expires_at, step.progress, step.output


# Queues.


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/api/v1/jobs/poll", {"worker_id": "w", "queues": ["pay", "card"], "max_jobs": 1}, "queues[1]"),
        ("/api/v1/jobs/claim", {"worker_id": "w", "ids": [], "queues": ["card"]}, "queues[0]"),
        ("/v1/activities/poll", {"workerId": "w", "taskQueue": "card"}, "taskQueue"),
        ("/v1/jobs/poll", {"workerId": "w", "jobTypes": ["pay", "card"]}, "jobTypes[1]"),
    ],
)
def test_another_queue_is_refused_at_every_door(people, path, body, field):
    answer = client(people, queues=("pay*",)).post(path, body)
    assert answer.status_code == 403, answer.content
    assert field in answer.content.decode()
    assert "the queue card" in answer.content.decode()
    other = client(people, queues=("card", "pay*")).post(path, body)
    assert other.status_code in (200, 204)


@pytest.mark.parametrize("queue", ["no-such", "with space", "%", "käse", "a*", "*", "x" * 128])
def test_whether_there_is_such_a_queue_or_what_it_is_called_makes_no_difference(people, queue):
    error = poll(client(people, queues=("pay*",)), queue, 403)
    assert (error["code"], error["field"]) == ("queue_not_allowed", "queues[0]")


def test_a_star_alone_is_every_queue(people, started):
    [run] = started("here")
    [job] = poll(client(people, queues=("*",)))
    assert job["run_id"] == run


def test_nothing_is_noted_of_a_worker_that_was_refused(people):
    poll(client(people, queues=("pay",)), "card", 403, version="1")
    assert people.client("admin").get("/api/v1/workers").json()["results"] == []


# Folders.


def test_jobs_of_other_folders_are_not_given_out(people, folders, started):
    there, here = started("there", "here")
    [job] = poll(client(people, folders=folders[:1]))
    assert job["run_id"] == here
    assert poll(client(people, folders=folders[:1])) == []
    [job] = poll(client(people, folders=folders[1:]))
    assert job["run_id"] == there


def test_each_gets_its_own_however_many_of_others_stand_ahead(people, folders, started):
    runs = started(*["there"] * 12, "here", *["there"] * 12, "here")
    jobs = poll(client(people, folders=folders[:1]), max_jobs=1) + poll(
        client(people, folders=folders[:1]), max_jobs=5
    )
    assert [job["run_id"] for job in jobs] == [runs[12], runs[25]]


def test_one_without_folders_gets_all_and_a_folder_without_jobs_nothing(people, folders, started):
    started("there", "here")
    assert poll(client(people, folders=())) == []
    assert len(poll(client(people))) == 2


def test_it_is_one_statement_as_without_folders(people, folders, started, monkeypatch):
    # Now and then a poll asks for those that run alone before all others.
    monkeypatch.setattr(jobs, "ALONE_FIRST", 0)
    started(*["here", "there"] * 4)

    def claims(one):
        poll(one, max_jobs=1)
        with watching() as seen:
            poll(one, max_jobs=2)
        return [name for name in seen.named if name.startswith("claim")], seen.trips

    free, limited = claims(client(people)), claims(client(people, queues=("card",), folders=folders))
    assert limited == free
    assert free[0] == ["claim_jobs"]


def test_a_run_that_another_one_starts_lies_where_its_own_workflow_does(people, folders, started):
    admin = people.client("admin")
    node = {"id": "child", "type": "subworkflow", "params": {"workflow": "there"}}
    document = {"name": "parent", "nodes": [node], "edges": []}
    admin.post("/api/v1/workflows", {"name": "parent", "definition": document, "folder": "Here"})
    assert admin.post("/api/v1/workflows/parent/publish").status_code == 201
    started("parent")
    make.work("engine")
    make.work()
    assert poll(client(people, folders=folders[:1])) == []
    assert len(poll(client(people, folders=folders[1:]))) == 1


def test_a_poll_that_waits_is_not_woken_by_jobs_of_other_folders(people, folders, started):
    one = client(people, folders=folders[:1])
    environ, attempt = with_attempt({})
    body = {"worker_id": "w", "queues": ["card"], "max_jobs": 1, "wait_seconds": 20}
    answer = one.post("/api/v1/jobs/poll", body, **{"asgi.scope": environ})
    assert (answer.json(), attempt.wait_seconds) == ({"jobs": []}, 20)
    waiting = dict.fromkeys(attempt.topics, 1)
    started("there")
    assert polls.look(waiting) == {}
    started("here")
    assert list(polls.look(waiting).values()) == [1]


# What it may say of jobs that another token had.


def orchestrated(job):
    return f"{uuid.UUID(job['id']).hex}.{job['lease_token']}"


def rest(verb, **body):
    return lambda job: (f"/api/v1/jobs/{job['id']}/{verb}", {"lease_token": job["lease_token"], **body})


def several(verb, **body):
    return lambda job: (
        f"/api/v1/jobs/{verb}",
        {"items": [{"id": job["id"], "lease_token": job["lease_token"], **body}]},
    )


def s4(verb, **body):
    return lambda job: (f"/v1/jobs/{job['id']}.{job['lease_token']}/{verb}", body)


ERROR = {"code": "No", "message": "no"}
LINES = [{"text": "said"}]
VERBS = {
    "complete": rest("complete", output={"a": 1}, log=LINES),
    "fail": rest("fail", error=ERROR, retryable=True),
    "heartbeat": rest("heartbeat", progress={"at": 1}, log=LINES),
    "release": rest("release"),
    "complete many": several("complete", output={"a": 1}, log=LINES),
    "fail many": several("fail", error=ERROR, retryable=True),
    "heartbeat many": several("heartbeat", progress={"at": 1}, log=LINES),
    "complete s4": s4("complete", variables={"a": 1}),
    "fail s4": s4("fail", errorMessage="no", retryable=True),
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("limit", ["queue", "folder", "both"])
def test_nothing_is_heard_of_a_job_outside(people, folders, started, verb, limit):
    started("there")
    [job] = poll(client(people))
    before = state(job)
    reach = {
        "queue": {"queues": ("pay*",)},
        "folder": {"folders": folders[:1]},
        "both": {"queues": ("card",), "folders": folders[:1]},
    }
    path, body = VERBS[verb](job)
    answer = client(people, **reach[limit]).post(path, body)
    if "many" in verb:
        [result] = answer.json()["results"]
        assert (result["applied"], result["reason"]) == (False, "not_found")
    else:
        assert answer.status_code == 404, answer.content
    assert state(job) == before
    assert StepLog.unsafe_all_tenants.count() == 0
    admin = people.client("admin")
    assert "LATE_RESULT" not in admin.get(f"/api/v1/runs/{job['run_id']}/history").content.decode()
    # Whoever has it goes on.
    path, body = VERBS[verb](job)
    assert client(people, queues=("ca*",), folders=folders[1:]).post(path, body).status_code in (200, 204)
    assert state(job) != before


@pytest.mark.parametrize("verb", ["complete", "fail", "heartbeat"])
def test_nor_by_the_orchestration_routes(people, folders, started, verb):
    started("there")
    task = client(people).post("/v1/activities/poll", {"workerId": "w", "taskQueue": "card"}).json()
    step = StepExecution.unsafe_all_tenants.get()
    more = {"errorCode": "No", "errorMessage": "no", "retryable": True} if verb == "fail" else {}
    body = {"taskId": task["taskId"], **more}
    answer = client(people, folders=folders[:1]).post(f"/v1/activities/{verb}", body)
    assert answer.status_code == 404, answer.content
    same = StepExecution.unsafe_all_tenants.get()
    assert (same.status, same.lease_expires_at) == (step.status, step.lease_expires_at)
    assert client(people, folders=folders[1:]).post(f"/v1/activities/{verb}", body).status_code == 200


def test_a_workflow_that_moves_takes_its_jobs_along(people, folders, started):
    started("here")
    mine = client(people, folders=folders[:1])
    [job] = poll(mine)
    Workflow.objects.for_tenant(people.tenant().pk).filter(name="here").update(folder=folders[1])
    for verb in ("heartbeat", "complete", "release"):
        path, body = VERBS[verb](job)
        assert mine.post(path, body).status_code == 404
    path, body = VERBS["complete"](job)
    assert client(people, folders=folders[1:]).post(path, body).json() == {"applied": True}


def test_jobs_of_which_a_broker_tells_are_gone_for_whoever_they_are_not_for(people, folders, started):
    [run] = started("there")
    step = StepExecution.unsafe_all_tenants.get()
    body = {"worker_id": "w", "ids": [job_events.event_id(str(step.pk), 0)]}
    for reach in ({"queues": ("pay*", "cards", "car")}, {"folders": folders[:1]}, {"queues": ()}):
        answer = client(people, **reach).post("/api/v1/jobs/claim", body).json()
        assert answer == {"jobs": [], "refused": [{"id": body["ids"][0], "reason": "gone"}]}
        said = {"variables": {"a": 1}}
        taken = client(people, **reach).post(f"/v1/jobs/{body['ids'][0]}/complete", said)
        assert taken.status_code == 404
    assert StepExecution.unsafe_all_tenants.get().status == QUEUED
    mine = client(people, queues=("ca*",), folders=folders[1:])
    [job] = mine.post("/api/v1/jobs/claim", body).json()["jobs"]
    assert (job["run_id"], StepExecution.unsafe_all_tenants.get().status) == (run, LEASED)


def test_its_folders_limit_what_else_a_token_reaches(people, folders, started):
    there, here = started("there", "here")
    one = client(people, role="admin", folders=folders[:1])
    assert [run["id"] for run in one.get("/api/v1/runs").json()["results"]] == [here]
    for path in (f"/api/v1/runs/{there}", f"/v1/instances/{there}", "/api/v1/workflows/there"):
        assert one.get(path).status_code == 404, path
    assert one.post("/api/v1/runs", {"workflow": "there", "input": {}}).status_code == 404
    assert one.get(f"/api/v1/runs/{here}").status_code == 200
