"""Consumers who were told of jobs by a broker, against whoever else has to do with the step."""

import pytest
from django.db import transaction

from runs.commands import job_events, job_reports, jobs
from runs.commands.job_leases import StaleToken
from runs.commands.job_reports import Completion
from runs.commands.lifecycle import cancel_runs
from runs.models import StepExecution
from tests import factories as make
from tests.races.staging import Actor, blocked, me

JOB = make.graph([{"id": "a", "type": "job", "queue": "mine"}], [])


@pytest.fixture
def told():
    """The step and the token that an event of a job of a run has named, and the run."""
    [run_id] = make.start(JOB)
    step = StepExecution.unsafe_all_tenants.get(run_id=run_id)
    return (*job_events.event_id(str(step.pk), 0).split(".", 1), run_id)


def done(step, token):
    """A consumer of rochallor's kind says that the work is done."""
    job_events.take(make.a_tenant().pk, "theirs", step, token)
    [said] = job_reports.complete_all(make.a_tenant().pk, [Completion(step, token, {"ok": True})])
    return said


def having_hold(of, change):
    """Somebody who does something to the step of a run, and has hold of it until told to go on."""

    def work():
        with transaction.atomic():
            StepExecution.unsafe_all_tenants.select_for_update().get(run_id=of)
            change(of)
            me().halt()

    return Actor(work).until_halted()


def nothing(run_id):
    """Whoever looks only."""


def claimed_and_given_back(run_id):
    tenant = make.a_tenant().pk
    [job] = jobs.poll(tenant=tenant, worker="w", queues=["mine"], max_jobs=1)
    assert job_reports.release(tenant=tenant, job=job.step.id, lease_token=job.lease_token).applied


def claimed(run_id):
    assert jobs.poll(tenant=make.a_tenant().pk, worker="w", queues=["mine"], max_jobs=1)


def cancelled(run_id):
    cancel_runs(make.a_tenant().pk, [run_id], by="x")


def test_the_word_of_who_is_done_waits_for_whoever_has_hold_of_the_step(told):
    step, token, run_id = told
    somebody = having_hold(run_id, nothing)
    consumer = blocked(lambda: done(step, token))
    somebody.end()
    assert consumer.end().applied
    assert make.run(run_id).output == {"ok": True}


@pytest.mark.parametrize(
    ("change", "status"), [(claimed_and_given_back, "QUEUED"), (claimed, "RUNNING"), (cancelled, "CANCELLED")]
)
def test_who_waited_in_vain_changes_nothing(told, change, status):
    step, token, run_id = told
    somebody = having_hold(run_id, change)
    consumer = blocked(lambda: done(step, token))
    somebody.end()
    said = consumer.end()
    assert isinstance(said, StaleToken) or not said.applied
    row = StepExecution.unsafe_all_tenants.get(pk=step)
    assert (row.status, row.worker == "theirs") == (status, False)


def test_who_is_about_to_work_waits_for_nobody_and_has_what_is_free(told):
    step, token, run_id = told
    make.start(JOB)
    other = StepExecution.unsafe_all_tenants.exclude(pk=step).get()
    ids = [f"{step}.{token}", job_events.event_id(str(other.pk), 0)]
    somebody = having_hold(run_id, nothing)
    leased, refused = job_events.claim(make.a_tenant().pk, "w", ids)
    somebody.end()
    assert [job.step.id for job in leased] == [str(other.pk)]
    assert refused == {ids[0]: "leased"}
