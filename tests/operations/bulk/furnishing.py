"""A bulk job of a tenant."""

from tests.operations.bulk.factories import BulkJobFactory
from workflows.models import WorkflowVersion


def furnish(_):
    """The id of a bulk job of no runs."""
    version = WorkflowVersion.unsafe_all_tenants.get(workflow__name="ours", number=1)
    job = BulkJobFactory(from_version=version, created_by="admin-of-ours")
    return {"bulk": str(job.pk)}
