"""Definitions of rochallor run as the public engine's scenarios want it: ends, timers, conditions, variables."""

import pytest

from engine.dialects import to_native
from engine.dialects.rochallor import failure_reason
from runs.commands import job_reports, jobs
from runs.models import RunVariable
from tests import factories as make
from tests import rochallor

pytestmark = pytest.mark.django_db

DEFAULT = {"firstName": "Alice", "amount": 600, "score": 700, "risk": 0.1}


def begun(document, **variables):
    return make.start(to_native(document, "s4"), variables)[0]


def polled(*job_types):
    found = jobs.poll(tenant=make.a_tenant().pk, worker="w", queues=job_types, max_jobs=10)
    return {job.step.node: job for job in found}


def done(job, **variables):
    return job_reports.complete(
        tenant=job.step.tenant_id,
        job=job.step.id,
        lease_token=job.lease_token,
        output=variables,
        variables={},
    )


def work(*job_types, **variables):
    """A worker does one job of each of these types, one after another."""
    for job_type in job_types:
        (job,) = polled(job_type).values()
        done(job, **variables)


def variables(run_id):
    rows = RunVariable.unsafe_all_tenants.filter(run_id=run_id).order_by("place")
    return {**make.run(run_id).input, **{row.name: row.value for row in rows}}


def status(run_id):
    return make.run(run_id).status


def test_one_step_after_another_and_their_end():
    run_id = begun(rochallor.LINEAR, n=1)
    work("a", "b", x=2)
    assert polled("c")["c"].step.input == {"n": 1, "x": 2}
    assert status(run_id) == "RUNNING"


def test_what_a_run_gives_is_all_its_variables():
    run_id = begun(rochallor.LINEAR, n=1, x=0)
    work("a", x=2)
    work("b", y={"z": None})
    work("c")
    assert make.statuses(run_id) == dict.fromkeys(["a", "b", "c", "end"], "COMPLETED")
    assert (status(run_id), make.run(run_id).output) == ("COMPLETED", {"n": 1, "x": 2, "y": {"z": None}})
    assert make.run(run_id).open_sinks == 0


@pytest.mark.parametrize(("result", "way", "other"), [("approved", "yes", "no"), ("rejected", "no", "yes")])
def test_a_decision_takes_the_first_condition_that_holds(result, way, other):
    run_id = begun(rochallor.DECISION)
    work("prepare", result=result)
    work(way)
    assert make.statuses(run_id)[other] == "SKIPPED"
    assert status(run_id) == "COMPLETED"


def test_a_decision_of_which_no_condition_holds_fails_the_run_with_the_word_of_s4():
    run_id = begun(rochallor.NO_MATCH)
    work("prepare", result="other")
    run = make.run(run_id)
    assert run.status == "FAILED"
    assert failure_reason(run.error).startswith("DecisionNoBranchMatched: ")


def test_a_variable_that_nobody_has_set_fails_the_run():
    run_id = begun(rochallor.NO_MATCH)
    work("prepare")
    assert failure_reason(make.run(run_id).error).startswith("ExpressionError: ")


def test_a_join_waits_for_paths_of_several_steps_and_goes_on_once():
    run_id = begun(rochallor.PARALLEL)
    work("right", "left")
    assert polled("merge") == {}
    work("left-2", "merge")
    assert status(run_id) == "COMPLETED"
    assert make.history(run_id).count("STEP_COMPLETED join") == 1


@pytest.mark.parametrize("go", [True, False])
def test_an_end_within_parallel_paths_ends_its_path_alone(go):
    run_id = begun(rochallor.ENDS_IN_A_PATH, go=go)
    assert status(run_id) == "RUNNING"
    work("right", "after")
    assert status(run_id) == "COMPLETED"
    assert make.statuses(run_id)["end-path"] == ("SKIPPED" if go else "COMPLETED")
    assert make.run(run_id).open_sinks == 0


def test_the_end_that_a_timer_leads_to_ends_the_run_and_the_wait_beside_it(clock):
    run_id = begun(rochallor.TIMER)
    work("before")
    make.work()
    assert make.statuses(run_id)["wait"] == "WAITING"
    clock.advance(2)
    make.tick()
    assert make.statuses(run_id)["wait"] == "WAITING"
    work("fired")
    assert make.statuses(run_id)["wait"] == "CANCELLED"
    assert (status(run_id), make.pending_timers(run_id), make.run(run_id).open_sinks) == ("COMPLETED", [], 0)
    assert make.history(run_id)[-1] == "RUN_COMPLETED"


def test_what_waits_goes_on_where_its_signal_comes_first(clock):
    run_id = begun(rochallor.TIMER)
    work("before")
    make.work()
    make.send(run_id, "wait", {"paid": True})
    assert (status(run_id), make.run(run_id).output) == ("COMPLETED", {"paid": True})
    clock.advance(2)
    assert make.tick() == 0


