"""What came of a webhook's messages lately: the runs that they started and the signals that they were."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Case, F, Func, IntegerField, Q, QuerySet, TextField, When
from django.db.models.functions import Cast

from accounts.principal import Principal
from accounts.roles import RUNS_READ
from lib.stored_json import stored_loads
from runs.access import readable_runs
from runs.models import Run, Signal
from runs.reading import queries
from runs.reading.stored import LISTED
from runs.reading.unindexed import of_newest
from runs.store.references import MARK, references_in
from triggers.webhooks.actions import name_in_history
from triggers.webhooks.limits import RECEIVED_ROWS
from triggers.webhooks.models import InboundWebhook

RUNS_LOOKED_AT = 2_000
"""Signals are looked for among those to so many of the newest runs of the workflow."""
STARTED, SIGNALLED = "start", "signal"


@dataclass(frozen=True, slots=True)
class Effect:
    """What a message has done: it started a run, or was a signal to one; `brought`: the run's input or the signal's
    payload, as JSON; empty where it has more bytes (`size`, as it is stored) than a list shows.
    """

    at: datetime
    kind: str
    run_id: UUID
    brought: str
    size: int
    signal: str | None = None
    is_taken: bool | None = None
    """Of a signal whether a step has gone on with it."""

    @property
    def is_cut(self) -> bool:
        """Whether what it brought is not shown."""
        return not self.brought


def effects_of(principal: Principal, webhook: InboundWebhook) -> list[Effect]:
    """What came of the webhook's messages lately, newest first, of the runs that they may read. Two statements, and
    one more for whoever may not read all runs.
    """
    if RUNS_READ not in principal.scopes:
        return []
    runs = readable_runs(principal)
    effects = [
        *_starts(principal.tenant_id, webhook, runs),
        *_signals(principal.tenant_id, webhook, runs),
    ]
    return sorted(effects, key=lambda one: one.at, reverse=True)[:RECEIVED_ROWS]


def _starts(tenant: int, webhook: InboundWebhook, within: QuerySet[Run]) -> list[Effect]:
    runs = queries.runs_of(tenant, workflow=webhook.workflow.name, within=within)
    rows = _bounded(of_newest(runs, _done_by(webhook, "created_by")), "input")
    values = rows.values_list("created_at", "pk", "text", "size")[:RECEIVED_ROWS]
    return [Effect(at, STARTED, run, *_brought(text, size)) for at, run, text, size in values]


def _signals(tenant: int, webhook: InboundWebhook, within: QuerySet[Run]) -> list[Effect]:
    newest = within.filter(workflow_id=webhook.workflow_id, is_test=False, is_part=False).order_by("-id")
    signals = Signal.objects.for_tenant(tenant).filter(
        _done_by(webhook, "sent_by"), root_id__in=newest.values("root_id")[:RUNS_LOOKED_AT]
    )
    rows = _bounded(signals, "payload").annotate(taken=F("consumed_at"))
    values = rows.values_list("created_at", "run_id", "text", "size", "name", "taken")[:RECEIVED_ROWS]
    return [
        # A signal without a payload has none to be cut.
        Effect(
            at,
            SIGNALLED,
            run,
            *(("null", 0) if size is None else _brought(text, size)),
            name,
            taken_at is not None,
        )
        for at, run, text, size, name, taken_at in values
    ]


def _brought(text: str | None, size: int) -> tuple[str, int]:
    """What is shown of a value and how large it is; what is kept beside the database is too large to be shown."""
    if text and MARK.decode() in text and (references := [*references_in(stored_loads(text))]):
        return "", sum(reference.size for reference in references)
    return text or "", size


def _done_by(webhook: InboundWebhook, column: str) -> Q:
    """What was done under a name of this webhook while it had it: another one may have had it before or since."""
    condition = Q()
    for name, since, until in _names(webhook):
        by_name = Q(**{column: name_in_history(name)}, created_at__gte=since)
        condition |= by_name if until is None else by_name & Q(created_at__lt=until)
    return condition


def _names(webhook: InboundWebhook) -> Iterator[tuple[str, datetime, datetime | None]]:
    since = webhook.created_at
    for name, ended in webhook.former_names or ():
        until = datetime.fromisoformat(ended)
        yield name, since, until
        since = until
    yield webhook.name, since, None


def _bounded(rows: QuerySet[Any], column: str) -> QuerySet[Any]:
    """The rows, newest first, each with the `size` of a value as it is stored, and as `text` where that is within the
    bounds of a list: a larger one is not even unpacked, as in `show_runs`.
    """
    size = Func(F(column), function="pg_column_size", output_field=IntegerField())
    is_small = When(size__lte=LISTED.own, then=Cast(column, TextField()))
    sized = rows.order_by("-id").annotate(size=size)
    read: QuerySet[Any] = sized.annotate(text=Case(is_small, output_field=TextField()))
    return read
