"""Telemetry counted to its end. It waits for transactions that are older than what it counts, and those of tests beside
this one, on the same server, may be open for minutes: here they are let through.
"""

from django.db.models import Max

from operations.telemetry import counting as duty
from operations.telemetry.models import TelemetryCursor
from runs.models import HistoryEvent


def let_through() -> None:
    """As if whoever has a transaction open were done: all that is visible may be counted now."""
    last = HistoryEvent.unsafe_all_tenants.aggregate(last=Max("id"))["last"]
    if last is not None:
        TelemetryCursor.objects.update(upto=last, ahead=last)


def count_all() -> int:
    """Count until nothing is left; gives how many ids of events."""
    count = duty.count()
    let_through()
    # One call counts for a bounded time: on a busy machine that is not all of a month.
    while more := duty.count():
        count += more
    return count
