"""Comments go with a step that gets another id. The workflow's row is locked by whoever calls this."""

from collections.abc import Iterable

from django.db.models import F

from workflows.document.changes import Change
from workflows.document.renames import renamed
from workflows.models import StepThread, Workflow


def follow(workflow: Workflow, changes: Iterable[Change]) -> None:
    """What is said of steps which these changes rename is said of them under their new ids."""
    ids = renamed(changes)
    if not ids:
        return
    threads = list(
        StepThread.objects.for_tenant(workflow.tenant_id).filter(workflow=workflow, node__in=list(ids))
    )
    for thread in threads:
        thread.node = ids[thread.node]
    if threads:
        StepThread.objects.for_tenant(workflow.tenant_id).bulk_update(threads, ["node"], batch_size=500)
        tell(workflow)


def tell(workflow: Workflow) -> None:
    """Whoever has the draft open asks for its comments again."""
    rows = Workflow.objects.for_tenant(workflow.tenant_id).filter(pk=workflow.pk)
    rows.update(comments_number=F("comments_number") + 1)
