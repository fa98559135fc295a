"""Verbs on one item of a container, in every state it may be in."""

import pytest

from runs.commands import operators
from runs.kernel.refused import RunRefused
from tests import factories as make
from tests.invariants import broken
from tests.runs.items_at_hand import JOB, act, at_hand, counts, mapped, refused, statuses

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def whole():
    """Whatever a test did, rows and history agree."""
    yield
    assert not broken()


def test_a_failed_item_of_a_failed_map_is_tried_again():
    run_id = mapped()
    work = at_hand()
    make.complete(work[0], work[2])
    make.fail(work[1])
    assert make.run(run_id).status == "FAILED"
    act(run_id, 1, "retry")
    make.work("engine")
    assert (make.run(run_id).status, statuses(run_id)) == ("RUNNING", ["COMPLETED", "QUEUED", "COMPLETED"])
    make.work()
    assert make.run(run_id).output == {"results": [0, 1, 2]}


def test_of_a_failed_map_other_items_that_failed_are_done_again_too():
    run_id = mapped(tolerate_failures=1)
    make.fail(*at_hand().values())
    act(run_id, 1, "resume")
    make.work("engine")
    assert statuses(run_id) == ["QUEUED"] * 3
    # It is asked for what happens anyhow: nothing is said against it, and nothing changes.
    act(run_id, 2, "skip", output="by hand")
    assert statuses(run_id) == ["QUEUED", "QUEUED", "SKIPPED"]
    make.work()
    assert make.run(run_id).output == {"results": [0, 1, "by hand"]}


def test_a_failed_item_of_a_failed_map_is_skipped():
    run_id = mapped()
    work = at_hand()
    make.complete(work[0], work[2])
    make.fail(work[1])
    act(run_id, 1, "skip", output="by hand")
    make.work()
    assert make.run(run_id).output == {"results": [0, "by hand", 2]}
    assert make.history(run_id).count("STEP_COMPLETED each") == 3


def test_what_was_skipped_stays_so_when_the_run_is_resumed_once_more():
    run_id = mapped(count=2)
    make.fail(*at_hand().values())
    act(run_id, 0, "skip", output="by hand")
    make.work("engine")
    make.fail(*at_hand().values())
    make.resume(run_id)
    make.work()
    assert make.run(run_id).output == {"results": ["by hand", 1]}


@pytest.mark.parametrize("status", ["QUEUED", "RUNNING"])
def test_a_container_that_is_about_to_begin_again_is_tried_again_already(status):
    run_id = mapped(count=2)
    make.fail(*at_hand().values())
    make.resume(run_id)
    held = make.claimed("engine") if status == "RUNNING" else []
    act(run_id, 0, "retry")
    act(run_id, 1, "skip", output="by hand")
    assert refused(run_id, 0, "cancel") == f"container_is_{status.lower()}"
    for step in held:
        make.change(step, status="QUEUED", lease_expires_at=None, worker=None)
    make.work()
    assert make.run(run_id).output == {"results": [0, "by hand"]}


def test_a_tolerated_failure_is_tried_again_while_the_others_go_on():
    run_id = mapped(tolerate_failures=1)
    make.fail(at_hand()[1])
    assert counts(run_id) == (3, 1, 1)
    act(run_id, 1, "retry")
    assert (counts(run_id), statuses(run_id)[1]) == ((3, 0, 0), "QUEUED")
    make.fail(*at_hand().values())
    assert counts(run_id) == (3, 1, 1)


def test_it_waits_for_its_turn_where_as_many_are_worked_on_as_may_be():
    run_id = mapped(tolerate_failures=1, max_concurrency=1)
    make.fail(*at_hand().values())
    (second,) = at_hand().values()
    act(run_id, 0, "retry")
    assert (counts(run_id), statuses(run_id)) == ((1, 0, 0), ["RUNNING"])
    make.complete(second)
    assert [*at_hand()] == [0]
    make.work()


def test_a_tolerated_failure_is_skipped_while_the_others_go_on():
    run_id = mapped(tolerate_failures=1)
    work = at_hand()
    make.fail(work[1])
    act(run_id, 1, "skip", output="by hand")
    assert (counts(run_id), statuses(run_id)[1]) == ((3, 1, 0), "SKIPPED")
    make.complete(work[0])
    make.fail(work[2])
    make.work()
    results = make.steps(run_id)["each"].output["results"]
    assert results[:2] == [0, "by hand"]
    assert results[2]["error"]["code"] == "Boom"


def test_an_open_item_is_skipped_and_counted_once():
    run_id = mapped()
    act(run_id, 1, "skip", output="by hand")
    assert counts(run_id) == (3, 1, 0)
    make.complete(*at_hand().values())
    make.work()
    assert make.run(run_id).output == {"results": [0, "by hand", 2]}


@pytest.mark.parametrize("is_running", [False, True])
def test_an_open_item_is_cancelled_and_counts_as_failed(is_running):
    run_id = mapped(tolerate_failures=1)
    work = at_hand() if is_running else {}
    act(run_id, 1, "cancel")
    assert counts(run_id) == (3, 1, 1)
    assert make.children(run_id, "each")[1].error["code"] == "ItemCancelled"
    if is_running:
        # Whoever had it comes too late.
        make.complete(work.pop(1))
        assert counts(run_id) == (3, 1, 1)
    make.complete(*(work or at_hand()).values())
    make.work()
    assert make.steps(run_id)["each"].status == "COMPLETED"
    said = [event.payload for event in make.events(run_id, "STEP_FAILED")]
    assert [(one["by"], one["reason"], one["index"]) for one in said] == [("ann", "why", 1)]


