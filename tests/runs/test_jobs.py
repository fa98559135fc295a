"""Jobs of external workers: a token per (step, epoch), what comes late (docs/engine.md, "Leases"; C-5, H-8, H-17)."""

import pytest

from runs.commands import jobs
from runs.kernel.refused import RunRefused
from runs.maintenance.leases import sweep
from tests import factories as make

pytestmark = pytest.mark.django_db

JOB = make.graph([{"id": "a", "type": "job", "queue": "mine", "retry": {"base_seconds": 0, "jitter": 0}}], [])


def poll(many=1, worker="w"):
    return jobs.poll(tenant=make.a_tenant().pk, worker=worker, queues=["mine"], max_jobs=many)


def say(verb, job, **more):
    return verb(tenant=make.a_tenant().pk, job=job.step.id, lease_token=job.lease_token, **more)


@pytest.mark.parametrize("output", [None, [], "x", 0, False])
def test_the_same_output_again_is_a_duplicate_whatever_it_is(output):
    make.start(JOB)
    job = poll()[0]
    assert say(jobs.complete, job, output=output) == jobs.Answer(True)
    assert say(jobs.complete, job, output=output) == jobs.Answer(True, duplicate=True)
    assert say(jobs.complete, job, output="other") == jobs.Answer(False, "completed_otherwise")


def fail(job, retryable):
    return say(jobs.fail, job, code="Boom", message="It went wrong.", retryable=retryable)


def test_a_job_is_completed_once_and_again_is_a_duplicate():
    run_id = make.start(JOB)[0]
    job = poll()[0]

    first = say(jobs.complete, job, output={"n": 1})
    again = say(jobs.complete, job, output={"n": 1.0})
    other = say(jobs.complete, job, output={"n": 2})

    assert (first.applied, first.duplicate) == (True, False)
    assert (again.applied, again.duplicate) == (True, True)
    assert other == jobs.Answer(False, "completed_otherwise")
    assert make.run(run_id).output == {"n": 1}


def test_a_token_of_an_earlier_lease_is_worth_nothing(clock):
    run_id = make.start(JOB)[0]
    first = poll()[0]
    clock.advance(10_000)
    sweep()
    second = poll()[0]

    assert say(jobs.complete, first, output="late") == jobs.Answer(False, "lease_lost")
    assert fail(first, retryable=False) == jobs.Answer(False, "lease_lost")
    assert say(jobs.heartbeat, first) == jobs.Answer(False, "lease_lost")
    assert say(jobs.complete, second, output="good").applied
    assert make.run(run_id).output == "good"


def test_the_idempotency_key_is_one_for_all_attempts_at_a_step_and_of_no_other_step(clock):
    """H-25: neither a failed attempt, nor a lost lease, nor a resume makes another one."""
    run_id, other = make.start(JOB, {"n": 1}, {"n": 2})
    seen = {run_id: set(), other: set()}
    for _ in range(2):
        for job in poll(2):
            seen[str(job.step.run_id)].add(job.idempotency_key)
            fail(job, retryable=True)
    for _ in range(2):
        for _ in range(2):
            (job,) = poll()
            seen[str(job.step.run_id)].add(job.idempotency_key)
        clock.advance(31)
        assert sweep() == 2
    assert make.run(run_id).status == "FAILED"
    make.resume(run_id)
    (job,) = poll()
    seen[run_id].add(job.idempotency_key)

    assert [len(keys) for keys in seen.values()] == [1, 1]
    assert seen[run_id] != seen[other]


def test_a_token_of_before_a_resume_is_worth_nothing():
    """Fence = (id, epoch), and the epoch rises at resume: the token of the old epoch must not pass for the new one."""
    run_id = make.start(JOB)[0]
    job = poll()[0]
    fail(job, retryable=False)
    make.resume(run_id)

    with pytest.raises(jobs.StaleToken):
        say(jobs.complete, job, output="late")
    assert make.statuses(run_id) == {"a": "QUEUED"}


@pytest.mark.parametrize("word", ["fail", "release", "take back"])
def test_who_gave_a_job_up_can_t_complete_it_any_more(word):
    run_id = make.start(JOB)[0]
    job = poll()[0]
    if word == "fail":
        fail(job, retryable=True)
    elif word == "release":
        say(jobs.release, job)
    else:
        jobs.take_back([job])

    with pytest.raises(jobs.StaleToken):
        say(jobs.complete, job, output="after all")
    assert fail(job, retryable=False) == jobs.Answer(False, "lease_lost")
    assert say(jobs.heartbeat, job) == jobs.Answer(False, "lease_lost")
    assert make.statuses(run_id) == {"a": "QUEUED"}
    assert say(jobs.complete, poll()[0], output="good").applied
    assert make.run(run_id).output == "good"


