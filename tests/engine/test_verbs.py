"""What people may do by the statuses: each refusal has its reason, and nothing is offered that is refused."""

import pytest

from engine.statuses import RUN, RunStatus, StepStatus
from engine.verbs import (
    REPEATED,
    RUN_VERBS,
    changes_steps,
    run_verbs,
    step_verbs,
    why_not,
    why_not_step,
)


@pytest.mark.parametrize("verb", RUN_VERBS)
@pytest.mark.parametrize("status", RunStatus)
def test_a_verb_is_offered_iff_the_state_table_has_it_and_refused_with_a_reason_otherwise(status, verb):
    why = why_not(status, verb)
    assert (verb in run_verbs(status)) == ((status, verb) in RUN)
    assert (why is None) == ((status, verb) in RUN or (status, verb) in REPEATED)
    if why is not None:
        assert str(status) in why.sentence
        assert why.code.islower()


@pytest.mark.parametrize("verb", ["signal", "rerun", "migrate"])
@pytest.mark.parametrize("status", RunStatus)
def test_so_is_what_is_no_event_of_a_run(status, verb):
    why = why_not(status, verb)
    assert (why is None) == (verb in run_verbs(status))
    assert why is None or str(status) in why.sentence


@pytest.mark.parametrize("shown", ["PENDING", "WAITING"])
def test_what_is_only_shown_is_a_run_that_is_running(shown):
    assert run_verbs(shown) == run_verbs("RUNNING") == {"pause", "cancel", "signal", "migrate"}
    assert step_verbs(shown, "QUEUED", redone=False, undoes=False) == ("retry", "skip")


def test_a_paused_run_takes_signals_and_one_that_has_ended_may_be_repeated():
    assert run_verbs("PAUSED") == {"unpause", "cancel", "signal", "migrate"}
    assert run_verbs("COMPLETED") == {"rerun"}
    assert run_verbs("FAILED") == {"resume", "rerun"}
    assert changes_steps("FAILED", undoes=False)
    assert not changes_steps("FAILED", undoes=True)


def test_in_a_failed_run_only_what_failed_it_is_done_again():
    assert step_verbs("FAILED", "FAILED", redone=True, undoes=False) == ("retry", "skip")
    assert step_verbs("FAILED", "FAILED", redone=False, undoes=False) == ()
    assert step_verbs("FAILED", "COMPLETED", redone=False, undoes=False) == ()


def test_a_compensation_is_done_again_while_the_run_undoes_and_not_before():
    assert step_verbs("RUNNING", "QUEUED", redone=False, undoes=True) == ()
    assert step_verbs("COMPENSATING", "QUEUED", redone=False, undoes=True) == ("retry", "skip")
    assert step_verbs("WAITING_FOR_MANUAL_ACTION", "FAILED", redone=True, undoes=True) == ("retry", "skip")


@pytest.mark.parametrize("status", StepStatus)
def test_each_step_that_is_left_as_it_is_says_what_to_do_instead(status):
    assert "{" not in why_not_step(status, undoes=False)
    assert "{" not in why_not_step(status, undoes=True)
