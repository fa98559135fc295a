"""The words of a request for each status of a run, each reason why a step is open, and each kind of wait."""

from datetime import timedelta
from types import SimpleNamespace
from uuid import uuid4

import pytest

from engine.catalogue import Json
from engine.statuses import RUN_ENDED, RunStatus, StepStatus
from lib.clock import now_here
from runs.kernel import wait_kinds
from runs.reading.people_asked import OpenTask, Standing
from runs.reading.request_states import (
    _AFTER,
    WRONG,
    Facts,
    Failure,
    OpenStep,
    has_failed,
    open_step,
    state_of,
)
from runs.reading.step_waits import Reason, reason_of

WAITS: dict[str, Json] = {
    "timer": {"kind": "timer", "until": "2099-05-03T09:00:00+00:00"},
    "signal": {"kind": "signal", "name": "secret_name"},
    "operator": {"kind": "operator"},
    "children": {"kind": "children", "total": 3},
    "run": {"kind": "run", "workflow": "secret_name"},
    "task": {
        "kind": "task",
        "task": {"kind": "approval", "title": "secret_name", "candidates": {"users": ["ann"]}},
    },
}
NO = Standing(refused=1, decided=1)


def a_step(status: str, **others: Json) -> Json:
    values = {
        "status": status,
        "attempt": 1,
        "held": False,
        "queue": "secret_name",
        "worker": "secret_name",
        "has_error": False,
        "available_at": "2026-05-03T09:00:00+00:00",
        "lease_expires_at": None,
        "waiting": None,
        "is_listened": None,
    }
    return SimpleNamespace(**{**values, **others})


STEPS = {
    Reason.STEP_PAUSED: a_step("QUEUED", held=True, waiting={"kind": "operator"}),
    Reason.RUN_PAUSED: a_step("QUEUED", held=True),
    Reason.RETRY: a_step("QUEUED", has_error=True),
    Reason.QUEUE: a_step("QUEUED"),
    Reason.AT_WORK: a_step("RUNNING"),
    Reason.WAIT: a_step("WAITING", waiting=WAITS["signal"]),
}


def opened(step: Json, title: str | None = None) -> OpenStep:
    found = open_step(step, title, None)
    assert found is not None
    return found


def test_each_kind_of_wait_and_each_reason_has_an_example_here():
    assert set(WAITS) == set(wait_kinds.kinds())
    assert set(STEPS) == set(Reason)
    assert {reason: reason_of(step) for reason, step in STEPS.items()} == {one: one for one in Reason}
    statuses = {step.status for step in STEPS.values()}
    assert statuses == {StepStatus.QUEUED, StepStatus.RUNNING, StepStatus.WAITING}
    assert all(reason_of(a_step(status)) is None for status in set(StepStatus) - statuses)


def test_each_status_in_which_a_run_can_have_failed_has_words():
    assert set(_AFTER) == {one for one in RunStatus if has_failed(one, has_error=True)}


@pytest.mark.parametrize("kind", WAITS)
def test_each_wait_is_told_without_names(kind):
    state = state_of(Facts(RunStatus.RUNNING, False, steps=[opened(a_step("WAITING", waiting=WAITS[kind]))]))
    says = {
        "timer": "Waiting until 2099-05-03 09:00:00 UTC",
        "signal": "Waiting for an external confirmation",
        "operator": "An operator has to act",
        "children": "In progress",
        "run": "In progress",
        "task": "Waiting for a person",
    }
    assert (state.words, state.holder) == (says[kind], None)


@pytest.mark.parametrize("reason", Reason)
def test_each_open_step_is_told_without_names(reason):
    state = state_of(Facts(RunStatus.RUNNING, False, steps=[opened(STEPS[reason])]))
    assert state.words
    assert "secret_name" not in state.words
    assert "wrong" not in state.words
    assert state_of(Facts(RunStatus.RUNNING, False, steps=[opened(STEPS[reason], "Pay")])).holder == "Pay"


