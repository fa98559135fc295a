"""What somebody has typed to start a workflow and not sent yet: kept for them alone, unchecked, until it is started."""

from collections.abc import Mapping

from accounts.principal import Principal
from lib.clock import now_here
from lib.refusals import Invalid, TooLarge
from lib.strict_json import BadJson, JsonTooLarge, strict_dumps
from runs.limits import START_DRAFT_BYTES
from runs.models import StartDraft
from workflows.models import Workflow

KINDS = ("form", "json")


def keep_start(who: Principal, workflow: Workflow, kind: str, entries: Mapping[str, str]) -> StartDraft:
    """Keep what they have typed, right or wrong, instead of what they had kept before.

    Raises Invalid for what can't be kept, TooLarge for too much.
    """
    if kind not in KINDS:
        raise Invalid("Send either a form or JSON.", code="unknown_kind", field="input_kind")
    try:
        strict_dumps(dict(entries), max_bytes=START_DRAFT_BYTES)
    except JsonTooLarge as error:
        raise TooLarge(error.message, field="input") from None
    except BadJson as error:
        raise Invalid(error.message, code="bad_json", field="input") from None
    draft = StartDraft(
        tenant_id=who.tenant_id,
        workflow=workflow,
        user_id=who.user_id,
        kind=kind,
        entries=dict(entries),
        saved_at=now_here(),
    )
    StartDraft.objects.bulk_create(
        [draft],
        update_conflicts=True,
        unique_fields=["workflow", "user"],
        update_fields=["kind", "entries", "saved_at"],
    )
    return draft


def drop_start(who: Principal, workflow: Workflow) -> None:
    """Forget what they have typed, if anything."""
    StartDraft.objects.for_tenant(who.tenant_id).filter(workflow=workflow, user_id=who.user_id).delete()
