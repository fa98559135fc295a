"""Events of jobs that the broker would not take and that were set aside: they are tried again (R-181)."""

from dataclasses import dataclass
from typing import Final

from accounts import audit
from accounts.principal import Principal
from accounts.roles import OPERATE, RUNS_OPERATE
from integrations.broker.parked_events import asides_with
from integrations.broker.store import MOST_COUNTED, retry_aside, waiting_asides
from lib.clock import now_here

MOST: Final = MOST_COUNTED
"""So many are tried again by one call."""
MOST_LOOKS: Final = 100
"""One call looks so often for the next `MOST_LOOKED_AT` that were set aside; each look takes some 40 ms."""


@dataclass(frozen=True, slots=True)
class Retried:
    """How many events are tried again; `more`: whether there may be others."""

    count: int
    more: bool


def retry(who: Principal, *, reason: str | None = None) -> Retried:
    """Have those of jobs that wait, and whose runs they may operate, tried now and not only when they are due: up to
    `MOST`, among those that `MOST_LOOKS` find. Those of jobs that were polled are passed over; they go when they are
    due, so that a later call comes further.
    """
    who.require(RUNS_OPERATE)
    now, ids = now_here(), list[int]()
    behind: int | None = 0
    for _ in range(MOST_LOOKS):
        # Never fewer than a look finds: what is due already, or others' to operate, is dropped only afterwards.
        nodes, behind = waiting_asides(who.tenant_id, behind, MOST)
        if nodes:
            later = asides_with(who, OPERATE, nodes).filter(due_at__gt=now)
            ids += later.values_list("pk", flat=True)
        if behind is None or len(ids) >= MOST:
            break
    count = retry_aside(who.tenant_id, ids[:MOST])
    if count:
        audit.record(who, "dispatch.retry", f"{count} events", reason=reason)
    return Retried(count, more=behind is not None or len(ids) > MOST)
