"""A step fails for good, and the other branches go on to their ends before the run fails (R-060)."""

import pytest

from runs.commands import dead_letters, lifecycle, migration
from runs.kernel.advance import advance
from runs.kernel.refused import RunRefused
from runs.maintenance import leases, stuck
from runs.reading.presentation import found_run
from runs.store.attempts import Succeeded
from tests import factories as make
from tests import invariants
from tests.inbox.asking import member
from tests.runs.test_saga import ONCE, undoable, undone
from tests.store.watching import watching

pytestmark = pytest.mark.django_db

OTHERS = {"on_failure": "finish_others"}


def job(name, **more):
    return {"id": name, "type": "job", "queue": name, **ONCE, **more}


def branches(**more):
    """`a` leads to `b` and `c`, `c` to `d`, and all meet in `z`."""
    return make.graph([job(name) for name in "abcdz"], ["a>b", "a>c", "c>d", "b>z", "d>z"], **OTHERS | more)


def do(*names, output=None):
    for name in names:
        make.complete(*make.claimed(name), output=output if output is not None else {"of": name})


def fail(*names):
    for name in names:
        make.fail(*make.claimed(name))


def half_failed(**more):
    """A run of which `b` has failed while `c` is queued."""
    run_id = make.start(branches(**more))[0]
    do("a")
    fail("b")
    return run_id


def stands(run_id):
    return make.run(run_id).status, "".join(
        f"{name}{made[0]}" for name, made in make.statuses(run_id).items()
    )


@pytest.fixture(autouse=True)
def _sound():
    yield
    assert invariants.broken() == {}
    assert stuck.check() == 0


def test_the_others_go_on_to_their_ends_and_then_the_run_fails():
    run_id = half_failed()
    assert make.run(run_id).error["node"] == "b"
    do("c")
    assert stands(run_id) == ("RUNNING", "aCbFcCdQ")
    assert invariants.broken() == {}
    do("d")
    assert stands(run_id) == ("FAILED", "aCbFcCdC")
    run = make.run(run_id)
    assert (run.error["node"], run.error["code"]) == ("b", "Boom")
    assert [letter.node for letter in make.letters(run_id)] == ["b"]
    assert make.history(run_id)[-2:] == ["RUN_FAILING", "RUN_FAILED"]


def test_without_the_policy_the_run_stops_at_once():
    run_id = half_failed(on_failure="stop")
    assert stands(run_id) == ("FAILED", "aCbFcC")
    assert make.steps(run_id)["c"].cancel_cause == "failure"


def test_the_first_failure_is_the_runs_and_each_has_its_dead_letter():
    run_id = half_failed()
    fail("c")
    run = make.run(run_id)
    assert (run.status, run.error["node"]) == ("FAILED", "b")
    assert sorted(letter.node for letter in make.letters(run_id)) == ["b", "c"]


def test_what_ends_together_in_one_batch_fails_the_run_once():
    run_id = make.start(branches())[0]
    do("a")
    steps = make.claimed("b") + make.claimed("c")
    make.fail(*steps)
    assert make.run(run_id).status == "FAILED"
    assert make.history(run_id).count("RUN_FAILING") == 1


def test_a_resume_does_what_failed_and_the_run_completes():
    run_id = half_failed()
    do("c", "d")
    make.resume(run_id)
    do("b", "z")
    assert make.run(run_id).status == "COMPLETED"
    assert make.steps(run_id)["z"].input == {"b": {"of": "b"}, "d": {"of": "d"}}


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_failed_step_is_tried_again_while_the_others_go_on(when):
    run_id = half_failed()
    if when == "after":
        do("c")
    make.retry(run_id, "b")
    assert (make.run(run_id).status, make.run(run_id).error, make.run(run_id).life) == ("RUNNING", None, 1)
    assert [letter.resolution for letter in make.letters(run_id)] == ["redriven"]
    if when == "before":
        do("c")
    do("d", "b", "z")
    assert make.run(run_id).status == "COMPLETED"


