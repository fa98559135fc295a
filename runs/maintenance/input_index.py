"""The index of searchable fields of inputs, made behind the starts of runs, which cost no more for it.

For each workflow of which a version marks fields it goes on in both directions: to the newest runs, but for those that
may not be committed yet, and back through those from before the fields were marked.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from engine.catalogue import Json
from engine.searchable import SEARCHABLE_FIELDS
from lib.clock import now_here
from lib.search_keys import key_of, values_at
from lib.uuid7 import least_at
from runs.limits import INDEXED_ITEMS
from runs.models import InputField, InputIndex, Run
from runs.reading.inputs import inputs_of
from workflows.queries import searchable_workflows

TICK_SECONDS = 0.8
BATCH = 200
LAG = timedelta(minutes=5)
"""A start commits sooner than that after the id of its run was made."""
FIRST = UUID(int=0)


@dataclass(frozen=True, slots=True)
class _Marked:
    tenant: int
    workflow: int
    paths: Sequence[str]


def index(seconds: float = TICK_SECONDS) -> int:
    """Index runs of each workflow with searchable fields, for at most `seconds`; gives how many."""
    until, count = time.monotonic() + seconds, 0
    marked = [_Marked(*one) for one in searchable_workflows()]
    states = InputIndex.unsafe_all_tenants.in_bulk([one.workflow for one in marked])
    # In turn: who has most left comes last.
    todo = sorted(marked, key=lambda one: states[one.workflow].top if one.workflow in states else FIRST)
    while todo and time.monotonic() < until:
        rest = []
        for one in todo:
            indexed = _index_some(one)
            count += indexed
            if indexed:
                rest.append(one)
        todo = rest
    return count


def _index_some(marked: _Marked) -> int:
    """Index the next runs of a workflow in both directions; gives how many."""
    edge = least_at(now_here() - LAG)
    with transaction.atomic():
        paths = list(marked.paths)[:SEARCHABLE_FIELDS]
        first = {"tenant_id": marked.tenant, "paths": paths, "low": edge, "top": edge}
        InputIndex.objects.for_tenant(marked.tenant).get_or_create(
            workflow_id=marked.workflow, defaults=first
        )
        rows = InputIndex.objects.for_tenant(marked.tenant).select_for_update(skip_locked=True)
        state = rows.filter(pk=marked.workflow).first()
        if state is None:
            # Another process is at it.
            return 0
        if state.paths != paths:
            state.paths, state.low = paths, state.top
        runs = Run.objects.for_tenant(marked.tenant).filter(
            workflow_id=marked.workflow, is_part=False, is_test=False
        )
        newer = _indexed(marked, runs.filter(id__gte=state.top, id__lt=edge).order_by("id"))
        state.top = max(state.top, UUID(int=newer[-1].int + 1) if len(newer) == BATCH else edge)
        older: Sequence[UUID] = ()
        if state.low > FIRST:
            older = _indexed(marked, runs.filter(id__lt=state.low).order_by("-id"))
            state.low = older[-1] if len(older) == BATCH else FIRST
        rows.filter(pk=state.pk).update(paths=state.paths, low=state.low, top=state.top)
    return len(newer) + len(older)


def _indexed(marked: _Marked, runs: QuerySet[Run]) -> list[UUID]:
    """Index the first of these runs; gives their ids."""
    inputs = dict(inputs_of(runs[:BATCH]))
    rows = [row for run, value in inputs.items() for row in _rows(marked, run, value)]
    InputField.objects.for_tenant(marked.tenant).bulk_create(rows, ignore_conflicts=True)
    return list(inputs)


def _rows(marked: _Marked, run: UUID, value: Json) -> Iterator[InputField]:
    for path in marked.paths:
        keys = _keys(values_at(value, path.split(".")))
        for text, number in list(keys.items())[:INDEXED_ITEMS]:
            yield InputField(tenant_id=marked.tenant, run_id=run, path=path, text=text, number=number)


def _keys(values: Iterable[Json]) -> Mapping[str, Json]:
    return dict(key for value in values if (key := key_of(value)) is not None)
