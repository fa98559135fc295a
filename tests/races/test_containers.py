"""Who counts a container's children, who ends it, and who cancels it meanwhile."""

from runs.commands.lifecycle import cancel_runs, pause_runs, unpause_runs
from tests import factories as make
from tests.races.staging import blocked, holding

MAPPED = make.mapped(max_concurrency=2)


def opened(*items):
    """A run of a map, with its first two items in hand."""
    run_id = make.start(MAPPED, {"items": list(items)})[0]
    make.work("engine")
    return run_id, sorted(make.claimed(), key=lambda step: step.index)


def test_of_two_that_count_the_second_waits_for_the_first(rounds):
    for _ in rounds:
        run_id, (first, second) = opened(1, 2, 3, 4)
        with holding(lambda first=first: make.complete(first), before="open_children"):
            behind = blocked(lambda second=second: make.complete(second))
        behind.end()
        make.work()
        assert make.run(run_id).output == {"results": [1, 2, 3, 4]}


def test_the_last_two_items_end_the_map_once(rounds):
    for _ in rounds:
        run_id, (first, second) = opened(1, 2)
        with holding(lambda first=first: make.complete(first), before="advance"):
            # Both share the run until one of them is the last.
            make.complete(second)
        make.work()
        assert make.run(run_id).output == {"results": [1, 2]}
        assert make.history(run_id).count("STEP_COMPLETED each") == 3


def test_a_cancel_while_the_last_item_ends_the_map(rounds):
    tenant = make.a_tenant().pk
    for _ in rounds:
        run_id, (first, second) = opened(1, 2)
        make.complete(first)
        with holding(lambda second=second: make.complete(second), before="containers_over"):
            behind = blocked(lambda run_id=run_id: cancel_runs(tenant, [run_id], by="test"))
        behind.end()
        assert make.run(run_id).status == "CANCELLED"
        assert make.statuses(run_id)["each"] == "COMPLETED"


def test_a_pause_while_the_next_items_begin_holds_them(rounds):
    tenant = make.a_tenant().pk
    for _ in rounds:
        run_id, (first, second) = opened(1, 2, 3)
        with holding(lambda first=first: make.complete(first), before="open_children"):
            behind = blocked(lambda run_id=run_id: pause_runs(tenant, [run_id], by="test"))
        behind.end()
        assert make.children(run_id, "each")[2].held
        make.complete(second)
        unpause_runs(tenant, [run_id], by="test")
        make.work()
        assert make.run(run_id).output == {"results": [1, 2, 3]}


def test_an_item_that_fails_the_map_while_another_one_ends(rounds):
    for _ in rounds:
        run_id, (first, second) = opened(1, 2, 3)
        with holding(lambda first=first: make.fail(first), before="cancel_children"):
            behind = blocked(lambda second=second: make.complete(second))
        behind.end()
        assert make.run(run_id).status == "FAILED"
        make.resume(run_id)
        make.work()
        assert make.run(run_id).output == {"results": [1, 2, 3]}
