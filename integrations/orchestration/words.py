"""Runs in the words of these routes: six statuses (R-035, C-2), and where a run stands (R-069)."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from engine.statuses import RunStatus
from integrations.orchestration import ids
from runs.reading.run_view import PENDING, WAITING

STATUSES = ["RUNNING", "WAITING", "SUCCEEDED", "FAILED", "COMPENSATING", "WAITING_FOR_MANUAL_ACTION"]
STARTED = "STARTED"
_STATUS_OF: Mapping[str, str] = {
    PENDING: "RUNNING",
    WAITING: "WAITING",
    RunStatus.RUNNING: "RUNNING",
    RunStatus.PAUSED: "WAITING",
    RunStatus.FAILING: "RUNNING",
    RunStatus.CANCELLING: "RUNNING",
    RunStatus.COMPENSATING: "COMPENSATING",
    RunStatus.WAITING_FOR_MANUAL_ACTION: "WAITING_FOR_MANUAL_ACTION",
    RunStatus.COMPLETED: "SUCCEEDED",
    RunStatus.CONTINUED: "SUCCEEDED",
    RunStatus.FAILED: "FAILED",
    RunStatus.CANCELLED: "FAILED",
    RunStatus.COMPENSATED: "FAILED",
}
_ACTIVE = ("QUEUED", "RUNNING", "WAITING")


def execution(run: Mapping[str, Any], tenant: str, changed_at: datetime | None) -> dict[str, Any]:
    """A run as it is shown in these words; `tenant` is the short name of its tenant, `changed_at` when anything last
    happened to it.
    """
    outputs = {step["node"]: step["output"] for step in run["steps"] if step["status"] == "COMPLETED"}
    follower = run["continued_as"]
    return {
        "workflowId": ids.shown_run(run["id"]),
        "workflowType": run["workflow"],
        "tenantId": tenant,
        "businessKey": run["business_key"],
        **standing(run),
        "input": run["input"],
        "context": outputs,
        "output": run["output"],
        "error": run["error"],
        "createdAt": run["created_at"],
        "updatedAt": changed_at or run["created_at"],
        "startedAt": run["started_at"],
        "completedAt": run["completed_at"],
        "continuedTo": None if follower is None else ids.shown_run(follower),
    }


def standing(run: Mapping[str, Any]) -> dict[str, str]:
    """`status`, one of STATUSES, and `currentState`: STARTED, the names of active steps, or how the run ended."""
    return {"status": _STATUS_OF[run["status"]], "currentState": _state(run)}


def _state(run: Mapping[str, Any]) -> str:
    if run["status"] == PENDING:
        return STARTED
    if run["completed_at"] is not None:
        return str(run["status"])
    active = [step["node"] for step in run["steps"] if step["status"] in _ACTIVE]
    return ", ".join(dict.fromkeys(active)) or str(run["status"])