def test_it_is_tried_again_with_another_input_and_history_says_who():
    run_id = half_failed()
    make.retry(run_id, "b", {"n": 2})
    (step,) = make.claimed("b")
    assert step.input == {"n": 2}
    events = make.events(run_id, "STEP_REQUEUED")
    assert [event.payload["by"] for event in events] == ["test", "test"]
    make.fail(step)
    do("c", "d")
    assert make.run(run_id).status == "FAILED"


def test_it_is_skipped_while_the_others_go_on():
    run_id = half_failed()
    make.skip(run_id, "b", {"of": "nobody"})
    do("c", "d", "z")
    assert make.run(run_id).status == "COMPLETED"
    assert make.steps(run_id)["z"].input["b"] == {"of": "nobody"}


def test_a_failed_sink_that_is_skipped_last_completes_the_run():
    run_id = make.start(make.graph([job("a"), job("b")], [], **OTHERS))[0]
    fail("a")
    make.skip(run_id, "a", 1)
    do("b")
    assert make.run(run_id).status == "COMPLETED"


def test_what_else_has_failed_is_tried_again_as_well():
    run_id = make.start(make.graph([job(name) for name in "abc"], [], **OTHERS))[0]
    fail("a", "b")
    make.retry(run_id, "a")
    assert stands(run_id) == ("RUNNING", "aQbQcQ")
    do("a", "b", "c")
    assert make.run(run_id).status == "COMPLETED"


def test_redriving_its_dead_letter_does_it_again_while_the_others_go_on():
    run_id = half_failed()
    done = dead_letters.redrive(member("ann", "admin"), make.letters(run_id))
    assert (len(done.done), done.refused) == (1, {})
    assert stands(run_id) == ("RUNNING", "aCbQcQ")


def test_an_open_run_is_not_resumed_and_one_that_did_not_fail_not_done_again():
    run_id = half_failed()
    with pytest.raises(RunRefused, match="Only a FAILED run"):
        make.resume(run_id)
    other = make.start(branches())[0]
    with pytest.raises(RunRefused, match="Only a FAILED run"):
        lifecycle.redo_failed(make.a_tenant().pk, [other], by="test")


def test_what_failed_is_held_when_it_is_tried_again_in_a_paused_run():
    run_id = half_failed()
    make.pause(run_id)
    make.retry(run_id, "b")
    assert make.claimed("b") == []
    make.unpause(run_id)
    do("b", "c", "d", "z")
    assert make.run(run_id).status == "COMPLETED"


def test_a_paused_run_goes_on_and_fails_when_it_is_unpaused():
    run_id = make.start(branches())[0]
    do("a")
    held = make.claimed("b")
    make.pause(run_id)
    make.fail(*held)
    assert stands(run_id) == ("PAUSED", "aCbFcQ")
    make.unpause(run_id)
    do("c", "d")
    assert make.run(run_id).status == "FAILED"


def test_a_cancel_ends_the_others():
    run_id = half_failed()
    make.cancel(run_id)
    assert stands(run_id) == ("CANCELLED", "aCbFcC")


def test_a_skip_of_the_last_open_step_fails_the_run():
    run_id = half_failed()
    do("c")
    make.skip(run_id, "d", None)
    assert make.run(run_id).status == "FAILED"


def test_a_lost_worker_of_the_last_one_fails_the_run(clock):
    run_id = half_failed()
    make.claimed("c")
    clock.advance(31)
    leases.sweep()
    run = make.run(run_id)
    assert (run.status, run.error["node"]) == ("FAILED", "b")


def test_an_expression_that_fails_is_a_failure_like_any_other():
    bad = {"id": "b", "type": "transform", "params": {"set": {"x": "{{ input.no }}"}}}
    run_id = make.start(make.graph([bad, job("c"), "z"], ["b>z", "c>z"], **OTHERS))[0]
    assert stands(run_id) == ("RUNNING", "bFcQ")
    make.retry(run_id, "b")
    assert stands(run_id) == ("RUNNING", "bFcQ")
    assert [event.payload["by"] for event in make.events(run_id, "STEP_WITHDRAWN")] == ["test"]
    make.skip(run_id, "b", {"x": 1})
    do("c")
    make.work()
    assert make.run(run_id).status == "COMPLETED"


