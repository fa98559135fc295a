"""What the OpenAPI document shows as examples of workflows, by the names of the schemas."""

from typing import Any, Final

_WORKFLOW: Final[dict[str, Any]] = {
    "name": "expense_claim",
    "title": "Expense claim",
    "description": "",
    "folder": "General",
    "version": None,
    "draft_revision": 1,
    "draft_updated_at": "2026-06-07T11:26:00Z",
    "created_at": "2026-06-07T11:26:00Z",
    "archived_at": None,
}
EXAMPLES: Final[dict[str, Any]] = {
    "CreateWorkflowRequest": {
        "name": "expense_claim",
        "definition": {
            "name": "expense_claim",
            "title": "Expense claim",
            "nodes": [
                {
                    "id": "check",
                    "title": "Check",
                    "type": "job",
                    "queue": "checks",
                    "params": {"amount": "{{ input.amount }}"},
                },
                {
                    "id": "review",
                    "title": "Review",
                    "type": "human.approval",
                    "params": {"title": "Review the claim", "due_seconds": 259200},
                },
            ],
            "edges": [{"from": "check", "to": "review"}],
        },
    },
    "Workflow": _WORKFLOW,
    "DraftedWorkflow": _WORKFLOW | {"problems": []},
    "PublishRequest": {"note": "First version"},
    "Published": {
        "workflow": "expense_claim",
        "version": 1,
        "content_hash": "0e587f333fc36b56b7c86e51b4edf3197b7b652f608bd3e624a3f884e63591ff",
        "note": "First version",
        "published_at": "2026-06-07T11:26:00Z",
        "published_by": "ann",
        "published_by_name": "Ann Lee",
        "withdrawn": None,
        "problems": [],
        "readiness": {"revision": 1, "version": 1, "ready": True, "findings": []},
    },
}
