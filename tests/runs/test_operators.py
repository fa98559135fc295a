"""Retry and skip of one step: each is part of the one operation that reopens a run, and each is audited (R-075)."""

import pytest

from runs.kernel.refused import RunRefused
from tests import factories as make

pytestmark = pytest.mark.django_db

ONCE = {"retry": "none"}


def nodes(*names, **extra):
    return [{"id": name, **ONCE, **extra} for name in names]


def by_node(queue="default"):
    return {step.node: step for step in make.claimed(queue)}


def failed(definition, *nodes_to_fail, given=None):
    """A run of which these nodes have failed, and others of the first batch completed."""
    run_id = make.start(definition, given or {"n": 1})[0]
    step = by_node()
    make.fail(*(step.pop(node) for node in nodes_to_fail))
    make.complete(*step.values())
    return run_id


def test_a_retry_with_another_input_runs_with_it_and_history_keeps_both_digests():
    run_id = failed(make.graph(nodes("a", "b"), ["a>b"]), "a")

    make.retry(run_id, "a", {"n": 2})
    make.work()

    assert make.run(run_id).status == "COMPLETED"
    assert make.run(run_id).output == {"n": 2}
    assert make.run(run_id).input == {"n": 1}
    said = make.events(run_id, "STEP_REQUEUED")[-1].payload
    assert (said["by"], said["reason"]) == ("test", "because")
    assert len(said["input_digest"]) == len(said["replaced_digest"]) == 64
    assert said["input_digest"] != said["replaced_digest"]


def test_retry_of_one_of_two_failed_steps_runs_both_again():
    """docs/engine.md, "Failure, pause, cancel"."""
    run_id = failed(make.graph(nodes("a", "b", "c"), ["a>c", "b>c"]), "a", "b")

    make.retry(run_id, "a", {"n": 5})
    make.work()

    assert make.run(run_id).status == "COMPLETED"
    assert make.run(run_id).output == {"a": {"n": 5}, "b": {"n": 1}}
    assert [letter.resolution for letter in make.letters(run_id)] == ["redriven"] * len(make.letters(run_id))


def test_a_retry_resolves_the_edges_of_what_completed_while_the_run_failed():
    run_id = make.start(make.graph(nodes("a", "b", "c", "d"), ["a>c", "b>d"]), {"n": 1})[0]
    step = by_node()
    make.fail(step["a"])
    make.complete(step["b"], output={"b": 1})

    make.retry(run_id, "a")
    assert make.statuses(run_id) == {"a": "QUEUED", "b": "COMPLETED", "d": "QUEUED"}
    make.work()

    assert make.run(run_id).output == {"c": {"n": 1}, "d": {"b": 1}}


def test_a_step_that_backs_off_is_tried_at_once_and_its_old_holder_is_fenced(clock):
    run_id = make.start(
        make.graph([{"id": "a", "retry": {"base_seconds": 3600, "max_retries": 3}}], []), {"n": 1}
    )[0]
    before = by_node()["a"]
    make.fail(before, retryable=True)
    assert by_node() == {}

    make.retry(run_id, "a", {"n": 9})

    step = make.steps(run_id)["a"]
    assert (step.status, step.attempt, step.epoch, step.error) == ("QUEUED", 0, 2, None)
    assert make.complete(before).applied == set()
    make.work()
    assert make.run(run_id).output == {"n": 9}


@pytest.mark.parametrize("kind", ["noop", "transform"])
def test_a_step_whose_mapping_failed_takes_the_edited_input(kind):
    broken = {"id": "b", "type": kind, "input": {"x": "{{ input.missing.deeper }}"}, **ONCE}
    if kind == "transform":
        broken["params"] = {"set": {"x": "{{ prev.x }}"}}
    run_id = make.start(make.graph([*nodes("a"), broken], ["a>b"]), {"n": 1})[0]
    make.work()
    assert make.run(run_id).status == "FAILED"

    make.retry(run_id, "b", {"x": 7})
    make.work()

    assert make.run(run_id).status == "COMPLETED"
    assert make.run(run_id).output == {"x": 7}


def test_a_skip_counts_as_done_with_the_output_that_was_given():
    run_id = failed(make.graph(nodes("a", "b"), ["a>b"]), "a")

    make.skip(run_id, "a", {"by": "hand"})
    make.work()

    assert make.run(run_id).output == {"by": "hand"}
    assert make.statuses(run_id) == {"a": "SKIPPED", "b": "COMPLETED"}
    said = make.events(run_id, "STEP_SKIPPED")[-1].payload
    assert (said["by"], said["reason"], said["was"], said["taken"]) == ("test", "because", "FAILED", ["b"])


def test_the_output_of_a_skipped_sink_is_that_of_the_run():
    run_id = failed(make.graph(nodes("a"), []), "a")

    make.skip(run_id, "a", {"by": "hand"})

    assert (make.run(run_id).status, make.run(run_id).output) == ("COMPLETED", {"by": "hand"})