def test_a_failure_for_good_is_the_last_word_of_its_token():
    run_id = make.start(JOB)[0]
    job = poll()[0]
    fail(job, retryable=False)

    with pytest.raises(jobs.StaleToken, match="Boom: It went wrong"):
        say(jobs.complete, job, output="after all")
    assert make.run(run_id).status == "FAILED"


def test_a_completion_after_the_last_attempt_s_lease_is_told_that_the_step_has_failed(clock):
    """A lost lease is a failure of its attempt, and a run that ended stays so for this life (R-052, R-089)."""
    run_id = make.start(make.graph([{"id": "a", "type": "job", "queue": "mine", "retry": "none"}], []))[0]
    job = poll()[0]
    clock.advance(10_000)
    sweep()
    assert make.run(run_id).status == "FAILED"

    with pytest.raises(jobs.StaleToken, match="LeaseLost: The worker was lost"):
        say(jobs.complete, job, output="late")
    assert make.statuses(run_id) == {"a": "FAILED"}


@pytest.mark.parametrize(
    ("closing", "ended", "again"), [("CANCELLING", "CANCELLED", False), ("FAILING", "FAILED", True)]
)
def test_a_job_given_back_while_its_run_closes_is_over_at_once(closing, ended, again):
    nodes = [{"id": "a", "type": "job", "queue": "mine"}, {"id": "b", "retry": "none"}]
    run_id = make.start(make.graph(nodes, []))[0]
    job = poll()[0]
    if closing == "CANCELLING":
        make.cancel(run_id)
    else:
        make.fail(*make.claimed())
    assert make.run(run_id).status == closing

    assert say(jobs.release, job).applied

    assert make.run(run_id).status == ended
    assert make.statuses(run_id)["a"] == "CANCELLED"
    assert say(jobs.complete, job, output="late") == jobs.Answer(False, "step_cancelled")
    if again:
        make.resume(run_id)
        assert poll()[0].step.attempt == 1


def test_a_late_completion_counts_until_somebody_else_has_the_job(clock):
    run_id = make.start(JOB)[0]
    job = poll()[0]
    clock.advance(10_000)
    sweep()
    assert fail(job, retryable=False) == jobs.Answer(False, "lease_lost")

    assert say(jobs.complete, job, output="late").applied
    assert make.run(run_id).output == "late"


def test_a_heartbeat_tells_that_the_run_is_being_cancelled(clock):
    run_id = make.start(JOB)[0]
    job = poll()[0]
    assert say(jobs.heartbeat, job).cancel_requested is False

    make.cancel(run_id)

    assert say(jobs.heartbeat, job).cancel_requested is True
    assert say(jobs.complete, job, output={}).applied
    assert make.run(run_id).status == "CANCELLED"


def test_a_job_given_back_costs_no_attempt_and_goes_to_the_next():
    make.start(JOB)
    job = poll()[0]

    assert say(jobs.release, job).applied

    again = poll()[0]
    assert (again.step.id, again.step.attempt, again.step.epoch) == (job.step.id, 1, 2)


def test_jobs_lost_in_company_are_polled_one_at_a_time(clock):
    make.start(JOB, *[{}] * 3)
    assert len(poll(9)) == 3
    clock.advance(10_000)
    sweep()

    assert [len(poll(9)) for _ in range(4)] == [1, 1, 1, 0]


def test_a_job_whose_params_can_t_be_computed_fails_without_being_handed_out():
    bad = {"id": "a", "type": "job", "queue": "mine", "params": {"x": "{{ input.missing }}"}}
    run_id = make.start(make.graph([bad], []))[0]

    assert poll() == []
    assert make.run(run_id).error["code"] == "ExpressionError"


def test_another_tenant_has_no_such_job():
    make.start(JOB)
    job = poll()[0]

    with pytest.raises(jobs.UnknownJob):
        jobs.complete(
            tenant=make.a_tenant("other").pk, job=job.step.id, lease_token=job.lease_token, output={}
        )


@pytest.mark.parametrize("output", ["\0", float("nan")], ids=repr)
def test_an_output_that_can_t_be_stored_is_refused_and_the_worker_has_the_job_still(output):
    run_id = make.start(JOB)[0]
    job = poll()[0]

    with pytest.raises(RunRefused) as refused:
        say(jobs.complete, job, output=output)

    assert (refused.value.code, refused.value.field) == ("bad_json", "output")
    assert say(jobs.complete, job, output="good").applied
    assert make.run(run_id).output == "good"
