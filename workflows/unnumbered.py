"""Versions without a number: what test runs run, and what containers do for their items. Each content is kept once."""

from collections.abc import Mapping

from engine.bodies import definition_of
from engine.canonical import content_hash
from engine.catalogue import BODY, Json
from steps.catalogue import EXECUTABLE
from workflows.models import WorkflowVersion


def keep(tenant: int, workflow: int, definition: Mapping[str, Json], by: int) -> int:
    """The version without a number that has this content, made where there is none."""
    digest = content_hash(definition)
    version = WorkflowVersion(
        tenant_id=tenant,
        workflow_id=workflow,
        is_test=True,
        definition=definition,
        content_hash=digest,
        published_by_id=by,
    )
    WorkflowVersion.objects.bulk_create([version], ignore_conflicts=True)
    rows = WorkflowVersion.with_tests.for_tenant(tenant).filter(
        workflow_id=workflow, is_test=True, content_hash=digest
    )
    return rows.values_list("pk", flat=True).get()


def version_of_part(version_id: int, container: str) -> int:
    """The version that does for an item what a container of that version says. Raises DoesNotExist, LookupError."""
    version = WorkflowVersion.unsafe_all_tenants.get(pk=version_id)
    node = next(node for node in version.definition["nodes"] if node["id"] == container)
    definition = definition_of(node, node["params"][BODY], EXECUTABLE)
    if definition is None:
        raise LookupError(container)
    return keep(version.tenant_id, version.workflow_id, definition, version.published_by_id)
