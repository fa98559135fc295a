"""Runs of one tree that start others at the same moment: no limit is exceeded, and few wait for one another."""

from threading import Barrier

from runs.commands import tree_limits
from runs.kernel.advance import advance
from runs.models import Run
from runs.store.attempts import Suspended
from steps.waiting import for_run
from tests import factories as make
from tests.races.staging import Actor, blocked, holding

HOLD = make.graph([{"id": "hold", "type": "signal", "params": {"name": "go"}}], [])


def parents(count):
    """A run, of its items the steps that are about to start a run of another workflow, and its name."""
    child = make.a_version(HOLD).workflow.name
    sub = {"id": "sub", "type": "subworkflow", "params": {"workflow": child}}
    body = {"steps": [{"id": "first", "type": "noop"}, sub]}
    run_id = make.start(make.mapped(body, tolerate_failures=count), {"items": [*range(count)]})[0]
    make.work("engine")
    make.work("default")
    steps = make.claimed("engine")
    assert len(steps) == count
    return run_id, steps, child


def start(step, child):
    """Let a step start its run."""
    return advance([(step, Suspended(for_run(child, {})))])


def opened(run_id):
    return Run.unsafe_all_tenants.filter(tree_id=run_id, is_part=False, completed_at=None).count()


def apart(steps):
    """Two steps whose runs are counted in different slots."""
    first = steps[0]
    return first, next(s for s in steps if tree_limits._slot(s.run_id) != tree_limits._slot(first.run_id))


def test_two_that_are_far_from_the_limit_do_not_wait(rounds):
    for _ in rounds:
        run_id, steps, child = parents(12)
        first, second = apart(steps)
        with holding(lambda first=first, child=child: start(first, child), before="insert_runs"):
            Actor(lambda second=second, child=child: start(second, child)).end()
        assert opened(run_id) == 2


def test_near_the_limit_the_second_waits_and_sees_the_first(rounds, settings):
    settings.HANDOFF_TREE_OPEN_RUNS = 1
    for _ in rounds:
        run_id, steps, child = parents(12)
        first, second = apart(steps)
        with holding(lambda first=first, child=child: start(first, child), before="insert_runs"):
            behind = blocked(lambda second=second, child=child: start(second, child))
        behind.end()
        assert opened(run_id) == 1


def test_many_at_once_open_as_many_as_allowed(rounds, settings):
    settings.HANDOFF_TREE_OPEN_RUNS = 5
    for _ in rounds:
        run_id, steps, child = parents(12)
        barrier = Barrier(len(steps))

        def act(step, child=child, barrier=barrier):
            barrier.wait(10)
            return start(step, child)

        actors = [Actor(lambda step=step, act=act: act(step)) for step in steps]
        for actor in actors:
            actor.end()
        assert opened(run_id) == 5
