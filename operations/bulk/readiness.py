"""How the check before publishing moves open runs: by a bulk job."""

from operations.bulk.models import MIGRATE
from workflows.models import Workflow
from workflows.readiness.findings import Move


def move_of(workflow: Workflow, version: int) -> Move:
    """The request that moves the open runs of a workflow, on whatever version, to the one of this number."""
    body = {"verb": MIGRATE, "query": f'workflow:"{workflow.name}"', "version": version}
    return Move("POST", "/api/v1/bulk-jobs", body)
