"""Pages of a list by keyset: newest first, stable while rows are added, as fast on the last page as on the first."""

import base64
import binascii
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from typing import Any, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest

from lib.json import JsonValue
from lib.refusals import Invalid
from lib.strict_json import BadJson, strict_dumps, strict_loads

M = TypeVar("M", bound=Model)


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in the list `of`: right after (or, backwards, right before) the row with these key values."""

    of: str
    backwards: bool
    values: tuple[JsonValue, ...]

    def encode(self) -> str:
        raw = strict_dumps([self.of, self.backwards, *self.values], max_bytes=2000)
        return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def list_mark(request: HttpRequest) -> str:
    """Stands for a list in its cursors: its path and filters. Pages may differ in size."""
    filters = sorted(item for item in request.GET.items() if item[0] not in ("cursor", "limit"))
    return hashlib.sha256(repr((request.path, filters)).encode()).hexdigest()[:16]


def decode_cursor(text: str, *, of: str, keys: int) -> Cursor:
    """The cursor in a query parameter; raises Invalid where `Cursor.encode` did not make it for the list `of`."""
    # The whole address of `next` is taken as well as the value in it.
    text = text.rpartition("cursor=")[2].partition("&")[0]
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        value = strict_loads(raw, max_bytes=2000)
    except (binascii.Error, ValueError):
        raise bad_cursor() from None
    match value:
        case [str() as mark, bool() as backwards, *values] if len(values) == keys:
            if mark != of:
                raise bad_cursor("This cursor is another list's, or one with other filters.")
            if all(type(key) in (str, int) for key in values):
                return Cursor(mark, backwards, tuple(values))
    raise bad_cursor()


def bad_cursor(message: str = "This cursor is not one of ours.") -> Invalid:
    """The refusal of a cursor."""
    return Invalid(message, code="bad_cursor", field="cursor")


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its rows and the addresses of its neighbours."""

    rows: Sequence[Any]
    next: str | None
    previous: str | None

    def answer(self, results: Any) -> dict[str, Any]:
        """The body of a list's answer with these rows, serialized."""
        return {"results": results, "next": self.next, "previous": self.previous}


def keyset_page(
    rows: QuerySet[M],
    request: HttpRequest,
    *,
    keys: Sequence[str],
    limit: int,
    cursor: str | None = None,
    oldest_first: bool = False,
    weight: Callable[[M], int] | None = None,
    most: int = 0,
) -> Page:
    """The page of `rows` that `cursor` asks for, ordered by `keys`, all descending unless `oldest_first`; the last
    key is unique. With `weight` it ends early, before its rows weigh more than `most`, but has one at least.

    Raises Invalid for a cursor that doesn't fit.
    """
    at = cursor_of(request, cursor, keys)
    backwards = at is not None and at.backwards
    page_rows = list(rows_from(rows, at, keys, oldest_first=oldest_first)[: limit + 1])
    fits = limit if weight is None else fitting([weight(row) for row in page_rows[:limit]], most)
    more = len(page_rows) > fits
    page_rows = page_rows[:fits]
    if backwards:
        page_rows.reverse()
    values = [key_values(row, keys) for row in page_rows]
    return page_of(page_rows, values, request, at=at, more=more)


def cursor_of(request: HttpRequest, cursor: str | None, keys: Sequence[str]) -> Cursor | None:
    """The cursor of a list that is asked for. Raises Invalid where it is another's."""
    return decode_cursor(cursor, of=list_mark(request), keys=len(keys)) if cursor else None


def rows_from(
    rows: QuerySet[M], at: Cursor | None, keys: Sequence[str], *, oldest_first: bool
) -> QuerySet[M]:
    """The rows from a place on, in the order in which it goes through them. Raises Invalid for keys that don't fit."""
    rising = (at is not None and at.backwards) != oldest_first
    if at is not None:
        rows = rows.filter(_beyond(rows, keys, at.values, rising=rising))
    return rows.order_by(*(key if rising else f"-{key}" for key in keys))


def page_of(
    rows: Sequence[Any],
    values: Sequence[tuple[JsonValue, ...]],
    request: HttpRequest,
    *,
    at: Cursor | None,
    more: bool,
) -> Page:
    """The page of these rows, in the list's order, with their key values; `more`: rows were left over beyond it."""
    backwards = at is not None and at.backwards
    has_next, has_previous = (True, more) if backwards else (more, at is not None)
    mark = list_mark(request)
    return Page(
        rows,
        address(request, Cursor(mark, False, values[-1])) if has_next and values else None,
        address(request, Cursor(mark, True, values[0])) if has_previous and values else None,
    )


def fitting(weights: Sequence[int], most: int) -> int:
    """How many of the first rows weigh no more than `most` together; one at least."""
    return max(1, sum(1 for total in accumulate(weights) if total <= most))


def address(request: HttpRequest, cursor: Cursor) -> str:
    """The address of the page of this list that begins at the cursor."""
    parameters = request.GET.copy()
    parameters["cursor"] = cursor.encode()
    return request.build_absolute_uri(f"{request.path}?{parameters.urlencode()}")


def key_values(row: Model, keys: Sequence[str]) -> tuple[JsonValue, ...]:
    """The place of a row in a list of these keys, as a cursor has it."""
    return tuple(_plain(getattr(row, key)) for key in keys)


def _beyond(rows: QuerySet[M], keys: Sequence[str], place: Sequence[JsonValue], *, rising: bool) -> Q:
    operator = "gt" if rising else "lt"
    try:
        values = [_field(rows, key).clean(value, None) for key, value in zip(keys, place, strict=True)]
    except (ValidationError, TypeError, ValueError, BadJson):
        raise bad_cursor() from None
    branches = []
    for index, (key, value) in enumerate(zip(keys, values, strict=True)):
        equal = {before: values[place] for place, before in enumerate(keys[:index])}
        branches.append(Q(**equal, **{f"{key}__{operator}": value}))
    # The first condition is implied by the rest; it is what an index can start from.
    return Q(**{f"{keys[0]}__{operator}e": values[0]}) & reduce(Q.__or__, branches)


def _field(rows: QuerySet[M], key: str) -> Any:
    """The field of a key: a column's, or that of an annotation."""
    annotation = rows.query.annotations.get(key)
    field = rows.model._meta.get_field(key) if annotation is None else annotation.output_field
    return getattr(field, "output_field", field)


def _plain(value: Any) -> JsonValue:
    return value if isinstance(value, str | int) else str(value)