@pytest.mark.parametrize("status", RunStatus)
@pytest.mark.parametrize("cancelled", [False, True])
@pytest.mark.parametrize("standing", [Standing(), NO, Standing(refused=1, decided=3)])
@pytest.mark.parametrize("failure", [None, Failure(), Failure(True, "Not in budget.")])
@pytest.mark.parametrize("reason", [None, *Reason])
def test_each_state_has_words_that_hold(status, cancelled, standing, failure, reason):
    if failure is not None and not has_failed(status, has_error=True):
        failure = None
    steps = [opened(STEPS[reason])] if reason else []
    is_over = status in RUN_ENDED
    state = state_of(Facts(status, is_over, cancelled, True, standing, steps, failure))
    assert state.words
    assert "secret_name" not in state.words
    if cancelled or status in (RunStatus.CANCELLED, RunStatus.CANCELLING):
        assert state.words.startswith("Withdrawn" if is_over else "Being withdrawn")
    elif failure is not None and failure.is_authored and standing.decided:
        assert state.words.startswith(("Refused: Not in budget", "1 of 3 refused: Not in budget"))
        assert state.text == failure.message
    elif standing.refused and (failure is not None or status == RunStatus.COMPLETED):
        assert "refused" in state.words.lower()
    if not standing.decided:
        assert "Not in budget" not in state.words + state.text
    if state.words == WRONG:
        assert status == RunStatus.FAILED
        assert not standing.refused


def test_what_is_told_of_a_failure():
    def words(status, failure, standing=NO) -> str:
        return state_of(Facts(status, False, standing=standing, failure=failure)).words

    said = Failure(True, "Not in budget.")
    assert words(RunStatus.FAILED, said) == "Refused: Not in budget."
    assert words(RunStatus.FAILED, said, Standing(decided=1)) == "Not done: Not in budget."
    assert words(RunStatus.FAILED, said, Standing()) == "Not done; operators see why"
    assert words(RunStatus.FAILED, Failure(), Standing()) == WRONG
    assert words(RunStatus.FAILED, Failure()) == "Refused; something went wrong afterwards, operators see it"
    undoing = "Refused: Not in budget; what was done is being undone"
    assert words(RunStatus.COMPENSATING, said) == undoing
    assert words(RunStatus.COMPENSATED, said) == "Refused: Not in budget; what was done was undone"
    assert words(RunStatus.WAITING_FOR_MANUAL_ACTION, Failure(), Standing()) == "An operator has to act"
    assert words(RunStatus.RUNNING, Failure(), Standing()) == (
        "Something went wrong; what is under way is finished first"
    )


def test_of_several_the_one_that_says_most_is_told():
    timer, signal, operator = (
        opened(a_step("WAITING", waiting=WAITS[kind])) for kind in ("timer", "signal", "operator")
    )
    at_work = opened(STEPS[Reason.AT_WORK])
    task = OpenTask(uuid4(), "OK?", "Claims", False, now_here() - timedelta(hours=1), now_here(), uuid4())
    people = Standing([task])

    def words(*steps: OpenStep, standing: Standing | None = None) -> str:
        return state_of(Facts(RunStatus.RUNNING, False, standing=standing or Standing(), steps=steps)).words

    assert words(timer, at_work) == "In progress"
    assert words(timer, at_work, operator) == "An operator has to act"
    assert words(signal, timer).startswith("Waiting")
    assert words(timer, operator, standing=people) == "Waiting for Claims; the deadline has passed"
    assert state_of(Facts(RunStatus.PAUSED, False, standing=people)).words == "Paused by operators"
    assert words() == "In progress"


def test_a_moment_that_has_passed_is_not_waited_for():
    past = opened(
        a_step("WAITING", waiting={"kind": "timer", "until": (now_here() - timedelta(minutes=1)).isoformat()})
    )
    assert state_of(Facts(RunStatus.RUNNING, False, steps=[past])).words == "In progress"
    due = (now_here() + timedelta(hours=1)).isoformat()
    retry = opened(a_step("QUEUED", has_error=True, available_at=due))
    assert state_of(Facts(RunStatus.RUNNING, False, steps=[retry])).words.startswith(
        "Waiting for another attempt, due 2"
    )
