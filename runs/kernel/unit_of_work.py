"""The unit of work of whatever changes runs but for the endings of attempts, which are `advance`'s: open, lock, apply,
finish, fail, tell after the commit.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.db import transaction

from lib import crash_points
from runs.kernel import notices
from runs.kernel.counting import count_ended
from runs.kernel.refused import fitting, lock_runs, refusing
from runs.kernel.transition import Transition
from runs.store.attempts import LockedRun


@dataclass(slots=True)
class Change:
    """Runs that nobody else can change meanwhile, and what is done to them.

    `locked` is how each stood, `transition` what follows in their graphs, `queues` where there is work beside that.
    Whoever looks is told of `runs` (tenant, id).
    """

    locked: Mapping[str, LockedRun] = field(default_factory=dict)
    transition: Transition = field(default_factory=Transition)
    queues: set[str] = field(default_factory=set)
    runs: set[tuple[int, str]] = field(default_factory=set)


@contextmanager
def unit_of_work() -> Iterator[Change]:
    """A transaction for one change of runs that the block locks, or makes: all of it is kept, or nothing.

    At the end of the block runs whose last sink fell are completed, and those that a step has failed fail; workers and
    whoever looks are told once the outermost transaction has committed. Raises RunRefused for what can't be written.
    """
    with refusing(), fitting(), transaction.atomic():
        change = Change()
        yield change
        queues = conclude(change.transition, change.locked)
        crash_points.hit("before_commit")
        notices.after_commit(change.runs, queues | change.queues)


def conclude(transition: Transition, locked: Mapping[str, LockedRun]) -> set[str]:
    """End containers whose children are over, complete and fail runs, and count what has ended once it is committed;
    gives the queues that have work. Needs the runs alone.
    """
    transition.end_containers(locked)
    transition.finish(locked)
    transition.fail(locked)
    count_ended(transition.result)
    return transition.result.wake


@contextmanager
def changing(tenant: int, runs: Iterable[str]) -> Iterator[Change]:
    """A unit of work that has runs of the tenant alone. Raises RunRefused for another tenant's run."""
    with unit_of_work() as change:
        change.locked = lock_runs(tenant, runs)
        change.runs |= {(tenant, run) for run in change.locked}
        yield change
