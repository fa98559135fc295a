"""What has ended is counted, once it is committed (`store/meters.py`)."""

from functools import partial

from django.db import transaction

from runs.kernel.transition import Result
from runs.store import meters


def count_ended(result: Result) -> None:
    """Count the steps that a transaction has ended or decided, after the outermost one that is open has committed."""
    statuses = [planned.row["status"] for planned in result.written if planned.step.id in result.applied]
    transaction.on_commit(partial(meters.ended, statuses + result.decided))
