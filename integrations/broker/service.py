"""Events of jobs that the broker would not take and that were set aside: they are tried again (R-181)."""

from dataclasses import dataclass

from accounts import audit
from accounts.principal import Principal
from accounts.roles import OPERATE, RUNS_OPERATE
from integrations.broker.limits import RETRIED_EVENTS, SEARCHES
from integrations.broker.parked_events import asides_with
from integrations.broker.store import retry_aside, waiting_asides
from lib.clock import now_here
from lib.english import counted


@dataclass(frozen=True, slots=True)
class Retried:
    """How many events are tried again; `more`: whether there may be others."""

    count: int
    more: bool


def retry(who: Principal, *, reason: str | None = None) -> Retried:
    """Try parked events of jobs whose runs they may operate now, not only when they are due.

    Up to `RETRIED_EVENTS` among those that `SEARCHES` find. Events of polled jobs are passed over: they go when they
    are due, so that a later call comes further.
    """
    who.require(RUNS_OPERATE)
    now, ids = now_here(), list[int]()
    behind: int | None = 0
    for _ in range(SEARCHES):
        # Never fewer than a look finds: what is due already, or others' to operate, is dropped only afterwards.
        nodes, behind = waiting_asides(who.tenant_id, behind, RETRIED_EVENTS)
        if nodes:
            later = asides_with(who, OPERATE, nodes).filter(due_at__gt=now)
            ids += later.values_list("pk", flat=True)
        if behind is None or len(ids) >= RETRIED_EVENTS:
            break
    count = retry_aside(who.tenant_id, ids[:RETRIED_EVENTS])
    if count:
        audit.record(who, "dispatch.retry", counted(count, "event"), reason=reason)
    return Retried(count, more=behind is not None or len(ids) > RETRIED_EVENTS)
