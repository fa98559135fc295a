"""The signals of a run: those that were sent to it, and those that its steps have taken (R-039, R-129)."""

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Case, F, IntegerField, Q, QuerySet, Value, When
from django.db.models.expressions import RawSQL
from django.db.models.fields.json import KT

from engine.catalogue import Json
from engine.events import EventType
from lib.blobs import BlobError
from lib.stored_json import StoredJson
from runs.limits import LISTED_SIGNAL_BYTES
from runs.models import HistoryEvent, Run, Signal, StepExecution
from runs.store import payloads

# The size of what is stored where that is too much already: to know more it would have to be unpacked.
_BYTES = """CASE WHEN runs_signal.payload IS NULL THEN 0
 WHEN pg_column_size(runs_signal.payload) > %s THEN pg_column_size(runs_signal.payload)
 ELSE octet_length(runs_signal.payload::text) END"""


def signals_of(run: Run) -> QuerySet[Signal]:
    """The signals that were sent to a run, that are kept for it, and that steps of it have taken."""
    signals = Signal.objects.for_tenant(run.tenant_id)
    taken = HistoryEvent.objects.for_tenant(run.tenant_id).filter(
        run_id=run.id, type=EventType.SIGNAL_CONSUMED
    )
    own = Q(run_id=run.id, child_id=None) | Q(child_id=run.root_id)
    if run.tree_id is None:
        # The root of a tree is told of them all; a run that goes on as a new one leaves to it what nobody has taken.
        own = Q(run_id=run.id) | Q(consumed_at=None)
    of_tree = signals.filter(root_id=run.tree_id or run.root_id)
    return of_tree.filter(own | Q(signal_id__in=taken.annotate(sent=KT("payload__signal_id")).values("sent")))


def with_payloads(signals: QuerySet[Signal], most: int | None = LISTED_SIGNAL_BYTES) -> QuerySet[Signal]:
    """The signals with their payloads as `shown`, up to so many bytes each, and with their sizes as `bytes`."""
    limit = 2**31 - 1 if most is None else most
    signals = signals.defer("payload").annotate(
        bytes=RawSQL(_BYTES, [limit], output_field=IntegerField()),  # noqa: S611
    )
    payload = Case(When(bytes__lte=limit, then=F("payload")), default=Value(None), output_field=StoredJson())
    return signals.annotate(shown=payload)


def signal_rows(
    tenant: int, signals: Sequence[Any], most: int | None = LISTED_SIGNAL_BYTES
) -> list[dict[str, Json]]:
    """Signals of `with_payloads` as programs are given them; two statements at most."""
    places = _places(tenant, {one.step_id for one in signals if one.consumed_at and one.step_id})
    return [
        {
            "id": one.id,
            "run_id": one.run_id,
            "signal_id": one.signal_id,
            "name": one.name,
            **_payload(tenant, one, most),
            "child": one.child_id,
            "index": one.index,
            "sent_by": one.sent_by,
            "sent_at": one.created_at,
            "processed": one.consumed_at is not None,
            "processed_at": one.consumed_at,
            "processed_by": places.get(one.step_id),
        }
        for one in signals
    ]


def _payload(tenant: int, signal: Any, most: int | None) -> dict[str, Json]:
    facts: dict[str, Json] = {"payload": None, "truncated": None, "unreadable": None}
    if signal.bytes and most is not None and signal.bytes > most:
        return facts | {"truncated": signal.bytes}
    if not payloads.has_references(signal.shown):
        return facts | {"payload": signal.shown}
    if most is not None and (size := payloads.size_of(signal.shown)) > most:
        return facts | {"truncated": size}
    try:
        return facts | {"payload": payloads.whole(tenant, signal.shown)}
    except BlobError as error:
        return facts | {"unreadable": error.message}


def _places(tenant: int, steps: Collection[UUID]) -> dict[UUID, dict[str, Json]]:
    """Where these steps are: their run, node, and the index of the item that they are or belong to."""
    if not steps:
        return {}
    rows = StepExecution.objects.for_tenant(tenant).filter(pk__in=steps)
    places = {
        step: (run, node, index)
        for step, run, node, index in rows.values_list("pk", "run_id", "node", "index")
    }
    runs = {run for run, _, index in places.values() if index is None}
    within = dict(
        Run.objects.for_tenant(tenant).filter(pk__in=runs, tree_id__isnull=False).values_list("pk", "place")
    )
    return {
        step: {"run": run, "node": node, "index": _item(within.get(run)) if index is None else index}
        for step, (run, node, index) in places.items()
    }


def _item(place: Sequence[Sequence[Json]] | None) -> int | None:
    """The index of the innermost item on the way down to a run."""
    return next((index for _, index in reversed(place or ()) if index is not None), None)
