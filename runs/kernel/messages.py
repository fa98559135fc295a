"""What runs tell one another, delivered: each message by a transaction that has the run that is told, and no other.

A run that ends does not wait for its parent, nor a parent for its children: they would wait for each other. Whoever
causes a message writes it in its own transaction and wakes the queue `engine`, whose workers deliver it.
"""

import logging
from collections.abc import Callable, Sequence

from django.db import transaction

from lib import crash_points
from lib.apart import in_batches
from runs.store import child_runs
from runs.store.child_runs import Message

log = logging.getLogger(__name__)

QUEUE = "engine"
"""The queue whose workers deliver messages."""
HANDOFF = "handoff"
"""Who does what one run does to another, as history names them."""
BATCH = 100
ROUNDS = 10

Handler = Callable[[Sequence[Message]], None]
_handlers: dict[str, Handler] = {}


def handles(kind: str, handler: Handler) -> None:
    """Have `handler` do what messages of a kind say, within the transaction that deletes them."""
    _handlers[kind] = handler


def by_tenant(batch: Sequence[Message]) -> list[tuple[int, list[Message]]]:
    """The messages of each tenant, those with the lowest id first."""
    tenants = sorted({message.tenant for message in batch})
    return [(tenant, [one for one in batch if one.tenant == tenant]) for tenant in tenants]


def deliver() -> int:
    """Deliver what is due, in bounded batches of one kind each; gives how many messages that were.

    One that can't be delivered holds up no other: it is logged, and tried again later.
    """
    count = 0
    for _ in range(ROUNDS):
        by_kind: dict[str, list[int]] = {}
        for message, kind in child_runs.due_messages(BATCH):
            by_kind.setdefault(kind, []).append(message)
        delivered = sum(len(_delivered(batch)) for _, batch in sorted(by_kind.items()))
        count += delivered
        if not delivered:
            break
    return count


def _delivered(batch: Sequence[int]) -> list[int]:
    return in_batches(batch, _deliver, log, lambda message: f"The message {message} can't be delivered")


def _deliver(batch: Sequence[int]) -> list[int]:
    try:
        with transaction.atomic():
            messages = child_runs.take_messages(batch)
            if messages:
                _handlers[messages[0].kind](messages)
            crash_points.hit("before_commit")
    except Exception:
        if len(batch) == 1:
            child_runs.postpone_message(batch[0])
        raise
    return [message.id for message in messages]
