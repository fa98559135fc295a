"""Jobs of external workers: a token per (step, epoch), what comes late (docs/engine.md, "Leases"; C-5, H-8, H-17)."""

import pytest

from runs.commands import job_leases, job_reports, jobs
from runs.kernel.refused import RunRefused
from runs.maintenance.leases import sweep
from runs.models import StepExecution
from runs.reading.presentation import found_run
from tests import factories as make
from tests.altered import altered

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
    assert say(job_reports.complete, job, output=output) == job_reports.Answer(True)
    assert say(job_reports.complete, job, output=output) == job_reports.Answer(True, duplicate=True)
    assert say(job_reports.complete, job, output="other") == job_reports.Answer(False, "completed_otherwise")


def fail(job, retryable):
    return say(job_reports.fail, job, code="Boom", message="It went wrong.", retryable=retryable)


def test_a_job_is_completed_once_and_again_is_a_duplicate():
    run_id = make.start(JOB)[0]
    job = poll()[0]

    first = say(job_reports.complete, job, output={"n": 1})
    again = say(job_reports.complete, job, output={"n": 1.0})
    other = say(job_reports.complete, job, output={"n": 2})

    assert (first.applied, first.duplicate) == (True, False)
    assert (again.applied, again.duplicate) == (True, True)
    assert other == job_reports.Answer(False, "completed_otherwise")
    assert make.run(run_id).output == {"n": 1}


