"""The statements of bulk jobs as typed functions (SQL in `sql/bulk.sql`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import orjson

from engine.catalogue import Json
from lib.named_sql import Statements
from operations.bulk.limits import MESSAGE_CHARACTERS
from runs.ports import BulkResult
from runs.store.hot import SQL_FOLDER as SQL_OF_RUNS

SQL = Statements(Path(__file__).parent / "sql", SQL_OF_RUNS)


@dataclass(frozen=True, slots=True)
class Item:
    """A run, or a dead letter or task (`target`) of it, with which something is to be done, had alone; what and how
    is its job's to say. `seen`: the hash of what the dry run of a decision has shown.
    """

    id: int
    tenant_id: int
    run: str
    tries: int
    job: str
    verb: str
    version: int | None
    compensate: bool
    dry_run: bool
    reason: str
    by: str
    assignee: str
    group: str
    target: str | None
    seen: str
    terms: Mapping[str, Json]


def begin_job(
    *,
    id: str,
    tenant: int,
    workflow: int,
    versions: tuple[int, int],
    dry_run: bool,
    reason: str,
    by: str,
) -> int:
    """Make a bulk job of the runs that are open on the first of the versions; gives how many there are."""
    params = {"id": id, "tenant": tenant, "workflow": workflow, "from": versions[0], "to": versions[1]}
    total: int = SQL.value("begin_bulk_job", params | {"dry_run": dry_run, "reason": reason, "by": by})
    return total


def begin_verb_job(
    runs: Sequence[UUID],
    *,
    targets: Sequence[UUID] = (),
    terms: Mapping[str, Json] | None = None,
    dry: UUID | None = None,
    id: str,
    tenant: int,
    verb: str,
    query: str,
    workflow: int | None,
    compensate: bool,
    version: int | None,
    assignee: str,
    group: str,
    dry_run: bool,
    reason: str,
    by: str,
) -> int:
    """Make a bulk job of these runs of the tenant, and of those that the dry run `dry` has found able; gives how many
    there are. `targets`: dead letters or tasks, each of the run at its place.
    """
    params = {
        "runs": list(runs),
        "targets": list(targets),
        "terms": orjson.dumps(terms or {}).decode(),
        "dry": dry,
        "id": id,
        "tenant": tenant,
        "verb": verb,
        "query": query,
        "workflow": workflow,
    }
    params |= {"compensate": compensate, "dry_run": dry_run, "reason": reason, "by": by}
    params |= {"version": version, "assignee": assignee, "group": group}
    total: int = SQL.value("begin_bulk_verb", params)
    return total


def record_job(
    rows: Sequence[BulkResult],
    *,
    id: str,
    tenant: int,
    verb: str,
    query: str,
    terms: Mapping[str, Json],
    reason: str,
    by: str,
) -> None:
    """Write down a job that is over, with the result for each of its items."""
    params = {
        "runs": [row.run for row in rows],
        "targets": [row.target for row in rows],
        "results": [row.result for row in rows],
        "codes": [row.code for row in rows],
        "messages": [row.message[:MESSAGE_CHARACTERS] for row in rows],
    }
    params |= {"id": id, "tenant": tenant, "verb": verb, "query": query}
    params |= {"terms": orjson.dumps(terms).decode(), "reason": reason, "by": by}
    SQL.execute("record_bulk_job", params)


def next_item(job: UUID | None = None, seconds: float | None = None) -> Item | None:
    """The next item that is left, locked until the transaction ends; of a job where one is named, and then one that was
    not tried yet. `seconds`: how long the transaction waits for each lock.
    """
    patience = "" if seconds is None else f"{max(1, round(seconds * 1000))}ms"
    row = SQL.execute("next_bulk_item", {"job": job, "patience": patience}).fetchone()
    return None if row is None else Item(*row[0])


def end_item(
    item: int,
    result: str,
    code: str = "",
    node: str | None = None,
    message: str = "",
    *,
    seen: str | None = None,
) -> None:
    """Write down the result of an item. `seen`: the hash of what a dry run shows of it."""
    params = {"item": item, "result": result, "code": code, "node": node, "seen": seen}
    params["message"] = message[:MESSAGE_CHARACTERS]
    SQL.execute("end_bulk_item", params)


def put_off(item: int) -> None:
    """Try an item again when the others were tried."""
    SQL.execute("put_bulk_item_off", {"item": item})


def stop_job(job: str, tenant: int, *, by: str) -> bool:
    """Take from a job what is left of it, by a user of the tenant; whether it was still going on."""
    return bool(SQL.value("stop_bulk_job", {"job": job, "tenant": tenant, "by": by}))


def end_jobs() -> None:
    """Finish the jobs of which nothing is left."""
    SQL.execute("end_bulk_jobs", {})
