"""Signals on their way between the root of a tree and the runs below it: messages, each delivered under the lock of the
run that receives it.

The root that has a signal looks for waits, and a step that begins to wait asks the root. Whoever is second has the
root's lock after the first has committed, so one of both sees the other (docs/engine.md, "Child runs").
"""

from collections.abc import Iterator, Mapping, Sequence

from engine.statuses import RUN_ENDED, RunStatus
from runs.kernel import messages, notices
from runs.kernel import signals as kernel
from runs.kernel.wake import Waiters, wake
from runs.store import child_runs, hot
from runs.store import signals as store
from runs.store.attempts import AttemptResult, ClaimedStep, LockedRun
from runs.store.child_runs import Message
from runs.store.signals import ReturnedSignalRow

Endings = Sequence[tuple[ClaimedStep, AttemptResult]]


def deliver_signals(batch: Sequence[Message]) -> None:
    """Signals have come for steps of child runs: those that still wait take them, the others return them."""
    for tenant, those in _by_tenant(batch):
        steps = {str(message.step) for message in those}
        wake(tenant, {message.run for message in those}, "signal", _Delivery(those).deliver, steps=steps)


class _Delivery:
    """Messages that carry signals to steps of one tenant."""

    def __init__(self, batch: Sequence[Message]) -> None:
        self.batch = batch

    def deliver(self, locked: Mapping[str, LockedRun], waiters: Waiters) -> Endings:
        """The endings of the steps that take their signals; the others are returned."""
        waiting = {step.id: (step, wait["name"]) for step, wait in waiters(locked)}
        takers: list[kernel.Chosen] = []
        returned: list[ReturnedSignalRow] = []
        for message in self.batch:
            signal = message.payload or {}
            step, name = waiting.get(str(message.step), (None, None))
            if step is not None and name == signal["name"]:
                # Of two signals for one step the second finds it waiting no more.
                del waiting[step.id]
                takers.append(kernel.Chosen(step, name, signal["signal"], signal["shared"]))
            else:
                returned.append({"signal": signal["signal"], "step_id": str(message.step)})
        if returned and store.return_signals(returned):
            notices.after_commit((), [messages.QUEUE])
        return kernel.take(takers)


def offer_returned(batch: Sequence[Message]) -> None:
    """Signals found their steps waiting no more: the root offers them to other waits, or keeps them."""
    for tenant, those in _by_tenant(batch):

        def deliver(locked: Mapping[str, LockedRun], _: Waiters, those: Sequence[Message] = those) -> Endings:
            here = [one for one in those if locked[one.run].status != RunStatus.CONTINUED]
            store.release_signals((one.payload or {})["signal"] for one in here)
            roots = {(one.payload or {})["signal"]: one.run for one in _of_open(those, locked)}
            offers = [kernel.Offered(id, root, False) for id, root in roots.items()]
            return kernel.offer(offers).endings if offers else []

        wake(tenant, {message.run for message in those}, "signal", deliver)


def answer_wanted(batch: Sequence[Message]) -> None:
    """Steps of child runs have begun to wait: the root sends them what is there for them."""
    for _, those in _by_tenant(batch):
        asking = _of_open(those, hot.lock_heavy({message.run for message in those}))
        roots = {str(message.step): message.run for message in asking}
        if not roots:
            continue
        signals: dict[str, str] = {}
        gone: set[str] = set()
        for step, signal in store.wanted_signals(roots, len(roots)):
            if step not in signals and signal not in gone:
                signals[step] = signal
                gone.add(signal)
        kernel.carry(
            {"signal": signal, "step_id": step, "root": roots[step], "shared": False}
            for step, signal in signals.items()
        )


def _of_open(batch: Sequence[Message], locked: Mapping[str, LockedRun]) -> list[Message]:
    """The messages to roots that are open; one that goes on as another run has them passed on to that."""
    statuses = {run: row.status for run, row in locked.items()}
    if passed_on := [one for one in batch if statuses.get(one.run) == RunStatus.CONTINUED]:
        store.pass_on_messages(passed_on)
        notices.after_commit((), [messages.QUEUE])
    return [one for one in batch if one.run in statuses and statuses[one.run] not in RUN_ENDED]


def _by_tenant(batch: Sequence[Message]) -> Iterator[tuple[int, list[Message]]]:
    """The messages of each tenant to runs that are there."""
    there = child_runs.beginners({message.run for message in batch})
    by_tenant: dict[int, list[Message]] = {}
    for message in batch:
        if message.run in there:
            by_tenant.setdefault(message.tenant, []).append(message)
    yield from sorted(by_tenant.items())


def connect() -> None:
    """Have messages carry signals."""
    messages.handles("signal", deliver_signals)
    messages.handles("signal_wanted", answer_wanted)
    messages.handles("signal_returned", offer_returned)
