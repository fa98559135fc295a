"""What runs are asked for that no index of runs has: tests of one run after the other, within a bound."""

import json
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import and_
from typing import Any
from uuid import UUID

from django.db.models import (
    BooleanField,
    Case,
    Exists,
    F,
    Func,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    TextField,
    UUIDField,
    Value,
    When,
    Window,
)
from django.db.models.functions import Cast, Coalesce
from django.db.models.lookups import IContains, LessThanOrEqual

from runs.models import DeadLetter, Run, RunKey
from runs.reading.inputs import STORED
from runs.reading.search_words import InputTest
from workflows.models import WorkflowVersion

UNRESOLVED = "UNRESOLVED"
READ_AT_ONCE = 20_000
"""So many runs are tested for one answer; behind them an answer is a bound."""
BYTES_TESTED = 16 * 1024 * 1024
"""So much of their inputs, as stored, is read for that."""
UNINDEXED = frozenset({"version", "values", "inputs", "where"})
"""Filters that are tests of each run, beside the status `UNRESOLVED`."""
_LEAST, _GREATEST = UUID(int=0), UUID(int=2**128 - 1)


def has_tests(filters: Mapping[str, Any]) -> bool:
    """Whether some of these filters of `queries.runs_of` are in no index."""
    return not UNINDEXED.isdisjoint(filters) or filters.get("status") == UNRESOLVED


def condition_of(
    tenant: int,
    *,
    workflow: str | None = None,
    status: str | None = None,
    version: int | None = None,
    values: Mapping[str, str] | None = None,
    inputs: Sequence[InputTest] = (),
    **_: Any,
) -> Q | None:
    """What has to be tested of each run for these filters of `queries.runs_of`; None where an index has all of them."""
    conditions = [Q(**values)] if values else []
    if version is not None:
        conditions.append(Q(version_id__in=_versions(tenant, workflow, version)))
    if status == UNRESOLVED:
        conditions.append(_unresolved(tenant))
    if inputs:
        conditions.append(condition_of_inputs(inputs))
    return reduce(and_, conditions) if conditions else None


def condition_of_inputs(inputs: Sequence[InputTest]) -> Q:
    """That inputs pass all of these tests; those beside the database pass none."""
    return reduce(and_, [Q(_Holds("input", one.json_path)) for one in inputs])


def of_newest(runs: QuerySet[Run], condition: Q, *, most_bytes: int | None = None) -> QuerySet[Run]:
    """Those of the newest `READ_AT_ONCE` of these runs that fit a condition that no index has; none behind those whose
    inputs are `most_bytes` together.
    """
    first_id = last_of(runs, READ_AT_ONCE)
    if most_bytes is None:
        return runs.filter(condition, id__gte=first_id)
    newest = runs.filter(id__gte=first_id)
    together = newest.order_by().values("tenant_id").annotate(bytes=Sum(STORED)).values("bytes")
    summed = Window(Sum(STORED), order_by=F("id").desc())
    fitting = newest.annotate(bytes=summed).filter(bytes__lte=most_bytes)
    # Where all fit, as usual, they needn't be summed one by one, which takes three times as long.
    bounded = Case(
        When(LessThanOrEqual(Subquery(together), most_bytes), then=first_id),
        default=Subquery(fitting.order_by("id").values("pk")[:1]),
        output_field=UUIDField(),
    )
    return runs.filter(condition, id__gte=bounded)


def last_of(runs: QuerySet[Run], count: int, *, rising: bool = False) -> Coalesce:
    """The id of the last of so many of these runs, the newest first or, `rising`, the oldest; where there are fewer one
    that none is behind. What is bounded by it is read along an index; as members of a set the planner joins them last,
    and looks for what no index has among all runs.
    """
    ids = runs.order_by("id" if rising else "-id").values("pk")[count - 1 : count]
    return Coalesce(Subquery(ids), Value(_GREATEST if rising else _LEAST), output_field=UUIDField())


def holds_text(text: str) -> Q:
    """That a text stands in the key of a run, or in its input as JSON writes it; not in one beside the database."""
    spelled = json.dumps(text, ensure_ascii=False)[1:-1]
    return Q(business_key__icontains=text) | Q(IContains(Cast("input", TextField()), spelled))


class _Holds(Func):
    """Whether a value of JSON fits a `jsonpath`; one that can't be compared doesn't."""

    function = "jsonb_path_exists"
    output_field = BooleanField()
    template = "%(function)s(%(expressions)s::jsonpath, '{}', true)"

    def __init__(self, column: str, path: str) -> None:
        super().__init__(column, Value(path, output_field=TextField()))


def _versions(tenant: int, workflow: str | None, number: int) -> QuerySet[WorkflowVersion, Any]:
    versions = WorkflowVersion.objects.for_tenant(tenant).filter(number=number)
    return (versions.filter(workflow__name=workflow) if workflow is not None else versions).values("pk")


def _unresolved(tenant: int) -> Q:
    """Of failed runs: those whose business key no newer run has, and of whose dead letters one is open or none is
    resolved.
    """
    key = RunKey.objects.for_tenant(tenant).filter(
        workflow_id=OuterRef("workflow_id"), business_key=OuterRef("business_key")
    )
    letters = DeadLetter.objects.for_tenant(tenant).filter(run_id=OuterRef("pk"))
    has_resolved, has_open = letters.filter(resolution__isnull=False), letters.filter(resolution=None)
    return ~Exists(key.exclude(run_id=OuterRef("pk"))) & (~Exists(has_resolved) | Exists(has_open))
