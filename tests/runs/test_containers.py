"""Containers: a map's children begin some at a time, are counted as they end, and gathered in their order."""

import pytest
from django.db import connection

from runs.store import children
from tests import factories as make

pytestmark = pytest.mark.django_db


def started(*items, **how):
    """A run of a map over these items, whose container waits for its children."""
    run_id = make.start(make.mapped(**how), {"items": list(items)})[0]
    make.work("engine")
    return run_id


def test_what_the_items_gave_comes_together_in_their_order():
    body = {"type": "transform", "params": {"set": {"pair": "{{ [index, item] }}"}}}
    run_id = started("a", None, {"n": 3}, body=body)
    make.work()

    assert make.run(run_id).status == "COMPLETED"
    assert [one["pair"] for one in make.run(run_id).output["results"]] == [[0, "a"], [1, None], [2, {"n": 3}]]
    assert [child.status for child in make.children(run_id, "each")] == ["COMPLETED"] * 3
    assert make.history(run_id).count("STEP_COMPLETED each") == 4


def test_a_map_over_nothing_is_over_at_once():
    run_id = started()
    make.work()
    assert make.run(run_id).output == {"results": []}
    assert make.children(run_id, "each") == []


def test_so_many_items_are_open_at_a_time_as_it_says():
    run_id = started(*range(7), max_concurrency=3)
    assert [child.index for child in make.children(run_id, "each")] == [0, 1, 2]
    first, second, _ = make.claimed()

    make.complete(first, second)
    assert [child.status for child in make.children(run_id, "each")] == [
        "COMPLETED",
        "COMPLETED",
        "RUNNING",
        "QUEUED",
        "QUEUED",
    ]
    make.work()
    assert make.leases_lost() == 0
    assert make.run(run_id).status == "RUNNING"


def test_a_map_may_be_its_runs_last_step():
    definition = make.mapped()
    definition = {**definition, "nodes": definition["nodes"][:1], "edges": []}
    run_id = make.start(definition, {"items": [1, 2]})[0]
    make.work()
    assert (make.run(run_id).status, make.run(run_id).output) == ("COMPLETED", {"results": [1, 2]})


def claimed_children():
    """The queued children in their order, leased."""
    return sorted(make.claimed(), key=lambda step: step.index)


def test_a_tolerated_failure_is_an_error_in_its_place_and_no_dead_letter():
    run_id = started(1, 2, 3, tolerate_failures=1, body={"type": "noop"})
    first, second, third = claimed_children()
    make.fail(second, code="Bad")
    make.complete(first, third)
    make.work()

    results = make.run(run_id).output["results"]
    assert (results[0], results[1]["error"]["code"], results[2]) == (1, "Bad", 3)
    assert make.letters(run_id) == []


def test_one_failure_too_many_fails_the_map_and_ends_its_other_items():
    run_id = started(*range(6), max_concurrency=4)
    first, second, *_ = claimed_children()
    make.complete(first)
    make.fail(second, code="Bad")

    step = make.steps(run_id)["each"]
    assert (step.status, step.error["code"]) == ("FAILED", "ItemsFailed")
    assert step.error["details"]["first"]["index"] == 1
    assert make.run(run_id).status == "FAILING", "what runs already is awaited"
    assert [letter.node for letter in make.letters(run_id)] == ["each"]


def test_a_map_whose_failure_is_handled_cancels_the_items_that_are_left():
    handled = {"on_error": "continue"}
    run_id = started(*range(6), max_concurrency=4, node=handled)
    first, second, third, _ = claimed_children()
    make.complete(first)
    make.fail(second)

    assert [child.status for child in make.children(run_id, "each")] == [
        "COMPLETED",
        "FAILED",
        "CANCELLED",
        "CANCELLED",
        "CANCELLED",
    ]
    assert make.complete(third).applied == set(), "it was taken from its worker"
    make.work()
    assert make.run(run_id).output["error"]["code"] == "ItemsFailed"


def test_a_resumed_map_does_only_what_is_missing():
    run_id = started(*range(5), max_concurrency=2)
    first, second = claimed_children()
    make.complete(first)
    make.fail(second)
    for child in claimed_children():
        make.complete(child)
    assert make.run(run_id).status == "FAILED"
    kept = make.children(run_id, "each")[0].id

    make.resume(run_id)
    make.work()

    assert make.run(run_id).output == {"results": [0, 1, 2, 3, 4]}
    assert make.children(run_id, "each")[0].id == kept, "it was not done again"
    assert "STEP_WITHDRAWN each" in make.history(run_id)


def test_a_map_that_is_done_again_with_other_items_does_those():
    """An item that stands in the same place is not done twice."""
    run_id = started("a", "b", items="{{ prev.items }}")
    first, second = claimed_children()
    make.complete(first, output="A")
    make.fail(second)

    make.retry(run_id, "each", {"items": ["a", "c", "d"]})
    make.work()

    assert make.run(run_id).output == {"results": ["A", "c", "d"]}


