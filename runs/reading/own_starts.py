"""What somebody did before with the form that starts a workflow: what they kept, and what they started it with last."""

from django.db.models import QuerySet

from accounts.principal import Principal
from engine.catalogue import Json
from runs.models import Run, StartDraft
from runs.store import payloads
from workflows.models import Workflow
from workflows.ports import Earlier, KeptEntries

LOOKED_AT = 1000
"""Among so many runs of the workflow, the last ones, theirs is looked for."""


def earlier(who: Principal, workflow: Workflow) -> Earlier:
    """What they have kept, and when they started it last, in two queries."""
    drafts = StartDraft.objects.for_tenant(who.tenant_id).filter(workflow=workflow, user_id=who.user_id)
    draft = drafts.first()
    draft_entries = KeptEntries(draft.kind, draft.entries, draft.saved_at) if draft else None
    return Earlier(draft_entries, _own(who, workflow).values_list("created_at", flat=True).first())


def last_input(who: Principal, workflow: Workflow) -> Json:
    """The input of the run that they started last; None where there is none."""
    return payloads.whole(who.tenant_id, _own(who, workflow).values_list("input", flat=True).first())


def _own(who: Principal, workflow: Workflow) -> QuerySet[Run]:
    rows = Run.objects.for_tenant(who.tenant_id).filter(workflow_id=workflow.pk, is_test=False, is_part=False)
    recent = rows.order_by("-id").values("id")[:LOOKED_AT]
    return (
        Run.objects.for_tenant(who.tenant_id).filter(id__in=recent, created_by=who.username).order_by("-id")
    )