def test_one_cancelled_item_too_many_fails_the_map():
    run_id = mapped()
    act(run_id, 1, "cancel")
    assert make.run(run_id).status == "FAILED"
    assert make.run(run_id).error["code"] == "ItemsFailed"
    act(run_id, 1, "retry")
    make.work()
    assert make.run(run_id).output == {"results": [0, 1, 2]}


def test_an_item_is_paused_by_itself_and_stays_so_when_its_run_is_paused_and_goes_on():
    run_id = mapped()
    act(run_id, 1, "pause")
    make.pause(run_id)
    make.unpause(run_id)
    assert not broken()
    work = at_hand()
    assert sorted(work) == [0, 2]
    make.complete(*work.values())
    assert refused(run_id, 1, "pause") == "item_is_queued"
    assert refused(run_id, 1, "retry") == "item_is_queued"
    make.pause(run_id)
    assert refused(run_id, 1, "unpause") == "parent_paused"
    make.unpause(run_id)
    act(run_id, 1, "unpause")
    make.work()
    assert make.run(run_id).output == {"results": [0, 1, 2]}
    assert [event for event in make.history(run_id) if "PAUSED" in event and "each" in event] == [
        "STEP_PAUSED each",
        "STEP_UNPAUSED each",
    ]


def test_a_paused_item_is_skipped_or_cancelled():
    run_id = mapped(tolerate_failures=1)
    act(run_id, 0, "pause")
    act(run_id, 1, "pause")
    act(run_id, 0, "skip", output="by hand")
    act(run_id, 1, "cancel")
    make.work()
    assert make.steps(run_id)["each"].output["results"][0] == "by hand"


def test_what_waits_for_its_next_attempt_is_tried_at_once():
    run_id = mapped({"type": "noop"}, count=1)
    make.fail(*at_hand().values(), retryable=True)
    assert not at_hand()
    act(run_id, 0, "retry")
    make.work()
    assert make.run(run_id).output == {"results": [0]}


def test_beside_a_failure_that_others_go_on_with_items_are_tried_again_and_skipped():
    each = {"id": "each", "type": "map", "retry": "none", "params": {"items": [0, 1, 2], "body": JOB}}
    other = {"id": "other", **JOB}
    definition = {**make.graph([each, other], []), "on_failure": "finish_others"}
    run_id = make.start(definition, {})[0]
    make.work("engine")
    work = {step.index: step for step in make.claimed()}
    make.complete(work[0])
    make.fail(work[1])
    assert (make.run(run_id).status, make.statuses(run_id)["each"]) == ("RUNNING", "FAILED")
    act(run_id, 2, "skip", output="by hand")
    make.work("engine")
    assert statuses(run_id) == ["COMPLETED", "QUEUED", "SKIPPED"]
    make.complete(work[None])
    make.work()
    assert make.run(run_id).status == "COMPLETED"


def test_a_container_that_asks_goes_on_when_an_item_is_tried_again_or_skipped():
    run_id = mapped(node={"on_error": "ask"})
    work = at_hand()
    make.complete(work[0])
    make.fail(work[1])
    assert make.statuses(run_id)["each"] == "WAITING"
    act(run_id, 1, "skip", output="by hand")
    make.work()
    assert make.run(run_id).output == {"results": [0, "by hand", 2]}


@pytest.mark.parametrize(
    ("verb", "code"),
    [
        ("retry", "item_is_completed"),
        ("skip", "item_is_completed"),
        ("cancel", "item_is_completed"),
        ("pause", "item_is_completed"),
        ("unpause", "item_is_completed"),
        ("resume", "item_is_completed"),
    ],
)
def test_nothing_is_done_to_an_item_that_is_done(verb, code):
    run_id = mapped(count=2)
    make.complete(at_hand()[0])
    assert refused(run_id, 0, verb) == code


def test_what_can_not_be_done_is_refused_with_its_reason():
    run_id = mapped(tolerate_failures=2, max_concurrency=3, count=4)
    work = at_hand()
    assert refused(run_id, 0, "skip") == "item_is_running"
    assert refused(run_id, 0, "retry") == "item_is_running"
    assert refused(run_id, 0, "pause") == "item_is_running"
    assert refused(run_id, 3, "retry") == "not_begun"
    make.fail(work[0])
    assert refused(run_id, 0, "cancel") == "item_is_failed"
    with pytest.raises(RunRefused, match="takes no other input") as refusal:
        act(run_id, 0, "retry", override=operators.RerunWith(1))
    assert refusal.value.field == "input"
    make.complete(work[1], work[2])
    make.work()
    assert make.run(run_id).status == "COMPLETED"
    assert refused(run_id, 0, "retry") == "run_ended"


def test_a_container_that_is_over_keeps_what_became_of_its_items():
    run_id = mapped(tolerate_failures=2, count=2)
    make.fail(*at_hand().values())
    assert make.statuses(run_id)["each"] == "COMPLETED"
    make.fail(*make.claimed())
    assert make.run(run_id).status == "FAILED"
    assert refused(run_id, 0, "retry") == "container_is_completed"


def test_a_round_of_a_loop_is_tried_again_or_skipped():
    loop = {"id": "each", "type": "loop", "retry": "none", "params": {"body": JOB, "count": 3}}
    run_id = make.start(make.graph([loop], []), {"n": 1})[0]
    make.work("engine")
    make.complete(*make.claimed())
    make.fail(*make.claimed())
    assert make.run(run_id).status == "FAILED"
    act(run_id, 1, "skip", output={"n": 2})
    make.work("engine")
    assert statuses(run_id) == ["COMPLETED", "SKIPPED", "QUEUED"]
    act(run_id, 2, "cancel")
    assert make.run(run_id).error["code"] == "RoundFailed"
    act(run_id, 2, "retry")
    make.work()
    assert make.run(run_id).output == {"n": 2}
