"""A token with queues and folders over gRPC: both services give it the same jobs as REST, and hear it as little."""

import pytest

from accounts.principal import SERVICE, JobReach
from accounts.services import create_token
from runs.models import Run, StepExecution
from tests import factories as make
from tests.integrations.grpc.test_jobs_rpc import POLL, held, refused
from workflows.models import Workflow

ENGINE_POLL = {"worker_id": "w1", "job_types": ["card"]}
ERROR = {"code": "No", "message": "no"}


@pytest.fixture
def limited(speak, people):
    """Makes clients with a token that has these limits."""

    def client(queues=None, folders=None):
        jobs = JobReach(queues, folders)
        user = people.member("admin")
        _, text = create_token(user=user, tenant=people.tenant(), role="worker", jobs=jobs)
        return speak(token=text)

    return client


@pytest.fixture
def elsewhere(people):
    """The id of a folder without workflows."""
    return make.FolderFactory(tenant=people.tenant(), name="Elsewhere").pk


def test_another_queue_is_refused(limited):
    one = limited(queues=("pay*",))
    for ask, call in (
        (one.jobs, {"method": "PollJobs", **POLL}),
        (one.jobs, {"method": "StreamJobs", **POLL}),
        (one.jobs, {"method": "ClaimJob", "worker_id": "w", "job_id": "x", "queues": ["card"]}),
        (one.engine, {"method": "PollJobs", **ENGINE_POLL}),
    ):
        assert refused(ask, **call)["status"] == "PERMISSION_DENIED", call


def test_jobs_of_other_folders_are_not_given_out(limited, elsewhere, start, people):
    start()
    one = limited(folders=(elsewhere,))
    assert not one.jobs("PollJobs", **POLL).jobs
    assert not one.engine("PollJobs", **ENGINE_POLL).jobs
    stream = one.jobs("StreamJobs", **POLL)
    stream.initial_metadata()
    here = limited(queues=("ca*",))
    [job] = here.jobs("PollJobs", **POLL).jobs
    stream.cancel()
    assert here.jobs("CompleteJob", **held(job), output=1).applied


def test_nothing_is_heard_of_a_job_outside(limited, elsewhere, start):
    start()
    [job] = limited().jobs("PollJobs", **POLL).jobs
    before = StepExecution.unsafe_all_tenants.values().get()
    for one in (limited(folders=(elsewhere,)), limited(queues=("pay*",))):
        for method, more in (
            ("CompleteJob", {"output": 1}),
            ("FailJob", {"error": ERROR, "retryable": True}),
            ("HeartbeatJob", {}),
            ("ReleaseJob", {}),
        ):
            assert refused(one.jobs, method=method, **held(job), **more)["status"] == "NOT_FOUND"
        named = {"job_id": f"{job.id}.{job.lease_token}", "worker_id": "w1"}
        for method in ("CompleteJob", "FailJob"):
            assert refused(one.engine, method=method, **named)["status"] == "NOT_FOUND"
    assert StepExecution.unsafe_all_tenants.values().get() == before


@pytest.mark.parametrize("call", ["StartRun", "StartInstance"])
def test_what_a_token_with_folders_starts_acts_for_nobody_beyond_them(speak, pay, people, call):
    folder = Workflow.unsafe_all_tenants.get(name="pay").folder_id
    jobs = JobReach(folders=(folder,))
    token, text = create_token(
        user=people.member("admin"), tenant=people.tenant(), role="operator", jobs=jobs
    )
    one = speak(token=text)
    if call == "StartRun":
        one.runs(call, workflow="pay", input={"amount": 1})
    else:
        one.engine(call, definition_id="pay", variables={"amount": 1})
    assert Run.unsafe_all_tenants.get().acts_for == f"{SERVICE}{token.public_id}"
