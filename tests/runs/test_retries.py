"""Retries: when the next attempt comes, how many there are, and what is not tried again."""

import sys

import pytest

from engine import macros
from runs.commands import jobs
from runs.maintenance import due
from tests import factories as make

pytestmark = pytest.mark.django_db

STEADY = {"max_retries": 3, "base_seconds": 2, "factor": 2, "max_seconds": 300, "jitter": 0}


def one(**node):
    return make.graph([{"id": "a", "retry": STEADY, **node}], [])


def test_retries_wait_2_4_and_8_seconds_and_the_fourth_failure_is_final(clock):
    """H-1: retry while attempt_count <= max_retries; delay 2^attempt_count. H-21, H-22: the delay is kept, too."""
    run_id = make.start(one())[0]
    for attempt, wait in ((1, 2), (2, 4), (3, 8)):
        step = make.claimed()[0]
        assert step.attempt == attempt
        make.fail(step, retryable=True)
        clock.advance(wait - 0.001)
        assert make.claimed() == []
        assert due.hint() == 0
        clock.advance(0.001)
        assert due.hint() == 1

    make.fail(make.claimed()[0], retryable=True)

    step = make.steps(run_id)["a"]
    assert (step.status, step.attempt, step.epoch) == ("FAILED", 4, 4)
    assert make.run(run_id).status == "FAILED"
    assert [letter.attempts for letter in make.letters(run_id)] == [4]
    assert make.history(run_id) == [
        "RUN_STARTED",
        *["ATTEMPT_FAILED a"] * 3,
        "STEP_FAILED a",
        "RUN_FAILING",
        "RUN_FAILED",
    ]


def test_a_failure_that_is_not_retryable_is_final_at_once():
    run_id = make.start(one())[0]

    make.fail(make.claimed()[0], retryable=False)

    assert make.run(run_id).status == "FAILED"
    assert make.run(run_id).error == {
        "code": "Boom",
        "message": "It went wrong.",
        "node": "a",
        "retryable": False,
    }


def test_a_code_that_the_definition_calls_non_retryable_is_final_at_once():
    run_id = make.start(one(retry=STEADY | {"non_retryable": ["CardDeclined"]}))[0]

    make.fail(make.claimed()[0], code="CardDeclined", retryable=True)

    assert make.statuses(run_id) == {"a": "FAILED"}


def test_a_history_of_attempts_tells_error_worker_and_wait(clock):
    run_id = make.start(one())[0]
    make.fail(make.claimed(worker="somebody")[0], retryable=True)

    event = make.events(run_id, "ATTEMPT_FAILED")[0]

    assert event.attempt == 1
    assert event.payload["worker"] == "somebody"
    assert event.payload["error"]["code"] == "Boom"
    assert event.payload["retry_in"] == 2.0
    assert event.payload["epoch"] == 1


def test_an_ordinary_failure_of_a_step_that_happened_to_be_claimed_alone_does_not_make_it_run_alone(clock):
    """Else a retry would wait until its queue is empty: only a lost lease calls for running alone."""
    run_id = make.start(one())[0]
    make.fail(make.claimed()[0], retryable=True)
    clock.advance(2)
    make.start(make.chain("noop"))

    assert run_id in {step.run_id for step in make.claimed()}


def test_a_failed_step_with_continue_hands_its_error_on_as_output():
    run_id = make.start(make.graph([{"id": "a", "on_error": "continue"}, "b"], ["a>b"]))[0]

    make.fail(make.claimed()[0])
    make.work()

    assert make.statuses(run_id) == {"a": "FAILED", "b": "COMPLETED"}
    assert make.run(run_id).status == "COMPLETED"
    assert make.run(run_id).output["error"]["code"] == "Boom"
    assert make.letters(run_id) == []


def test_a_failed_step_with_branch_takes_its_error_edges_only():
    edges = ["a>b", {"from": "a", "to": "c", "on": "error"}]
    run_id = make.start(make.graph([{"id": "a", "on_error": "branch"}, "b", "c"], edges))[0]

    make.fail(make.claimed()[0])
    make.work()

    assert make.statuses(run_id) == {"a": "FAILED", "b": "SKIPPED", "c": "COMPLETED"}
    assert make.run(run_id).status == "COMPLETED"


def test_a_sink_that_failed_with_continue_lets_its_run_complete():
    run_id = make.start(make.graph([{"id": "a", "on_error": "continue"}], []))[0]

    make.fail(make.claimed()[0])

    assert (make.run(run_id).status, make.run(run_id).output) == ("COMPLETED", None)


@pytest.mark.parametrize(
    ("node", "then"),
    [({"type": "text.summarize"}, "COMPLETED"), ({"type": "job", "queue": "mine"}, "RUNNING")],
    ids=["text", "job"],
)
def test_an_expression_that_this_machine_cannot_evaluate_now_is_tried_again(node, then, clock, monkeypatch):
    """List macros need a child process; that there is none says nothing about the expression."""
    params = {"sentences": "{{ size([1, 2].map(n, n)) }}"}
    run_id = make.start(one(params=params, **node), {"text": "Hi."})[0]

    with monkeypatch.context() as patch:
        patch.setattr(macros, "_current", None)
        patch.setattr(sys, "executable", "/nowhere/python")
        take_it_on()
    assert make.history(run_id) == ["RUN_STARTED", "ATTEMPT_FAILED a"]

    clock.advance(2)
    take_it_on()
    assert make.statuses(run_id) == {"a": then}


def take_it_on():
    """What workers of both kinds do when they look for work."""
    make.work()
    jobs.poll(tenant=make.a_tenant().pk, worker="w", queues=["mine"], max_jobs=1)
