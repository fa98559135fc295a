"""The one way in which something from outside ends waits: have the runs alone, decide, end the steps; or only tell."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import transaction

from lib import crash_points
from runs.kernel import notices
from runs.kernel.refused import had_alone, refusing
from runs.kernel.wave import Wave
from runs.store import waits
from runs.store.attempts import Ending, Held, Locked

Json = Any
Waiters = Callable[[Collection[str]], list[tuple[Held, Mapping[str, Json]]]]
Decide = Callable[[Mapping[str, Locked], Waiters], Sequence[tuple[Held, Ending]]]


def wake(tenant: int, runs: Iterable[str], kind: str, decide: Decide) -> list[str]:
    """End waits of this kind in runs of the tenant, within one transaction; gives the ids of the steps that ended.

    `decide` is called while nobody else can end, close or pause these runs. It is given how each stands, and a
    function that reads which steps of some of them wait, and for what; it gives the endings of those that wait no more.
    What it writes is kept only if all of it is. Raises RunRefused for another tenant's run, and whatever `decide` does.
    """
    wave = Wave()
    with refusing(), transaction.atomic():
        locked = had_alone(tenant, runs)
        # Asked in a statement after the lock: in one, the snapshot would be older than the lock, and a step that has
        # just begun to wait would not be seen (ENGINE "Waits").
        endings = decide(locked, lambda some: waits.waiters(tenant, some, kind))
        if endings:
            wave.wake(endings, locked)
            wave.finish()
            wave.fail()
        crash_points.hit("before_commit")
    notices.after_commit(tenant, locked, wave.result.wake)
    return sorted(wave.result.applied)


@contextmanager
def telling(tenant: int, run: str) -> Iterator[None]:
    """Have one run of the tenant alone for what goes into its history and ends nothing: it can't end meanwhile.

    Who looks at it is told once it is committed. Raises RunRefused for another tenant's run.
    """
    with transaction.atomic():
        locked = had_alone(tenant, [run])
        yield
        crash_points.hit("before_commit")
    notices.after_commit(tenant, locked)