def test_a_skipped_sink_among_several_is_in_the_output():
    run_id = failed(make.graph(nodes("a", "b"), []), "a", "b")

    make.skip(run_id, "a", {"by": "hand"})
    make.work()

    assert make.run(run_id).output == {"a": {"by": "hand"}, "b": {"n": 1}}


def test_a_skip_feeds_a_join_and_expressions_see_it():
    told = {"id": "c", "input": {"was": "{{ steps.a.output.by }}"}, **ONCE}
    run_id = failed(make.graph([*nodes("a", "b"), told], ["a>c", "b>c"]), "a")

    make.skip(run_id, "a", {"by": "hand"})
    make.work()

    assert make.run(run_id).output == {"was": "hand"}


def test_a_wait_is_skipped_and_nothing_of_it_is_left(clock):
    waits = {"id": "w", "type": "signal", "params": {"name": "go", "timeout_seconds": 60}}
    run_id = make.start(make.graph([waits, "b"], ["w>b"]))[0]
    make.work("engine")
    assert make.statuses(run_id) == {"w": "WAITING"}

    make.skip(run_id, "w", {"went": True})
    make.work()

    assert make.pending_timers(run_id) == []
    assert make.run(run_id).output == {"went": True}
    clock.advance(300)
    assert make.tick() == 0


def test_a_skip_of_a_step_whose_input_could_not_be_made():
    broken = {"id": "b", "input": {"x": "{{ input.missing.deeper }}"}, **ONCE}
    run_id = make.start(make.graph([*nodes("a"), broken, *nodes("c")], ["a>b", "b>c"]), {"n": 1})[0]
    make.work()

    make.skip(run_id, "b", {"x": 1})
    make.work()

    assert make.run(run_id).output == {"x": 1}
    assert make.statuses(run_id)["b"] == "SKIPPED"


def test_a_skip_of_a_decision_takes_the_branch_that_its_output_says():
    edges = [{"from": "a", "to": "x", "branch": "left"}, {"from": "a", "to": "y", "branch": "right"}]
    run_id = failed(make.graph(nodes("a", "x", "y"), edges), "a")

    with pytest.raises(RunRefused) as refused:
        make.skip(run_id, "a", {"branch": "nowhere"})
    assert (refused.value.code, refused.value.field) == ("leads_nowhere", "output")
    assert make.run(run_id).status == "FAILED"

    make.skip(run_id, "a", {"branch": "right"})
    make.work()
    assert make.statuses(run_id) == {"a": "SKIPPED", "x": "SKIPPED", "y": "COMPLETED"}
    assert make.run(run_id).output == {"branch": "right"}


def test_a_skip_while_the_run_is_paused_starts_nothing():
    run_id = make.start(make.graph(nodes("a", "b"), ["a>b"]), {"n": 1})[0]
    make.pause(run_id)

    make.skip(run_id, "a", {"n": 2})

    assert make.statuses(run_id) == {"a": "SKIPPED", "b": "QUEUED"}
    assert make.claimed() == []
    make.unpause(run_id)
    make.work()
    assert make.run(run_id).output == {"n": 2}


def test_what_cannot_be_retried_or_skipped_says_why():
    run_id = make.start(make.graph(nodes("a", "b"), ["a>b"]), {"n": 1})[0]
    for verb in (make.retry, lambda run, node: make.skip(run, node, {})):
        with pytest.raises(RunRefused, match="has not reached b"):
            verb(run_id, "b")
    held = by_node()["a"]
    for verb in (make.retry, lambda run, node: make.skip(run, node, {})):
        with pytest.raises(RunRefused, match="a worker is running it"):
            verb(run_id, "a")
    make.complete(held)
    with pytest.raises(RunRefused, match="it is done; rerun"):
        make.skip(run_id, "a", {})
    make.work()
    with pytest.raises(RunRefused, match="The run is COMPLETED"):
        make.retry(run_id, "a")


def test_a_failure_that_edges_took_up_is_not_retried():
    run_id = make.start(
        make.graph([{"id": "a", "on_error": "continue", **ONCE}, *nodes("b")], ["a>b"]), {"n": 1}
    )[0]
    make.fail(by_node()["a"])
    with pytest.raises(RunRefused, match="dealt with by its edges"):
        make.retry(run_id, "a")


def test_a_run_that_undid_something_is_not_retried():
    paid = {"id": "a", "compensate": {"type": "noop"}, **ONCE}
    run_id = make.start(make.graph([paid, *nodes("b")], ["a>b"]), {"n": 1})[0]
    make.complete(*make.claimed())
    make.fail(*make.claimed())
    make.work()
    assert make.run(run_id).status == "COMPENSATED"
    with pytest.raises(RunRefused, match="COMPENSATED"):
        make.retry(run_id, "b")
