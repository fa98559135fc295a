"""Inputs, outputs and errors, read only as far as an answer has room: what is too large never leaves the database."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Case, Expression, F, Func, IntegerField, Model, QuerySet, TextField, When
from django.db.models.functions import Cast
from django.db.models.lookups import GreaterThan, LessThanOrEqual

Json = Any
Place = tuple[UUID, str]

# In the order in which they get room: why something failed is of most interest.
COLUMNS = ("error", "output", "input")


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many bytes of JSON a payload has at most to be shown, and all of them together; None: any number."""

    each: int | None
    total: int | None


WHOLE = Bounds(None, None)
ONE_RUN = Bounds(256 * 1024, 4 * 1024 * 1024)
LISTED = Bounds(4 * 1024, 4 * 1024 * 1024)
NOTHING = Bounds(0, 0)


@dataclass(frozen=True, slots=True)
class Payload:
    """A payload as it is shown; of one that is cut out only its `size` is known."""

    value: Json = None
    size: int = 0
    is_cut: bool = False


NONE = Payload()
_ABSENT = object()


def sized(rows: QuerySet[Any], bounds: Bounds) -> QuerySet[Any]:
    """The rows without their payloads, but with `error_bytes`, `output_bytes`, `input_bytes`: None for NULL."""
    sizes = {f"{column}_bytes": _bytes(column, bounds.each) for column in COLUMNS}
    found: QuerySet[Any] = rows.defer(*COLUMNS).annotate(**sizes)
    return found


def size_of(row: Model, column: str) -> int | None:
    """The size of a payload of a row of `sized`."""
    size: int | None = getattr(row, f"{column}_bytes")
    return size


class Room:
    """Picks what is shown, first come, first served."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._taken = 0
        self._picked: dict[Place, Place] = {}
        self._sizes: dict[Place, int] = {}

    def ask(self, place: Place, source: Place, size: int | None) -> None:
        """Show at `place` the payload of `size` bytes that is stored at `source`, if there is room."""
        if size is None:
            return
        self._sizes[place] = size
        each, total = self._bounds.each, self._bounds.total
        if (each is None or size <= each) and (total is None or self._taken + size <= total):
            self._taken += size
            self._picked[place] = source

    def fill(self, rows: QuerySet[Any], known: Mapping[Place, Json]) -> Mapping[Place, Payload]:
        """What is shown at each place that was asked for; read from `rows`, in one query, where it is not `known`."""
        values = {**known, **_read(rows, set(self._picked.values()) - set(known))}
        return {
            place: _payload(values.get(self._picked.get(place, place), _ABSENT), size)
            for place, size in self._sizes.items()
        }


def cut(rows: QuerySet[Any], each: int | None, steps: Bounds) -> Mapping[Place, Payload]:
    """The runs' payloads in one query, those of more than `each` bytes cut out; the sizes will do for `steps`."""
    exact = steps.each if each is None else each
    values = [F(column) if each is None else _up_to(column, each) for column in COLUMNS]
    sizes = [_bytes(column, exact) for column in COLUMNS]
    found = {}
    for run_id, *row in rows.values_list("pk", *sizes, *values):
        for column, size, value in zip(COLUMNS, row[: len(COLUMNS)], row[len(COLUMNS) :], strict=True):
            if size is not None:
                found[run_id, column] = _payload(value if each is None or size <= each else _ABSENT, size)
    return found


def _payload(value: Json, size: int) -> Payload:
    return Payload(None, size, is_cut=True) if value is _ABSENT else Payload(value, size)


def _up_to(column: str, each: int) -> Expression:
    return Case(When(LessThanOrEqual(_bytes(column, each), each), then=F(column)))


def _read(rows: QuerySet[Any], places: Iterable[Place]) -> Mapping[Place, Json]:
    wanted: dict[str, list[UUID]] = {}
    for row_id, column in places:
        wanted.setdefault(column, []).append(row_id)
    if not wanted:
        return {}
    ids = {row_id for row_ids in wanted.values() for row_id in row_ids}
    columns = [Case(When(pk__in=row_ids, then=F(column))) for column, row_ids in wanted.items()]
    found = rows.filter(pk__in=ids).values_list("pk", *columns)
    return {(row[0], column): value for row in found for column, value in zip(wanted, row[1:], strict=True)}


def _bytes(column: str, each: int | None) -> Expression:
    """The size as JSON text. Beyond `each` the size as stored will do: asking for more would unpack it."""
    stored = Func(F(column), function="pg_column_size", output_field=IntegerField())
    if each is None:
        return stored
    text = Func(Cast(F(column), TextField()), function="octet_length", output_field=IntegerField())
    return Case(When(GreaterThan(stored, each), then=stored), default=text)