VERBS = {
    "complete": (job_reports.complete, {"output": 1}),
    "fail": (job_reports.fail, {"code": "Boom", "message": "No.", "retryable": False}),
    "heartbeat": (job_reports.heartbeat, {}),
    "release": (job_reports.release, {}),
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_token_with_one_part_altered_is_not_that_of_the_lease(verb):
    run_id = make.start(JOB)[0]
    job = poll()[0]
    do, more = VERBS[verb]
    before = StepExecution.unsafe_all_tenants.values().get(run_id=run_id)

    for token in altered(job.lease_token):
        said = do(tenant=make.a_tenant().pk, job=job.step.id, lease_token=token, **more)
        assert said == job_reports.Answer(False, "lease_lost"), token

    assert StepExecution.unsafe_all_tenants.values().get(run_id=run_id) == before
    assert say(do, job, **more).applied


def test_a_lease_outlives_the_key_that_signed_its_token(settings):
    make.start(JOB)
    job = poll()[0]
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another secret"
    assert say(job_reports.heartbeat, job).applied
    assert say(job_reports.complete, job, output=1).applied


def test_a_token_of_an_earlier_lease_is_worth_nothing(clock):
    run_id = make.start(JOB)[0]
    first = poll()[0]
    clock.advance(10_000)
    sweep()
    second = poll()[0]

    assert say(job_reports.complete, first, output="late") == job_reports.Answer(False, "lease_lost")
    assert fail(first, retryable=False) == job_reports.Answer(False, "lease_lost")
    assert say(job_reports.heartbeat, first) == job_reports.Answer(False, "lease_lost")
    assert say(job_reports.complete, second, output="good").applied
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

    with pytest.raises(job_leases.StaleToken):
        say(job_reports.complete, job, output="late")
    assert make.statuses(run_id) == {"a": "QUEUED"}


@pytest.mark.parametrize("word", ["fail", "release", "take back"])
def test_who_gave_a_job_up_can_t_complete_it_any_more(word):
    run_id = make.start(JOB)[0]
    job = poll()[0]
    if word == "fail":
        fail(job, retryable=True)
    elif word == "release":
        say(job_reports.release, job)
    else:
        jobs.take_back([job])

    with pytest.raises(job_leases.StaleToken):
        say(job_reports.complete, job, output="after all")
    assert fail(job, retryable=False) == job_reports.Answer(False, "lease_lost")
    assert say(job_reports.heartbeat, job) == job_reports.Answer(False, "lease_lost")
    assert make.statuses(run_id) == {"a": "QUEUED"}
    assert say(job_reports.complete, poll()[0], output="good").applied
    assert make.run(run_id).output == "good"


@pytest.mark.parametrize("code", ["ValidationError", "InvalidInputError", "NonRetryableError", "Declined"])
def test_codes_that_are_never_retried_are_final_whatever_their_worker_says(code):
    definition = make.graph(
        [{"id": "a", "type": "job", "queue": "mine", "retry": {"non_retryable": ["Declined"]}}], []
    )
    run_id = make.start(definition)[0]
    say(job_reports.fail, poll()[0], code=code, message="No.", retryable=True)
    assert make.run(run_id).status == "FAILED"


def test_details_and_stack_of_an_error_are_kept_and_what_is_too_long_is_cut_with_a_sign():
    run_id = make.start(JOB)[0]
    more = {"code": "Boom", "retryable": False, "details": {"row": 7}}
    answer = say(job_reports.fail, poll()[0], message="m" * 20_000, stack="a" * 20_000 + "z" * 20_000, **more)
    assert answer == job_reports.Answer(True, cut=("error.message", "error.stack"))
    error = found_run(make.a_tenant().pk, run_id)["steps"][0]["error"]
    assert (error["details"], error["cut"]) == ({"row": 7}, ["error.message", "error.stack"])
    assert error["message"].endswith("… (cut: the message had 20,000 characters)")
    assert (error["stack"][0], error["stack"][-1]) == ("a", "z")
    assert "(cut: the stack had 40,000 characters)" in error["stack"]
    assert len(error["message"]) == 10_000
    assert len(error["stack"]) <= 20_000


def test_a_failure_for_good_is_the_last_word_of_its_token():
    run_id = make.start(JOB)[0]
    job = poll()[0]
    fail(job, retryable=False)

    with pytest.raises(job_leases.StaleToken, match="Boom: It went wrong"):
        say(job_reports.complete, job, output="after all")
    assert make.run(run_id).status == "FAILED"


def test_a_completion_after_the_last_attempt_s_lease_is_told_that_the_step_has_failed(clock):
    """A lost lease is a failure of its attempt, and a run that ended stays so for this life (R-052, R-089)."""
    run_id = make.start(make.graph([{"id": "a", "type": "job", "queue": "mine", "retry": "none"}], []))[0]
    job = poll()[0]
    clock.advance(10_000)
    sweep()
    assert make.run(run_id).status == "FAILED"

    with pytest.raises(job_leases.StaleToken, match="LeaseLost: The worker was lost"):
        say(job_reports.complete, job, output="late")
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

    assert say(job_reports.release, job).applied

    assert make.run(run_id).status == ended
    assert make.statuses(run_id)["a"] == "CANCELLED"
    assert say(job_reports.complete, job, output="late") == job_reports.Answer(False, "step_cancelled")
    if again:
        make.resume(run_id)
        assert poll()[0].step.attempt == 1


def test_a_late_completion_counts_until_somebody_else_has_the_job(clock):
    run_id = make.start(JOB)[0]
    job = poll()[0]
    clock.advance(10_000)
    sweep()
    assert fail(job, retryable=False) == job_reports.Answer(False, "lease_lost")

    assert say(job_reports.complete, job, output="late").applied
    assert make.run(run_id).output == "late"


def test_a_heartbeat_tells_that_the_run_is_being_cancelled(clock):
    run_id = make.start(JOB)[0]
    job = poll()[0]
    assert say(job_reports.heartbeat, job).cancel_requested is False

    make.cancel(run_id)

    assert say(job_reports.heartbeat, job).cancel_requested is True
    assert say(job_reports.complete, job, output={}).applied
    assert make.run(run_id).status == "CANCELLED"


def test_a_job_given_back_costs_no_attempt_and_goes_to_the_next():
    make.start(JOB)
    job = poll()[0]

    assert say(job_reports.release, job).applied

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

    with pytest.raises(job_leases.UnknownJob):
        job_reports.complete(
            tenant=make.a_tenant("other").pk, job=job.step.id, lease_token=job.lease_token, output={}
        )


@pytest.mark.parametrize("output", ["\0", float("nan")], ids=repr)
def test_an_output_that_can_t_be_stored_is_refused_and_the_worker_has_the_job_still(output):
    run_id = make.start(JOB)[0]
    job = poll()[0]

    with pytest.raises(RunRefused) as refused:
        say(job_reports.complete, job, output=output)

    assert (refused.value.code, refused.value.field) == ("bad_json", "output")
    assert say(job_reports.complete, job, output="good").applied
    assert make.run(run_id).output == "good"


def test_how_far_a_worker_came_is_told_to_whoever_watches_and_to_the_next_attempt():
    run_id = make.start(JOB)[0]
    tenant = make.a_tenant().pk
    job = poll()[0]
    assert (job.progress, job.retries_remaining) == (None, 3)
    (step,) = found_run(tenant, run_id)["steps"]
    assert (step["worker"], step["last_heartbeat_at"], step["progress"]) == ("w", None, None)
    assert step["lease_expires_at"] is not None

    assert say(job_reports.heartbeat, job, progress={"page": 7}).applied
    assert say(job_reports.heartbeat, job).applied
    (step,) = found_run(tenant, run_id)["steps"]
    assert (step["progress"], step["retries_remaining"]) == ({"page": 7}, 3)
    assert step["started_at"] < step["last_heartbeat_at"] < step["lease_expires_at"]

    assert fail(job, retryable=True).applied
    (step,) = found_run(tenant, run_id)["steps"]
    assert (step["progress"], step["worker"], step["lease_expires_at"]) == ({"page": 7}, "w", None)
    again = poll()[0]
    assert (again.progress, again.retries_remaining) == ({"page": 7}, 2)
    assert found_run(tenant, run_id)["steps"][0]["last_heartbeat_at"] is None


def test_progress_that_is_too_large_is_left_out_and_the_lease_goes_on():
    run_id = make.start(JOB)[0]
    job = poll()[0]
    say(job_reports.heartbeat, job, progress="kept")
    answer = say(job_reports.heartbeat, job, progress="x" * 65_536)
    assert (answer.applied, answer.cut) == (True, ("progress",))
    assert found_run(make.a_tenant().pk, run_id)["steps"][0]["progress"] == "kept"


def queue_of(job):
    return StepExecution.unsafe_all_tenants.get(pk=job.step.id).queue


def test_queues_are_served_in_their_order_and_with_weights_in_these_shares():
    for queue in ("mine", "yours"):
        make.start(make.graph([{"id": "a", "type": "job", "queue": queue}], []), *[{}] * 150)
    ask = {"tenant": make.a_tenant().pk, "worker": "w", "max_jobs": 1}

    def shares(polls, **more):
        given = [jobs.poll(queues=["yours", "mine"], **ask, **more)[0] for _ in range(polls)]
        return sum(queue_of(job) == "mine" for job in given)

    assert shares(10) == 0
    # 105 in the mean; so far from it by chance once in ten million times.
    assert 75 < shares(140, weights={"mine": 3}) < 135