def test_a_job_that_the_end_finds_running_is_cancelled_and_its_late_result_has_no_effect(clock):
    flow = rochallor.document(rochallor.service("slow", "end", boundaryEvents=[rochallor.timer("end")]))
    run_id = begun(flow)
    (held,) = polled("slow").values()
    clock.advance(2)
    make.tick()
    assert make.statuses(run_id) == {"slow": "CANCELLED", "end": "COMPLETED"}
    assert done(held, late=True).applied is False
    assert (status(run_id), variables(run_id)) == ("COMPLETED", {})


def test_a_timer_that_interrupts_ends_the_step_and_its_worker_hears_so(clock):
    run_id = begun(rochallor.TIMER_INTERRUPTS)
    (held,) = polled("slow").values()
    clock.advance(2)
    make.tick()
    work("handler")
    assert done(held).applied is False
    assert make.statuses(run_id) == {"slow": "CANCELLED", "handler": "COMPLETED", "end": "COMPLETED"}
    assert status(run_id) == "COMPLETED"


def test_a_wait_is_signalled_by_the_id_of_its_step_and_sets_what_it_is_told():
    run_id = begun(rochallor.WAIT_SIGNAL, n=1)
    work("before")
    make.work()
    make.send(run_id, "wait", {"n": 2, "first-name": "Ann"})
    assert variables(run_id) == {"n": 2, "first-name": "Ann"}
    assert status(run_id) == "COMPLETED"


def test_a_signal_without_anything_sets_nothing():
    run_id = begun(rochallor.WAIT_SIGNAL, n=1)
    work("before")
    make.work()
    make.send(run_id, "wait", None)
    assert (status(run_id), variables(run_id)) == ("COMPLETED", {"n": 1})


def test_a_step_is_tried_again_as_often_as_it_says(clock):
    run_id = begun(rochallor.RETRY)
    for _ in range(2):
        make.fail(*make.claimed("flaky"), retryable=True)
        assert status(run_id) == "RUNNING"
        clock.advance(60)
    make.fail(*make.claimed("flaky"), retryable=True)
    assert status(run_id) == "FAILED"


def test_without_a_retry_count_a_step_is_tried_once():
    run_id = begun(rochallor.LINEAR)
    make.fail(*make.claimed("a"), retryable=True)
    assert status(run_id) == "FAILED"


def test_transformations_set_values_of_their_types():
    run_id = begun(rochallor.TRANSFORMATION)
    work("init", **DEFAULT)
    found = variables(run_id)
    assert (found["at"][:2], found["at"][-1]) == ("20", "Z")
    expected = {"fullName": "Alice", "greeting": "Hello", "score": 42, "fee": 6.0, "high": True}
    assert {name: found[name] for name in expected} == expected
    assert type(found["score"]) is int
    assert status(run_id) == "COMPLETED"


def test_conditions_behind_a_task_decide_where_it_leads():
    run_id = begun(rochallor.BEHIND_A_TASK)
    work("work", ok=False)
    work("bad")
    assert (status(run_id), make.statuses(run_id)["good"]) == ("COMPLETED", "SKIPPED")
    unmatched = begun(rochallor.BEHIND_A_TASK)
    work("work", ok="perhaps")
    assert "DecisionNoBranchMatched" in failure_reason(make.run(unmatched).error)


def test_a_loan_is_approved_at_once_by_its_scores():
    make.a_version(
        to_native(rochallor.document(rochallor.service("pay", "end"), name="LOS::loan-disbursement"), "s4")
    )
    run_id = begun(rochallor.LOAN, loanAmount=100000.0)
    work("validate")
    work("credit", creditScore=700)
    work("fraud", fraudScore=0)
    work("approve")
    assert status(run_id) == "COMPLETED"
    found = make.statuses(run_id)
    assert (found["approved"], found["rejected"], found["manual"]) == ("COMPLETED", "SKIPPED", "SKIPPED")


@pytest.mark.parametrize(("credit", "fraud"), [(400, 0.0), (700, 0.9)])
def test_a_loan_is_rejected_by_either_score(credit, fraud):
    run_id = begun(rochallor.LOAN, loanAmount=1)
    work("validate")
    work("credit", creditScore=credit)
    work("fraud", fraudScore=fraud)
    assert make.statuses(run_id)["rejected"] == "COMPLETED"
    assert (status(run_id), make.run(run_id).open_sinks) == ("COMPLETED", 0)


def test_a_loan_that_nobody_has_reviewed_for_two_days_is_escalated(clock):
    run_id = begun(rochallor.LOAN, loanAmount=1)
    work("validate")
    work("credit", creditScore=600)
    work("fraud", fraudScore=0)
    make.work()
    assert make.statuses(run_id)["manual"] == "WAITING"
    clock.advance(48 * 3600)
    make.tick()
    work("escalate")
    found = make.statuses(run_id)
    assert (found["manual"], found["escalated"]) == ("CANCELLED", "COMPLETED")
    assert (status(run_id), make.pending_timers(run_id)) == ("COMPLETED", [])


def test_a_signal_that_carries_no_object_fails_the_run():
    run_id = begun(rochallor.WAIT_SIGNAL)
    work("before")
    make.work()
    make.send(run_id, "wait", "paid")
    run = make.run(run_id)
    assert (run.status, run.error["code"]) == ("FAILED", "BadOutput")
