"""What runs of one tree tell one another while the tree undoes what it did."""

from collections.abc import Collection, Sequence

from engine.statuses import RUN_CLOSING, RUN_OPEN
from runs.kernel import compensation, messages, notices
from runs.kernel.plan import Anchor
from runs.kernel.unit_of_work import changing
from runs.store import undo_entries
from runs.store.child_runs import Message
from runs.store.undo_entries import EntryKey, UndoEntry


def _undo(batch: Sequence[Message]) -> None:
    """A run above undoes what it did: queue the compensations that it names here, or end the undoing of these runs.

    Runs that have not ended are told again a second later.
    """
    for tenant, own in messages.by_tenant(batch):
        entries = [_entry(message) for message in own]
        with changing(tenant, {entry.target for entry in entries}) as change:
            still_open = {run for run, row in change.locked.items() if row.status in RUN_OPEN | RUN_CLOSING}
            if early := [entry for entry in entries if entry.target in still_open]:
                undo_entries.tell_to_undo(early, later=True)
            ready = [entry for entry in entries if entry.target not in still_open]
            if steps := [entry for entry in ready if entry.node is not None]:
                change.queues |= compensation.undo_here(steps)
            if ends := [entry for entry in ready if entry.node is None]:
                change.queues |= compensation.end_below(ends)


def _entry(message: Message) -> UndoEntry:
    payload = message.payload or {}
    return UndoEntry(str(message.origin), int(payload["seq"]), message.run, payload.get("node"))


def _undone(batch: Sequence[Message]) -> None:
    """Runs below have settled entries: go on with the plans."""
    for tenant, own in messages.by_tenant(batch):
        entries: list[EntryKey] = [
            {"run_id": message.run, "seq": int((message.payload or {})["seq"])} for message in own
        ]
        with changing(tenant, {message.run for message in own}) as change:
            change.queues |= compensation.go_on(entries, change.locked)


def _child_undoing(batch: Sequence[Message]) -> None:
    """Children undo what they did, or wait for a person with that, or no longer: their parents stand accordingly."""
    for tenant, own in messages.by_tenant(batch):
        with changing(tenant, {message.run for message in own}) as change:
            change.queues |= compensation.stand(change.locked)


def _close(batch: Sequence[Message]) -> None:
    """Runs look once more whether they can end."""
    for tenant, own in messages.by_tenant(batch):
        with changing(tenant, {message.run for message in own}) as change:
            change.queues |= compensation.close(change.locked)


def close_parents(runs: Sequence[str]) -> None:
    """Children of these closing runs, which are held FOR UPDATE, have ended: go on where that were the last."""
    if runs and (queues := compensation.close(runs)):
        notices.after_commit((), queues)


def complete_parents(tenant: int, runs: Collection[str]) -> None:
    """Complete those of these runs that waited only for what runs below them undid."""
    with changing(tenant, runs) as change:
        for run in undo_entries.sunk_runs(runs):
            anchor = Anchor("", run.id, run.tenant, run.shard, run.version, run.priority)
            change.transition.anchors[run.id] = anchor
            change.transition.sunk.add(run.id)


def connect() -> None:
    """Have what runs of a tree tell one another done."""
    messages.handles("undo", _undo)
    messages.handles("undone", _undone)
    messages.handles("child_undoing", _child_undoing)
    messages.handles("close", _close)
