"""Messages to runs that no step has taken yet."""

from accounts.principal import Principal
from runs.access import of_readable_runs
from runs.models import Signal
from runs.reading.unindexed import READ_AT_ONCE


def unread_signals(who: Principal, most: int) -> list[Signal]:
    """The newest signals that no step of runs that they may read has taken, at most so many, without what they brought;
    among the newest `READ_AT_ONCE` of all, since no index has them.
    """
    ids = Signal.unsafe_all_tenants.order_by("-id").values_list("id", flat=True)
    first = next(iter(ids[READ_AT_ONCE - 1 : READ_AT_ONCE]), None)
    signals = Signal.objects.for_tenant(who.tenant_id).filter(consumed_at__isnull=True)
    if first is not None:
        signals = signals.filter(id__gte=first)
    return list(of_readable_runs(signals, who).defer("payload").order_by("-id")[:most])
