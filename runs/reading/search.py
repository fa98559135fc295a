"""What a list of runs is searched for that no index has: the same for the API and the pages.

How business keys and ids begin, and fields of inputs that are marked as searchable, are found in all runs by an index.
All else is tested of one run after the other from the newest back, a bounded part for each page, and the page says how
far and leads on.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import reduce
from operator import and_
from typing import NamedTuple
from uuid import UUID

from django.db.models import F, Q, QuerySet, Sum, Window
from django.db.models.functions import RowNumber
from django.http import HttpRequest

from engine.catalogue import Json
from lib.api.pagination import Cursor, Page, address, bad_cursor, cursor_of, fitting, list_mark
from runs.limits import SEARCH_KEYS
from runs.models import Run
from runs.reading.inputs import BYTES, inputs_beside
from runs.reading.keys import spellings_of
from runs.reading.search_words import InputTest
from runs.reading.searched import Searched
from runs.reading.unindexed import READ_AT_ONCE, condition_of_inputs, holds_text, last_of

BY_KEY, BY_INPUT = 1, 0
"""Runs that are found by how their business key or id begins come first, then those that hold the text otherwise."""
KEYS = ("rank", "id")
RUNS_A_PAGE, BYTES_A_PAGE = 10_000, 16 * 1024 * 1024
"""Through so many runs and so much of inputs, as stored, a page looks at most."""
_ID_START = re.compile(r"[0-9a-f]{4,32}")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What runs are tested for: how their keys and ids begin (`text`), `words` in their keys and inputs, tests of their
    `inputs`, another `condition`, which is `is_heavy` where it reads inputs.

    `found`: runs that the index of inputs has found, wherever they stand; `is_covered`: no others can fit.
    """

    text: str = ""
    words: Sequence[str] = ()
    inputs: Sequence[InputTest] = ()
    condition: Q = field(default_factory=Q)
    found: Sequence[UUID] = ()
    is_covered: bool = False
    is_heavy: bool = False

    @property
    def reads_inputs(self) -> bool:
        """Whether the inputs of runs are read for it."""
        return bool(self.text or self.inputs or self.is_heavy)

    def stands_in(self, business_key: str | None, value: Json) -> bool:
        """Whether each word stands in a key, or in an input that is kept beside the database."""
        text = json.dumps(value, ensure_ascii=False).lower()
        key = (business_key or "").lower()
        return all(
            word.lower() in key or json.dumps(word, ensure_ascii=False)[1:-1].lower() in text
            for word in self.words
        )

    def holds(self, value: Json) -> bool:
        """Whether an input that is kept beside the database passes the tests."""
        return all(one.holds(value) for one in self.inputs)


class _Place(NamedTuple):
    """Where a run stands in a search, or how far it went."""

    rank: int
    id: UUID


class _End(NamedTuple):
    """The last run of those that were looked through; `is_last`: none is behind it."""

    id: UUID
    created_at: datetime
    runs: int
    is_last: bool


def search_page(
    runs: QuerySet[Run],
    request: HttpRequest,
    wanted: Wanted,
    *,
    limit: int,
    cursor: str | None = None,
    weight: Callable[[Run], int] | None = None,
    most: int = 0,
) -> tuple[Page, Searched]:
    """The page that `cursor` asks for of those runs that fit, and how far it looked; `weight` as `keyset_page`.

    A text is how the business key begins (as it is written, in capitals, in small letters or with one capital) or how
    the id does (from 4 hexadecimal digits on); or else a part of the key or of the input. A page may be empty and lead
    on. Raises Invalid for a cursor that doesn't fit.
    """
    place = cursor_of(request, cursor, KEYS)
    at, backwards = _place(place), place is not None and place.backwards
    hits, end = _Walk(runs, wanted, at, backwards).rows(limit + 1)
    fits = limit if weight is None else fitting([weight(run) for _, run in hits[:limit]], most)
    more = len(hits) > fits
    hits = hits[:fits]
    if backwards:
        hits.reverse()
    places = [_Place(rank, run.id) for rank, run in hits]
    edge = None if end is None else _Place(BY_INPUT, end.id)
    first, last = (places[0], places[-1]) if places else (edge, edge)
    if backwards:
        older, newer = last, first if more else _beyond(end)
    else:
        older, newer = last if more else _beyond(end), first if at is not None else None
    page = Page([run for _, run in hits], _address(request, older, False), _address(request, newer, True))
    if end is None or more or backwards:
        since = hits[-1][1].created_at if hits else None
        return page, Searched(since, None, is_complete=older is None)
    return page, Searched(end.created_at, end.runs, is_complete=older is None)


def _beyond(end: _End | None) -> _Place | None:
    """Where the look through inputs goes on, if it does."""
    return None if end is None or end.is_last else _Place(BY_INPUT, end.id)


def _place(cursor: Cursor | None) -> _Place | None:
    if cursor is None:
        return None
    match cursor.values:
        case (int() as rank, str() as run) if rank in (BY_KEY, BY_INPUT):
            with suppress(ValueError):
                return _Place(rank, UUID(run))
    raise bad_cursor()


def _address(request: HttpRequest, place: _Place | None, backwards: bool) -> str | None:
    if place is None:
        return None
    return address(request, Cursor(list_mark(request), backwards, (place.rank, str(place.id))))


