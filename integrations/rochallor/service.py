"""All that rochallor's doors may ask for (R-156): REST and gRPC call these, and nothing below them.

Each takes who asks and plain values, gives plain values (`values.py`), and raises RochallorError (`errors.py`).
"""

from integrations.rochallor.callers import caller
from integrations.rochallor.definitions import get_definition, list_definitions, upload_definition
from integrations.rochallor.errors import RochallorError
from integrations.rochallor.instances import (
    cancel_instance,
    get_instance,
    history,
    list_instances,
    start_instance,
)
from integrations.rochallor.jobs import complete_job, fail_job, poll_jobs, refuse_result
from integrations.rochallor.parked import complete_user_task, complete_user_task_by_id, signal_wait

__all__ = [
    "RochallorError",
    "caller",
    "cancel_instance",
    "complete_job",
    "complete_user_task",
    "complete_user_task_by_id",
    "fail_job",
    "get_definition",
    "get_instance",
    "history",
    "list_definitions",
    "list_instances",
    "poll_jobs",
    "refuse_result",
    "signal_wait",
    "start_instance",
    "upload_definition",
]
