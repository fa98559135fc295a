"""Waking workers and telling who looks, once what they are told of is so."""

from collections.abc import Iterable

from django.db import transaction

from runs.kernel import dispatch, live


def after_commit(runs: Iterable[tuple[int, str]], queues: Iterable[str] = ()) -> None:
    """Tell that these runs (tenant, id) changed, and that the queues have work, when the outermost transaction has
    committed: at once outside of one, never after a rollback.

    Told earlier, a worker would find nothing and look again only when its turn comes; a page would show the old state.
    """
    changed, queue_names = sorted({*runs}), sorted({*queues})

    def tell() -> None:
        dispatch.wake(queue_names)
        live.tell(live.Change(tenant, run) for tenant, run in changed)

    transaction.on_commit(tell)