class _Walk:
    """A way through the runs from a place on: falling, the newest first, or `rising`, back to them."""

    def __init__(self, runs: QuerySet[Run], wanted: Wanted, at: _Place | None, rising: bool) -> None:
        self._runs = runs.filter(pk__in=wanted.found) if wanted.is_covered else runs
        self._wanted, self._at = wanted, at
        self._rising = rising
        self._order = "id" if rising else "-id"

    def rows(self, room: int) -> tuple[list[tuple[int, Run]], _End | None]:
        """The next rows, at most `room`, each with its rank; and where the look through inputs ended, if it began."""
        hits: list[tuple[int, Run]] = []
        end = None
        for rank in self._ranks():
            if len(hits) >= room or (end is not None and not end.is_last):
                break
            if rank == BY_KEY:
                hits += [(rank, run) for run in self._by_key()[: room - len(hits)]]
            elif (end := self._end()) is not None:
                hits += [(rank, run) for run in self._by_input(end)[: room - len(hits)]]
        return hits, end

    def _ranks(self) -> Iterator[int]:
        ranks = [BY_KEY] if self._wanted.text or self._wanted.found else []
        if self._wanted.text or not self._wanted.is_covered:
            ranks.append(BY_INPUT)
        for rank in reversed(ranks) if self._rising else ranks:
            if self._at is None or (rank >= self._at.rank if self._rising else rank <= self._at.rank):
                yield rank

    def _from(self, rank: int) -> QuerySet[Run]:
        """The runs behind the place, where it is one among these."""
        if self._at is None or self._at.rank != rank:
            return self._runs
        return self._runs.filter(**{"id__gt" if self._rising else "id__lt": self._at.id})

    def _by_key(self) -> QuerySet[Run]:
        runs = self._from(BY_KEY)
        if not self._wanted.text:
            return self._tested(runs.filter(pk__in=self._wanted.found)).order_by(self._order)
        # A union, since an `or` would have every run looked at.
        parts = [
            runs.filter(condition).order_by(self._order).values_list("id", flat=True)[:SEARCH_KEYS]
            for condition in self._conditions()
        ]
        hits = runs.filter(pk__in=parts[0].union(*parts[1:], all=True))
        return self._tested(hits).order_by(self._order)

    def _tested(self, runs: QuerySet[Run]) -> QuerySet[Run]:
        """Those of these runs that pass the tests but for the text."""
        runs = runs.filter(self._wanted.condition)
        if not self._wanted.inputs:
            return runs
        beside = [run for run, value in inputs_beside(runs, lenient=True) if self._wanted.holds(value)]
        return runs.filter(condition_of_inputs(self._wanted.inputs) | Q(pk__in=beside))

    def _conditions(self) -> list[Q]:
        """What finds a run by how its key or its id begins."""
        text = self._wanted.text
        if not text:
            return []
        of_key = [Q(business_key__startswith=spelling) for spelling in spellings_of(text)]
        digits = text.lower().replace("-", "")
        if not _ID_START.fullmatch(digits):
            return of_key
        return [*of_key, Q(id__gte=UUID(digits.ljust(32, "0")), id__lte=UUID(digits.ljust(32, "f")))]

    def _end(self) -> _End | None:
        """Where the part that is tested from here on ends: after so many runs, or so many bytes of inputs."""
        runs = self._from(BY_INPUT)
        if not self._wanted.reads_inputs:
            return self._end_by_count(runs)
        order = F("id").asc() if self._rising else F("id").desc()
        last_id = last_of(runs, RUNS_A_PAGE, rising=self._rising)
        part = runs.filter(**{"id__lte" if self._rising else "id__gte": last_id})
        sized = part.annotate(
            size=BYTES,
            total=Window(Sum(BYTES), order_by=order),
            row_number=Window(RowNumber(), order_by=order),
        )
        # With the one that goes beyond, so that each page gets on.
        read = sized.filter(total__lt=BYTES_A_PAGE + F("size"))
        last = read.order_by("-row_number").values_list("id", "created_at", "row_number").first()
        if last is None:
            return None
        run, created_at, count = last
        behind = runs.filter(**{"id__gt" if self._rising else "id__lt": run})
        return _End(run, created_at, count, not behind.exists())

    def _end_by_count(self, runs: QuerySet[Run]) -> _End | None:
        rows = list(runs.order_by(self._order).values_list("id", "created_at")[: READ_AT_ONCE + 1])
        if not rows:
            return None
        run, created_at = rows[:READ_AT_ONCE][-1]
        return _End(run, created_at, min(len(rows), READ_AT_ONCE), len(rows) <= READ_AT_ONCE)

    def _by_input(self, end: _End) -> QuerySet[Run]:
        """The runs up to the end that pass the tests, and which no index finds."""
        runs = self._from(BY_INPUT).filter(**{"id__lte" if self._rising else "id__gte": end.id})
        for condition in self._conditions():
            runs = runs.exclude(condition)
        if not self._wanted.text:
            return self._tested(runs.exclude(pk__in=self._wanted.found)).order_by(self._order)
        keys = dict(runs.values_list("pk", "business_key")) if len(self._wanted.words) > 1 else {}
        beside = [
            run
            for run, value in inputs_beside(runs, lenient=True)
            if self._wanted.stands_in(keys.get(run), value)
        ]
        matches = reduce(and_, map(holds_text, self._wanted.words)) | Q(pk__in=beside)
        return self._tested(runs.filter(matches)).order_by(self._order)
