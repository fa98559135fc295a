"""Events of jobs that the broker would not take and that were set aside: they are tried again (R-181)."""

from typing import Final

from accounts import audit
from accounts.principal import Principal
from accounts.roles import RUNS_OPERATE
from runs.store.outbox import retry_aside

MOST: Final = 10_000
"""So many are tried again by one call."""


def retry(who: Principal, *, reason: str | None = None) -> int:
    """Have those of the tenant tried now, up to `MOST`, and not only when they are due; gives how many."""
    who.require(RUNS_OPERATE)
    count = retry_aside(who.tenant_id, MOST)
    if count:
        audit.record(who, "dispatch.retry", f"{count} events", reason=reason)
    return count
