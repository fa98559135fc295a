"""What the OpenAPI document shows as examples of tasks, by the names of the schemas."""

from typing import Any, Final

_SUMMARY: Final[dict[str, Any]] = {
    "id": "01a22e0c-a30a-7297-b710-e1267a88dc42",
    "run_id": "01a22e0c-a21c-7938-98c4-ab7d8f6574b8",
    "workflow": "expense_claim",
    "node": "review",
    "kind": "approval",
    "title": "Review the claim",
    "status": "OPEN",
    "priority": 0,
    "candidates": {"users": [], "groups": [], "roles": []},
    "exclude": [],
    "assignee": None,
    "stands_in_for": None,
    "delegated_by": None,
    "due_at": "2026-06-10T11:26:05Z",
    "follow_up_at": None,
    "outcomes": [
        {"name": "approved", "label": "Approve", "require_comment": False, "sign": False},
        {"name": "rejected", "label": "Reject", "require_comment": True, "sign": False},
    ],
    "outcome": None,
    "decided_by": None,
    "decided_for": None,
    "decided_at": None,
    "created_at": "2026-06-07T11:26:05Z",
    "asked_at": None,
    "asked_by": None,
    "asked_of": None,
    "returned_to": None,
    "returned_by": None,
    "quorum": {"need": 1, "rule": "veto"},
    "proxies": [],
    "round": 1,
    "test": False,
    "may_decide": True,
    "undecidable": None,
}
_TASK: Final[dict[str, Any]] = _SUMMARY | {
    "instructions": "",
    "facts": [],
    "changed": [],
    "approves": None,
    "form": None,
    "data": None,
    "comment": "",
    "comments": 0,
    "snoozed_until": None,
    "watching": False,
    "held": None,
    "shown_hash": "b7beb52b0a3424a26e20438cafe75a65f5f7765133812b5a340366ae62ff8d41",
}
EXAMPLES: Final[dict[str, Any]] = {
    "TaskSummary": _SUMMARY,
    "Task": _TASK,
    "CompleteTaskRequest": {"outcome": "approved", "comment": "The receipts are complete."},
    "post_task_complete": _TASK
    | {
        "status": "COMPLETED",
        "outcome": "approved",
        "comment": "The receipts are complete.",
        "decided_by": "bob",
        "decided_at": "2026-06-08T09:12:30Z",
        "may_decide": False,
    },
}