def test_cancelling_the_run_cancels_its_items():
    run_id = started(1, 2)
    make.cancel(run_id)
    assert make.run(run_id).status == "CANCELLED"
    assert {child.status for child in make.children(run_id, "each")} == {"CANCELLED"}


def test_a_paused_run_holds_its_items_also_those_that_come_next():
    run_id = started(*range(3), max_concurrency=1)
    (first,) = make.claimed()
    make.pause(run_id)
    make.complete(first)
    assert [child.held for child in make.children(run_id, "each")] == [False, True]
    assert make.work() == 0

    make.unpause(run_id)
    make.work()
    assert make.run(run_id).output == {"results": [0, 1, 2]}


def test_a_boundary_timer_ends_the_map_with_its_items(clock):
    timed = {"boundary_timers": [{"after_seconds": 60, "to": "late"}]}
    definition = make.mapped(node=timed)
    definition["nodes"].append({"id": "late", "type": "noop"})
    run_id = make.start(definition, {"items": [1, 2]})[0]
    make.work("engine")
    clock.advance(61)
    make.tick()

    assert {child.status for child in make.children(run_id, "each")} == {"CANCELLED"}
    make.work()
    assert make.run(run_id).status == "COMPLETED"


def test_a_skipped_map_takes_its_items_with_it():
    run_id = started(1, 2)
    make.skip(run_id, "each", {"results": []})
    assert {child.status for child in make.children(run_id, "each")} == {"CANCELLED"}
    make.work()
    assert make.run(run_id).output == {"results": []}


def test_an_item_whose_worker_is_lost_is_done_by_another(clock):
    run_id = started(1)
    make.claimed()
    clock.advance(60)
    make.leases_lost()
    clock.advance(600)
    make.work()
    assert make.run(run_id).output == {"results": [1]}


def test_more_than_a_step_may_give_fails_the_map():
    run_id = started(*range(50))
    for child in claimed_children():
        make.complete(child, output="x" * 100_000)
    assert make.steps(run_id)["each"].error["code"] == "BadOutput"


def test_a_map_over_what_is_no_list_fails_and_says_so():
    run_id = make.start(make.mapped(), {"items": "none"})[0]
    make.work()
    assert make.steps(run_id)["each"].error["code"] == "BadParams"
    assert make.run(run_id).status == "FAILED"


def test_a_map_may_be_a_join_too():
    definition = make.graph(
        [
            "a",
            "b",
            {"id": "each", "type": "map", "params": {"items": "{{ [1, 2] }}", "body": {"type": "noop"}}},
        ],
        ["a>each", "b>each"],
    )
    run_id = make.start(definition)[0]
    make.work()
    assert make.run(run_id).output == {"results": [1, 2]}
    assert make.joins(run_id)["each"].arrived == 2


def test_the_next_items_begin_in_their_order_whatever_the_plan():
    """With statistics a hash join gives them in an order of its own."""
    run_ids = [make.start(make.mapped(), {"items": list(range(1000))})[0] for _ in range(6)]
    make.work("engine")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE runs_stepexecution; ANALYZE runs_container; ANALYZE runs_run")
    make.complete(*make.claimed(limit=20))
    items = [child for run_id in run_ids for child in make.children(run_id, "each")]
    assert {child.status for child in items} == {"COMPLETED", "QUEUED"}
    assert sum(child.status == "COMPLETED" for child in items) == 20


def test_a_map_is_asked_for_its_items_only_and_a_loop_for_its_rounds(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("asked in vain")

    with monkeypatch.context() as patched:
        patched.setattr(children, "last_rounds", refuse)
        run_id = started(1, 2)
        make.work()
        assert make.run(run_id).status == "COMPLETED"
    monkeypatch.setattr(children, "containers_over", refuse)
    again = {"id": "again", "type": "loop", "params": {"body": {"type": "noop"}, "count": 2}}
    run_id = make.start(make.graph([again], []))[0]
    make.work()
    assert make.run(run_id).status == "COMPLETED"


def test_a_body_of_one_step_says_how_it_is_tried_again_where_and_for_how_long(clock):
    body = {
        "type": "noop",
        "queue": "blocking",
        "timeout_seconds": 7,
        "retry": {"max_retries": 1, "jitter": 0},
    }
    run_id = started("a", body=body)
    (child,) = make.claimed("blocking")
    (row,) = make.children(run_id, "each")
    assert (row.hard_deadline - clock.now).total_seconds() == 7
    make.fail(child, retryable=True)
    clock.advance(60)
    (again,) = make.claimed("blocking")
    assert again.attempt == 2
    make.fail(again, retryable=True)
    assert make.steps(run_id)["each"].error["code"] == "ItemsFailed"


def test_a_body_of_one_step_that_waits_says_it_too():
    body = {"type": "human.approval", "params": {"title": "Well?"}, "queue": "blocking"}
    run_id = started("a", body=body)
    (part,) = make.children_of(run_id)
    assert make.steps(str(part.pk))["step"].queue == "blocking"
