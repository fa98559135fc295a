"""All that S4's doors may ask for (R-156): REST and gRPC call these, and nothing below them.

Each takes who asks and plain values, gives plain values (`s4/values.py`), and raises S4Error (`s4/errors.py`).
"""

from s4.callers import caller
from s4.definitions import get_definition, list_definitions, upload_definition
from s4.errors import S4Error
from s4.instances import cancel_instance, get_instance, history, list_instances, start_instance
from s4.jobs import complete_job, fail_job, poll_jobs, refuse_result
from s4.parked import complete_user_task, complete_user_task_by_id, signal_wait

__all__ = [
    "S4Error",
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
