"""Several workers at once on the same trees of runs, which undo what they did: nothing twice, nothing left."""

import random
from collections import Counter
from threading import Lock

from runs.kernel import messages
from runs.maintenance import stuck
from runs.models import Run, RunMessage, StepExecution, UndoEntry
from tests import factories as make
from tests.races.staging import Actor

ENDED = {"COMPENSATED", "CANCELLED", "COMPLETED", "FAILED"}
TREES, WORKERS = 3, 3
UNDO = {"type": "job", "queue": "undo", "retry": "none"}


def job(id):
    return {"id": id, "type": "job", "queue": "work", "retry": "none", "compensate": UNDO}


def definition(**more):
    """Two maps within a loop, and a job beside them, whose failure fails all."""
    inner = {
        "id": "inner",
        "type": "map",
        "params": {"items": [1, 2, 3], "body": {"steps": [job("one"), job("two")]}},
    }
    outer = {"id": "outer", "type": "map", "params": {"items": [1, 2], "body": {"steps": [job("a"), inner]}}}
    return make.graph([outer, job("beside")], [], **more)


def test_workers_that_undo_the_same_trees_at_once(rounds):
    for turn in rounds:
        runs = [
            run
            for more in ({}, {"compensation": "parallel"})
            for run in make.start(definition(**more), *[{}] * TREES)
        ]
        done, lock = Counter(), Lock()

        def act(seed, done=done, lock=lock, runs=runs):
            dice = random.Random(seed)
            quiet = 0
            while quiet < 3:
                quiet += 1
                if messages.deliver() + make.work("engine"):
                    quiet = 0
                for queue in ("work", "undo"):
                    for step in make.claimed(queue, limit=dice.randint(1, 4), worker=f"w{seed}"):
                        quiet = 0
                        fails = step.node == "beside" and dice.random() < 0.7
                        ended = (make.fail if fails else make.complete)(step)
                        with lock:
                            done[step.run_id, step.undoes or "", step.node] += bool(ended.applied)

        actors = [Actor(lambda seed=turn * 10 + one: act(seed)) for one in range(WORKERS)]
        for actor in actors:
            actor.end()
        for _ in range(10):
            act(turn)
            if not Run.unsafe_all_tenants.exclude(status__in=ENDED).exists():
                break
        assert set(done.values()) == {1}
        assert {make.run(run).status for run in runs} <= {"COMPLETED", "COMPENSATED", "FAILED"}
        assert not RunMessage.unsafe_all_tenants.exists()
        assert not UndoEntry.unsafe_all_tenants.exclude(state="undone").exists()
        for run in Run.unsafe_all_tenants.filter(pk__in=runs).exclude(status="COMPLETED"):
            tree = {run.pk, *Run.unsafe_all_tenants.filter(tree_id=run.pk).values_list("pk", flat=True)}
            steps = StepExecution.unsafe_all_tenants.filter(run_id__in=tree, type="job", status="COMPLETED")
            assert steps.filter(undoes=None).count() == steps.exclude(undoes=None).count()
        assert stuck.check() == 0
