"""Events of jobs that the broker would not take and that were set aside: they are tried again (R-181)."""

from typing import Final

from accounts import audit
from accounts.principal import Principal
from accounts.roles import OPERATE, RUNS_OPERATE
from lib.clock import now_here
from runs.reading.asides import asides_with
from runs.store.outbox import MOST_COUNTED, retry_aside, waiting_asides

MOST: Final = MOST_COUNTED
"""So many are tried again by one call."""


def retry(who: Principal, *, reason: str | None = None) -> int:
    """Have those of jobs that wait, and whose runs they may operate, tried now and not only when they are due, up to
    `MOST`; gives how many. However many were polled, those behind them are found: who asks by hand waits for that.
    """
    who.require(RUNS_OPERATE)
    now, wanted = now_here(), list[int]()
    behind: int | None = 0
    while behind is not None and len(wanted) < MOST:
        nodes, behind = waiting_asides(who.tenant_id, behind, MOST - len(wanted))
        if nodes:
            later = asides_with(who, OPERATE, nodes).filter(due_at__gt=now)
            wanted += later.values_list("pk", flat=True)
    count = retry_aside(who.tenant_id, wanted)
    if count:
        audit.record(who, "dispatch.retry", f"{count} events", reason=reason)
    return count
