"""The unit of work of whatever changes runs from outside: open, lock, apply, finish, fail, tell after the commit."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.db import transaction

from lib import crash_points
from runs.kernel import notices
from runs.kernel.refused import fitting, had_alone, refusing
from runs.kernel.wave import Wave
from runs.store.attempts import Locked


@dataclass(slots=True)
class Change:
    """Runs that nobody else can change meanwhile, and what is done to them.

    `locked` is how each stood, `wave` what follows in their graphs, `queues` where there is work beside that.
    """

    tenant: int
    locked: Mapping[str, Locked]
    wave: Wave = field(default_factory=Wave)
    queues: set[str] = field(default_factory=set)


@contextmanager
def changing(tenant: int, runs: Iterable[str]) -> Iterator[Change]:
    """Have runs of the tenant alone for one change of them: all of it is kept, or nothing.

    At the end of the block runs whose last sink fell are completed, and those that a step has failed fail; workers and
    whoever looks are told once the outermost transaction has committed. Raises RunRefused for another tenant's run.
    """
    with refusing(), fitting(), transaction.atomic():
        change = Change(tenant, had_alone(tenant, runs))
        yield change
        change.wave.finish()
        change.wave.fail()
        crash_points.hit("before_commit")
        notices.after_commit(tenant, change.locked, change.wave.result.wake | change.queues)
