"""What runs were started with, for whoever looks through many of them, in the database and beside it."""

import logging
from collections.abc import Iterator, Mapping
from uuid import UUID

from django.db.models import Case, F, Func, IntegerField, QuerySet, When
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast
from django.db.models.lookups import LessThan

from engine.catalogue import Json
from lib.blobs import BlobAway, BlobError
from runs.limits import REFERENCE_BYTES
from runs.models import Run
from runs.store import payloads

log = logging.getLogger(__name__)

STORED = Func(F("input"), function="pg_column_size", output_field=IntegerField())
"""How many bytes an input takes in the database."""

_BESIDE = Cast(KeyTextTransform("size", "input"), IntegerField())
# Only of a small one it is asked whether it is a reference: the others needn't be unpacked for that.
_OF_SMALL = Case(When(input__has_keys=["$blob", "size"], then=_BESIDE), default=STORED)
BYTES = Case(
    When(LessThan(STORED, REFERENCE_BYTES), then=_OF_SMALL), default=STORED, output_field=IntegerField()
)
"""How many bytes an input takes where it is kept."""


def inputs_of(runs: QuerySet[Run]) -> Iterator[tuple[UUID, Json]]:
    """These runs in their order, each with its whole input. One that can't be read is null, unless the store is away:
    raises BlobAway then.
    """
    for run, tenant, stored in runs.values_list("id", "tenant_id", "input"):
        try:
            yield run, payloads.whole(tenant, stored) if payloads.has_references(stored) else stored
        except BlobAway:
            raise
        except BlobError as error:
            log.warning("The input of run %s can't be indexed: %s", run, error.message)
            yield run, None


def inputs_beside(runs: QuerySet[Run], *, lenient: bool = False) -> Iterator[tuple[UUID, Json]]:
    """Of these runs those whose inputs are kept beside the database, with them.

    Raises BlobError where one can't be read; `lenient`: it is left out then, unless the store is away.
    """
    beside = runs.annotate(stored=STORED).filter(stored__lt=REFERENCE_BYTES, input__has_key="$blob")
    for run, tenant, stored in beside.order_by().values_list("id", "tenant_id", "input"):
        if not payloads.has_references(stored):
            continue
        try:
            yield run, payloads.whole(tenant, stored)
        except BlobAway:
            raise
        except BlobError as error:
            if not lenient:
                raise
            log.warning("The input of run %s can't be looked through: %s", run, error.message)


def holds(value: Json, pattern: Json) -> bool:
    """Whether a value has at least what is in `pattern`, as PostgreSQL's `@>` has it of jsonb."""
    if isinstance(pattern, Mapping):
        return isinstance(value, Mapping) and all(
            name in value and holds(value[name], part) for name, part in pattern.items()
        )
    if isinstance(pattern, list):
        return isinstance(value, list) and all(any(holds(each, part) for each in value) for part in pattern)
    return isinstance(value, bool) == isinstance(pattern, bool) and bool(value == pattern)
