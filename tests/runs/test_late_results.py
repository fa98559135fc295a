"""What comes too late is not applied, and is kept as evidence: who made what of which attempt (I4)."""

import pytest

from runs.commands import job_leases, job_reports, jobs
from runs.integrity.verify import verify
from runs.kernel.advance import advance
from runs.maintenance.leases import sweep
from runs.maintenance.seals import seal
from runs.store.attempts import Succeeded
from runs.workers.drain import Drain
from tests import factories as make
from tests.invariants import broken

pytestmark = pytest.mark.django_db

JOB = make.graph([{"id": "a", "type": "job", "queue": "mine", "retry": {"base_seconds": 0, "jitter": 0}}], [])
STALE = "x" * 22


def poll(worker):
    (job,) = jobs.poll(tenant=make.a_tenant().pk, worker=worker, queues=["mine"], max_jobs=1)
    return job


def complete(job, output, token=None):
    return job_reports.complete(
        tenant=make.a_tenant().pk, job=job.step.id, lease_token=token or job.lease_token, output=output
    )


def late(run_id):
    return [event.payload for event in make.events(run_id, "LATE_RESULT")]


@pytest.fixture
def reclaimed(clock):
    """A run whose job was taken from its first worker and given to a second one: (run, first, second)."""
    run_id = make.start(JOB)[0]
    first = poll("slow")
    clock.advance(31)
    assert sweep() == 1
    return run_id, first, poll("quick")


def sound(run_id):
    """Whether history, rows and seals of the run agree."""
    seal()
    return list(verify([run_id])) == [] and broken() == {}


def test_a_late_result_of_a_worker_outside_is_kept_with_its_epoch_worker_and_digest(reclaimed):
    run_id, first, second = reclaimed

    assert complete(first, {"by": "slow"}) == job_reports.Answer(False, "lease_lost")
    assert complete(first, {"by": "slow"}) == job_reports.Answer(False, "lease_lost")
    assert complete(second, {"by": "slow"}).applied

    (kept,) = late(run_id)
    (completed,) = make.events(run_id, "STEP_COMPLETED")
    assert kept == {
        "evidence": True,
        "epoch": first.step.epoch,
        "worker": "slow",
        "reason": "lease_lost",
        "digest": completed.payload["digest"],
    }
    assert make.run(run_id).output == {"by": "slow"}
    assert sound(run_id)


def test_it_may_stand_behind_the_end_of_the_run_and_its_seal(reclaimed):
    run_id, first, second = reclaimed
    complete(second, "good")
    assert sound(run_id)
    complete(first, "late")
    assert make.history(run_id)[-1] == "LATE_RESULT a"
    assert sound(run_id)


def test_another_output_of_the_same_lease_and_one_after_a_failure_are_kept_too():
    run_id, other = make.start(JOB, 1, 2)
    jobs_of = {job.step.run_id: job for job in (poll("w"), poll("w"))}
    complete(jobs_of[run_id], 1)
    complete(jobs_of[run_id], 2)
    assert [(kept["reason"], kept["epoch"]) for kept in late(run_id)] == [("completed_otherwise", 1)]
    told = {"code": "Boom", "message": "It went wrong.", "retryable": True}
    job_reports.fail(
        tenant=make.a_tenant().pk,
        job=jobs_of[other].step.id,
        lease_token=jobs_of[other].lease_token,
        **told,
    )
    with pytest.raises(job_leases.StaleToken):
        complete(jobs_of[other], 2)
    assert [kept["reason"] for kept in late(other)] == ["stale_token"]


def test_a_late_error_is_kept(reclaimed):
    run_id, first, _ = reclaimed
    error = {"code": "Boom", "message": "m" * 9000, "retryable": True}
    said = job_reports.fail(
        tenant=make.a_tenant().pk, job=first.step.id, lease_token=first.lease_token, **error
    )
    assert said == job_reports.Answer(False, "lease_lost")
    (kept,) = late(run_id)
    assert kept["error"] == {"code": "Boom", "message": "m" * 500}
    assert sound(run_id)


@pytest.mark.parametrize(
    "token", [STALE, f"{STALE}.1.{STALE}", f"{STALE}.x.y", "..", f"{STALE}.99999999999."]
)
def test_of_a_token_that_is_none_nothing_is_kept(reclaimed, token):
    run_id, first, _ = reclaimed
    assert not complete(first, "x", token).applied
    secret, _, proof = first.lease_token.split(".")
    assert not complete(first, "x", f"{secret}.{first.step.epoch + 1}.{proof}").applied
    assert late(run_id) == []


def test_however_often_somebody_sends_others_a_bounded_number_is_kept(reclaimed):
    run_id, first, _ = reclaimed
    for number in range(25):
        complete(first, number)
    assert len(late(run_id)) == 20


def test_an_output_that_could_not_be_kept_is_told_by_why(reclaimed):
    run_id, first, _ = reclaimed
    complete(first, "x" * 5_000_000)
    assert late(run_id)[0]["error"]["code"] == "BadOutput"


def test_what_our_own_worker_made_of_a_step_that_it_had_lost(clock):
    run_id = make.start(make.chain("noop"), {"n": 1})[0]
    drain = Drain("default")
    (held,) = make.claimed(worker=drain.worker)
    clock.advance(31)
    assert sweep() == 1
    clock.advance(10)
    (again,) = make.claimed(worker="another")
    make.complete(again)
    assert make.run(run_id).status == "COMPLETED"

    assert drain.flush([(held, Succeeded({"n": 2}))]).applied == set()

    (kept,) = late(run_id)
    assert (kept["worker"], kept["epoch"], kept["reason"]) == (drain.worker, held.epoch, "lease_lost")
    assert sound(run_id)


def test_what_timers_and_sweeps_find_to_be_over_is_no_evidence():
    run_id = make.start(make.chain("noop"))[0]
    (held,) = make.claimed()
    make.work()
    advance([(held, Succeeded(1))])
    advance([(held, Succeeded(2))])
    assert late(run_id) == []
