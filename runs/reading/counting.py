"""How many runs several lists have, each counted through its index up to a bound, in one statement."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet

from engine.catalogue import Json
from lib.counts import Count
from runs.models import Run
from runs.reading import queries, unindexed
from runs.reading.queries import STUCK, indexed_runs, runs_of, stuck_rows
from runs.reading.unindexed import has_tests

COUNTED = 10_000
"""Up to so many runs are counted; more are told as "10,000+"."""


def counts_of(
    tenant: int, lists: Mapping[str, Mapping[str, Json]], within: QuerySet[Run]
) -> dict[str, Count]:
    """How many of the runs `within` each list has, by its filters of `queries.runs_of`."""
    parts: list[tuple[str, bool, QuerySet[Any, Any]]] = []
    for key, filters in lists.items():
        runs = runs_of(tenant, within=within, **filters).values("pk")
        parts.append((key, False, runs[: COUNTED + 1]))
        parts += [(key, True, rows) for rows in beyond_bounds(tenant, filters, within)]
    rows, bounded = dict.fromkeys(lists, 0), set[str]()
    for key, is_bound, count in _counted(parts):
        if not is_bound:
            rows[key] = count
        elif count:
            bounded.add(key)
    return {
        key: Count(min(count, COUNTED), count <= COUNTED and key not in bounded)
        for key, count in rows.items()
    }


def beyond_bounds(
    tenant: int, filters: Mapping[str, Json], within: QuerySet[Run]
) -> list[QuerySet[Any, Any]]:
    """What is there where these filters are not tested of all runs: rows of which one is enough."""
    beyond: list[QuerySet[Any, Any]] = []
    if has_tests(filters):
        runs, count = indexed_runs(tenant, within=within, **filters), unindexed.READ_AT_ONCE
        beyond.append(runs.order_by("-id").values("pk")[count : count + 1])
    if filters.get("status") == STUCK:
        count = queries.STUCK_READ
        beyond += [rows[count : count + 1] for rows in stuck_rows(tenant)]
    return beyond


def _counted(parts: list[tuple[str, bool, QuerySet[Any, Any]]]) -> list[tuple[str, bool, int]]:
    statements, values = [], list[Any]()
    for key, is_bound, rows in parts:
        try:
            sql, params = rows.query.sql_with_params()
        except EmptyResultSet:
            # Django knows that it has nothing: a workflow that there is not, a person who may read none.
            continue
        statements.append(f"SELECT %s, %s, count(*) FROM ({sql}) counted")  # noqa: S608 — Django wrote it
        values += [key, is_bound, *params]
    if not statements:
        return []
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(statements), values)
        counts: list[tuple[str, bool, int]] = cursor.fetchall()
    return counts
