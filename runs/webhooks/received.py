"""What came of a webhook's messages lately: the runs that they started and the signals that they were."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import F, TextField
from django.db.models.functions import Cast, Left, Length

from accounts.principal import Principal
from accounts.roles import RUNS_READ
from engine.catalogue import Json
from runs.access import readable
from runs.models import InboundWebhook, Run, Signal
from runs.reading import queries
from runs.webhooks.actions import name_in_history

MOST = 20
LONGEST = 2_000
"""So many characters of what a message brought are shown."""
RUNS_LOOKED_AT = 2_000
"""Signals are looked for among those to so many of the newest runs of the workflow."""
STARTED, SIGNALLED = "start", "signal"


@dataclass(frozen=True, slots=True)
class Effect:
    """What a message has done: it started a run, or was a signal to one; `brought`: the run's input or the signal's
    payload, as JSON, cut where `is_cut`.
    """

    at: datetime
    kind: str
    run_id: UUID
    brought: str
    is_cut: bool
    signal: str | None = None
    is_taken: bool | None = None
    """Of a signal whether a step has gone on with it."""


def effects_of(principal: Principal, webhook: InboundWebhook) -> list[Effect]:
    """What came of the webhook's messages lately, newest first, of the runs that they may read; two statements.

    What it did under another name is not among them.
    """
    if RUNS_READ not in principal.scopes:
        return []
    by = name_in_history(webhook.name)
    runs = readable(Run.objects.for_tenant(principal.tenant_id), principal)
    effects = [
        *_starts(principal.tenant_id, webhook, by, runs),
        *_signals(principal.tenant_id, webhook, by, runs),
    ]
    return sorted(effects, key=lambda one: one.at, reverse=True)[:MOST]


def _starts(tenant: int, webhook: InboundWebhook, by: str, within: Json) -> list[Effect]:
    rows = queries.runs_of(tenant, workflow=webhook.workflow.name, created_by=by, within=within)
    text = Cast("input", TextField())
    read = rows.order_by("-id").annotate(text=Left(text, LONGEST), size=Length(text))
    values = read.values_list("created_at", "pk", "text", "size")[:MOST]
    return [Effect(at, STARTED, run, brought, size > LONGEST) for at, run, brought, size in values]


def _signals(tenant: int, webhook: InboundWebhook, by: str, within: Json) -> list[Effect]:
    newest = within.filter(workflow_id=webhook.workflow_id, is_test=False).order_by("-id")
    sent = Signal.objects.for_tenant(tenant).filter(
        root_id__in=newest.values("root_id")[:RUNS_LOOKED_AT], sent_by=by
    )
    text = Cast("payload", TextField())
    read = sent.order_by("-id").annotate(text=Left(text, LONGEST), size=Length(text), taken=F("consumed_at"))
    values = read.values_list("created_at", "run_id", "text", "size", "name", "taken")[:MOST]
    return [
        Effect(at, SIGNALLED, run, brought or "null", (size or 0) > LONGEST, name, taken is not None)
        for at, run, brought, size, name, taken in values
    ]
