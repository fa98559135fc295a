"""A step that has failed asks an operator what becomes of that, instead of failing its run (R-060)."""

import pytest

from runs.commands import dead_letters
from runs.commands.lifecycle import cancel_runs
from runs.kernel.refused import RunRefused
from runs.maintenance import leases, stuck
from runs.reading.presentation import found_run
from tests import factories as make
from tests import invariants
from tests.inbox.asking import approval, member
from tests.runs.test_finish_others import do, fail, job, stands
from tests.runs.test_saga import undone

pytestmark = pytest.mark.django_db

ASK = {"on_error": "ask"}


@pytest.fixture(autouse=True)
def _sound():
    yield
    assert invariants.broken() == {}
    assert stuck.check() == 0


def asked(**more):
    """A run of which `a` has failed and asks; `b` comes after it."""
    run_id = make.start(make.graph([job("a", **ASK, **more), job("b")], ["a>b"]))[0]
    fail("a")
    return run_id


def letters(run_id):
    return [(letter.node, letter.resolution) for letter in make.letters(run_id)]


def discard(run_id):
    return dead_letters.discard(member("ann", "admin"), make.letters(run_id), reason="no use")


def test_it_waits_with_its_error_and_a_dead_letter():
    run_id = asked()
    assert stands(run_id) == ("RUNNING", "aW")
    step = make.steps(run_id)["a"]
    assert (step.error["code"], step.completed_at) == ("Boom", None)
    assert letters(run_id) == [("a", None)]
    shown = found_run(make.a_tenant().pk, run_id)
    assert shown["waiting_for"] == "External job (a) waits for an operator to decide about its failure"
    assert (shown["status"], shown["steps"][0]["verbs"]) == ("WAITING", ["retry", "skip"])
    (event,) = make.events(run_id, "STEP_WAITING")
    assert (event.payload["kind"], event.payload["error"]["code"]) == ("operator", "Boom")


def test_attempts_that_are_left_come_before_it_asks(clock):
    run_id = make.start(make.graph([job("a", **ASK) | {"retry": {"max_retries": 1, "jitter": 0}}], []))[0]
    make.fail(*make.claimed("a"), retryable=True)
    assert stands(run_id) == ("RUNNING", "aQ")
    clock.advance(10)
    make.fail(*make.claimed("a"), retryable=True)
    assert stands(run_id) == ("RUNNING", "aW")


def test_it_is_tried_again_with_another_input():
    run_id = asked()
    make.retry(run_id, "a", {"n": 2})
    assert letters(run_id) == [("a", "redriven")]
    (step,) = make.claimed("a")
    assert (step.input, step.attempt) == ({"n": 2}, 1)
    make.complete(step, output={})
    do("b")
    assert make.run(run_id).status == "COMPLETED"


def test_what_fails_again_asks_again():
    run_id = asked()
    make.retry(run_id, "a")
    fail("a")
    assert stands(run_id) == ("RUNNING", "aW")
    assert letters(run_id) == [("a", "redriven"), ("a", None)]


def test_it_is_skipped_with_an_output_of_somebodys():
    run_id = asked()
    make.skip(run_id, "a", {"of": "ann"})
    assert letters(run_id) == [("a", "discarded")]
    assert make.claimed("b")[0].input == {"of": "ann"}


def test_left_as_it_is_it_fails_the_run():
    run_id = asked()
    assert len(discard(run_id)) == 1
    run = make.run(run_id)
    assert (run.status, run.error["node"], run.error["code"]) == ("FAILED", "a", "Boom")
    assert letters(run_id) == [("a", "discarded")]
    make.resume(run_id)
    do("a", "b")
    assert make.run(run_id).status == "COMPLETED"


def test_left_as_it_is_beside_others_these_go_on():
    nodes = [job("a", **ASK), job("b")]
    run_id = make.start(make.graph(nodes, [], on_failure="finish_others"))[0]
    fail("a")
    discard(run_id)
    assert stands(run_id) == ("RUNNING", "aFbQ")
    do("b")
    assert make.run(run_id).status == "FAILED"


def test_redriving_its_letter_tries_it_again():
    run_id = asked()
    done = dead_letters.redrive(member("ann", "admin"), make.letters(run_id))
    assert (len(done.done), done.refused) == (1, {})
    assert stands(run_id) == ("RUNNING", "aQ")