def test_an_any_join_behind_the_failure_starts_by_another_branch():
    nodes = [job("a"), job("b"), job("c", join="any")]
    run_id = make.start(make.graph(nodes, ["a>c", "b>c"], **OTHERS))[0]
    fail("a")
    do("b", "c")
    run = make.run(run_id)
    assert (run.status, run.open_sinks) == ("FAILED", 0)
    make.resume(run_id)
    do("a")
    assert make.run(run_id).status == "COMPLETED"


def test_what_nothing_needs_any_more_is_not_awaited():
    nodes = [job("a"), job("b"), job("s"), job("c", join="any")]
    run_id = make.start(make.graph(nodes, ["a>c", "b>c", "s>c"], **OTHERS))[0]
    fail("a")
    do("b", "c")
    assert stands(run_id) == ("FAILED", "aFbCcCsC")
    assert make.steps(run_id)["s"].status == "CANCELLED"


def test_a_map_that_fails_leaves_its_items_and_the_others_go_on():
    each = {"id": "each", "type": "map", "params": {"items": [1, 2, 3], "body": {"type": "job"}}}
    run_id = make.start(make.graph([each, job("c")], [], **OTHERS))[0]
    make.work("engine")
    make.fail(make.claimed("each")[0])
    assert make.run(run_id).status == "RUNNING"
    assert {child.status for child in make.children(run_id, "each")} == {"FAILED", "CANCELLED"}
    do("c")
    assert make.run(run_id).status == "FAILED"


def test_what_was_done_meanwhile_is_undone_when_the_run_fails():
    nodes = [*undoable("a", "b"), job("bad")]
    run_id = make.start(make.graph(nodes, ["a>b"], **OTHERS))[0]
    fail("bad")
    do("a", "b")
    assert make.run(run_id).status == "COMPENSATING"
    assert undone() == ["b:compensate", "a:compensate"]
    assert make.run(run_id).status == "COMPENSATED"


def test_a_version_that_does_not_compile_here_stops_the_run_at_once():
    run_id = make.start(branches())[0]
    do("a")
    (step,) = make.claimed("b")
    with make.not_compiling(make.run(run_id).version_id):
        advance([(step, Succeeded({}))])
    run = make.run(run_id)
    assert (run.status, run.error["code"]) == ("FAILED", "BrokenVersion")


def test_it_says_that_it_fails_when_the_others_have_ended():
    run_id = half_failed()
    shown = found_run(make.a_tenant().pk, run_id)
    assert shown["waiting_for"].startswith(
        "The run fails when its other branches have ended: External job (c) waits"
    )
    assert shown["error"]["node"] == "b"
    assert {row["node"]: row["verbs"] for row in shown["steps"]}["b"] == ["retry", "skip"]


def test_an_open_run_with_a_failure_is_not_moved_to_another_version():
    run_id = half_failed()
    newer = make.newer(run_id, branches(title="Newer"))
    checked = migration.check_run(make.a_tenant().pk, run_id, newer.pk)
    assert [problem.code for problem in checked.problems] == ["step_unclear"]


def sent(name, **more):
    """The statements that the end of `c` sends, beside a failure of `b` or not."""
    run_id = make.start(branches(**more))[0]
    do("a")
    if name == "failed":
        fail("b")
    step = make.claimed("c")
    with watching() as seen:
        make.complete(*step, output={})
    make.cancel(run_id)
    return seen.named


def test_a_run_of_which_nothing_has_failed_sends_what_it_always_sent():
    assert sent("well") == sent("well", on_failure="stop")
    assert set(sent("failed")) - set(sent("well")) == {"lock_heavy", "runs_at_their_end"}
