"""What happened to a run, as its graph, its timeline and the way back through it take it (`happened.py`)."""

import json
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Max, QuerySet
from django.db.models.fields.json import KeyTextTransform

from runs.models import HistoryEvent
from runs.reading.happened import MOST_EVENTS, Extent, Happened


def events_of(tenant: int, run_id: UUID | str, most: int = MOST_EVENTS) -> list[Happened]:
    """What happened to a run, in the order in which it did; of very much, the first that did.

    What happened to containers' children is left out.
    """
    rows = _shown_events(tenant, run_id).values_list(
        "id",
        "type",
        "node",
        "attempt",
        KeyTextTransform("started_at", "payload"),
        "created_at",
        KeyTextTransform("taken", "payload"),
    )
    return [
        Happened(
            id_,
            type_,
            node,
            attempt,
            datetime.fromisoformat(started) if started else None,
            at,
            tuple(json.loads(taken)) if taken else None,
        )
        for id_, type_, node, attempt, started, at, taken in rows[:most]
    ]


def extent_of(tenant: int, run_id: UUID | str, most: int = MOST_EVENTS) -> Extent:
    """How far what `events_of` gives of a run goes, without reading it."""
    first = _shown_events(tenant, run_id).values("id", "created_at")[:most]
    return Extent(**first.aggregate(events=Count("id"), last=Max("id"), at=Max("created_at")))


def _shown_events(tenant: int, run_id: UUID | str) -> QuerySet[HistoryEvent]:
    events = HistoryEvent.objects.for_tenant(tenant).filter(run_id=run_id)
    return events.exclude(payload__has_key="index").order_by("id")