def test_in_a_paused_run_it_is_held_until_that_goes_on():
    run_id = asked()
    make.pause(run_id)
    make.retry(run_id, "a")
    assert make.claimed("a") == []
    make.unpause(run_id)
    do("a", "b")
    assert make.run(run_id).status == "COMPLETED"


def test_a_cancel_ends_it_and_another_failure_too():
    run_id = asked()
    make.cancel(run_id)
    assert stands(run_id) == ("CANCELLED", "aC")
    run_id = make.start(make.graph([job("a", **ASK), job("b")], []))[0]
    fail("a", "b")
    assert stands(run_id) == ("FAILED", "aCbF")
    make.resume(run_id)
    do("a", "b")
    assert make.run(run_id).status == "COMPLETED"


def test_a_timer_beside_it_runs_on_and_leads_away(clock):
    timer = {"boundary_timers": [{"after_seconds": 60, "to": "late"}]}
    run_id = make.start(make.graph([job("a", **ASK, **timer), job("late")], []))[0]
    fail("a")
    clock.advance(61)
    make.tick()
    assert make.steps(run_id)["a"].cancel_cause == "timer"
    assert letters(run_id) == [("a", "discarded")]
    do("late")
    assert make.run(run_id).status == "COMPLETED"


def test_edges_of_which_none_holds_ask_too():
    edges = [{"from": "a", "to": "b", "branch": "x"}]
    run_id = make.start(make.graph([job("a", **ASK), job("b")], edges))[0]
    do("a", output={"branch": "y"})
    assert stands(run_id) == ("RUNNING", "aW")
    with pytest.raises(RunRefused, match="conditional connections"):
        make.skip(run_id, "a", {"branch": "z"})
    make.skip(run_id, "a", {"branch": "x"})
    do("b")
    assert make.run(run_id).status == "COMPLETED"


def test_a_signal_that_does_not_come_asks(clock):
    signal = {"id": "a", "type": "signal", "params": {"name": "x", "timeout_seconds": 30}, **ASK}
    run_id = make.start(make.graph([signal], []))[0]
    make.work("engine")
    clock.advance(31)
    make.tick()
    assert make.steps(run_id)["a"].waiting["kind"] == "operator"
    make.retry(run_id, "a")
    make.work("engine")
    assert make.send(run_id, "x", 1)
    assert make.run(run_id).status == "COMPLETED"


def test_a_person_who_does_not_decide_in_time_is_asked_no_more(clock):
    definition = approval(due_seconds=30, on_timeout="fail")
    definition["nodes"][0] |= ASK
    run_id = make.start(definition, {"amount": 1})[0]
    make.work("engine")
    clock.advance(31)
    make.tick()
    (name,) = [name for name, step in make.steps(run_id).items() if step.status == "WAITING"]
    assert make.steps(run_id)[name].waiting["kind"] == "operator"


def test_a_map_that_fails_asks_and_does_the_failed_items_again():
    each = {"id": "a", "type": "map", "params": {"items": [1, 2], "body": {"type": "job"}}, **ASK}
    run_id = make.start(make.graph([each], []))[0]
    make.work("engine")
    one, two = make.claimed("a")
    make.complete(one, output="one")
    make.fail(two)
    assert make.steps(run_id)["a"].waiting["kind"] == "operator"
    make.retry(run_id, "a")
    make.work("engine")
    do("a", output="two")
    assert make.run(run_id).status == "COMPLETED"


def test_a_lost_worker_asks_when_its_attempts_are_used_up(clock):
    run_id = make.start(make.graph([job("a", **ASK)], []))[0]
    make.claimed("a")
    clock.advance(31)
    leases.sweep()
    assert stands(run_id) == ("RUNNING", "aW")


@pytest.mark.parametrize(("code", "ends"), [("Timeout", "COMPENSATING"), ("Boom", "CANCELLED")])
def test_what_asks_and_nobody_knows_the_outcome_of_is_undone(code, ends):
    node = job("a", **ASK, compensate={"type": "job", "queue": "undo", "retry": "none"})
    run_id = make.start(make.graph([node], []))[0]
    make.fail(*make.claimed("a"), code=code)
    cancel_runs(make.a_tenant().pk, [run_id], by="test", compensate=True)
    assert make.run(run_id).status == ends
    undone()
    assert make.run(run_id).status == "CANCELLED"
