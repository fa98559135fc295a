"""The one way in which something from outside ends waits: have the runs alone, decide, end the steps."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from engine.catalogue import Json
from runs.kernel.unit_of_work import changing
from runs.store import waits
from runs.store.attempts import AttemptResult, ClaimedStep, LockedRun

Waiters = Callable[[Collection[str]], list[tuple[ClaimedStep, Mapping[str, Json]]]]
Decide = Callable[[Mapping[str, LockedRun], Waiters], Sequence[tuple[ClaimedStep, AttemptResult]]]


def wake(
    tenant: int, runs: Iterable[str], kind: str, decide: Decide, *, steps: Collection[str] | None = None
) -> list[str]:
    """End waits of this kind in runs of the tenant, within one transaction; gives the ids of the steps that ended.

    `decide` is called while nobody else can end, close or pause these runs. It is given how each stands, and a
    function that reads which steps of some of them (of these `steps` only, if they are given) wait, and for what; it
    gives the endings of those that wait no more.
    What it writes is kept only if all of it is. Raises RunRefused for another tenant's run, and whatever `decide` does.
    """
    with changing(tenant, runs) as change:
        # Asked in a statement after the lock: in one, the snapshot would be older than the lock, and a step that has
        # just begun to wait would not be seen (docs/engine.md, "Waits").
        endings = decide(change.locked, lambda some: waits.waiters(tenant, some, kind, steps))
        if endings:
            change.transition.wake(endings, change.locked)
    return sorted(change.transition.result.applied)
