"""Events of jobs that the broker would not take and that were set aside: they are tried again (R-181)."""

from typing import Final

from accounts import audit
from accounts.principal import Principal
from accounts.roles import OPERATE, RUNS_OPERATE
from lib.clock import now_here
from runs.reading.asides import waiting_asides
from runs.store.outbox import retry_aside

MOST: Final = 10_000
"""So many are tried again by one call."""


def retry(who: Principal, *, reason: str | None = None) -> int:
    """Have those of jobs that wait, and whose runs they may operate, tried now and not only when they are due, up to
    `MOST`; gives how many.
    """
    who.require(RUNS_OPERATE)
    rows = waiting_asides(who, OPERATE).filter(due_at__gt=now_here())
    count = retry_aside(who.tenant_id, list(rows.values_list("pk", flat=True)[:MOST]))
    if count:
        audit.record(who, "dispatch.retry", f"{count} events", reason=reason)
    return count
