"""Every hot statement as one typed function: documents in, rows out (SQL in `sql/`). No decisions here."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from engine.catalogue import Json
from lib.clock import now_or_none
from lib.named_sql import Statements
from runs.limits import STATEMENT_BYTES
from runs.store import meters
from runs.store.attempts import ClaimedStep, LockedRun, claimed_of
from runs.store.references import MARK, rows_in
from runs.store.rows import (
    AnchorRow,
    ArrivalRow,
    BeatRow,
    ClosingRow,
    DecidedRow,
    EndedRow,
    FinishedRow,
    GivenRow,
    InputRow,
    KeyRow,
    LateRow,
    LetterRow,
    ReturnedRow,
    RunRow,
    ScopeRow,
    StepRow,
)
from steps.catalogue import external_types

Row = dict[str, Json]

SQL_FOLDER = Path(__file__).parent / "sql"
SQL = Statements(SQL_FOLDER)


WORKER_SECONDS = 8.0
"""A worker that said nothing for longer is counted as gone; each says so every two seconds."""


def workers_known() -> dict[str, Json]:
    """How statements recognise workers: for how long ours may be silent, and which step types external ones do."""
    return {"silent": WORKER_SECONDS, "external": external_types()}


class Unstorable(ValueError):
    """These rows are more than one statement takes: nested too deep, or together too large."""


def document(rows: Json) -> str:
    """One JSON document for a whole batch: 9 µs a row, where arrays would cost 40 in the client.

    Raises Unstorable where there is none, or none that the database would take.
    """
    try:
        raw = orjson.dumps(rows)
    except (TypeError, MemoryError) as error:
        raise Unstorable(f"what follows at once can't be written: {error}") from error
    if len(raw) > STATEMENT_BYTES:
        raise Unstorable(f"what follows at once is larger than {STATEMENT_BYTES:,} bytes")
    # Whatever is written with it, the references in it are used from now on.
    if MARK in raw and (references := rows_in(raw)):
        SQL.execute("note_blobs", {"blobs": orjson.dumps(references).decode()})
    return raw.decode()


@dataclass(frozen=True, slots=True)
class Advanced:
    """What `advance` did: steps that it ended by anchor, the joins it counted, the runs whose last sink fell, and those
    that a last step completed.

    `told`: how many parents are to be told that their child has ended.
    """

    ended: dict[str, str]
    joins: list[tuple[str, str, int, list[str]]]
    sunk: list[str]
    completed: list[str]
    told: int


def claim(*, queue: str, worker: str, cursor: int, limit: int, alone: bool = True) -> list[ClaimedStep]:
    """Up to `limit` steps of a queue, a fair share of each of the next tenants behind `cursor`; they are leased.

    `alone`: the worker has nothing else in hand, so that a single step is to blame if its lease is lost.
    """
    params = {"queue": queue, "worker": worker, "cursor": cursor, "limit": limit, "alone": alone}
    rows, is_contended = SQL.value("claim", {**params, "now": now_or_none()})
    # Where nothing was behind the cursor, the poll is not over yet.
    meters.polled(rows, is_contended=is_contended, is_over=not cursor)
    return [claimed_step(row) for row in rows]


def claim_alone(*, queue: str, worker: str) -> list[ClaimedStep]:
    """At most one step of those that must run alone; it is leased."""
    rows, _ = SQL.value("claim_alone", {"queue": queue, "worker": worker, "now": now_or_none()})
    meters.polled(rows, is_over=False)
    return [claimed_step(row) for row in rows]


def claimed_step(row: Sequence[Json]) -> ClaimedStep:
    """A step that was leased just now, of a row of a claim."""
    step, (lease_seconds, *_) = claimed_of(row)
    step.lease_seconds = lease_seconds
    return step


def read_scopes(rows: Iterable[ScopeRow]) -> dict[str, tuple[Row, dict[str, tuple[str, Json]]]]:
    """For each run its facts (tenant, input, key, starter, now), and node → (status, output) of steps that are over."""
    params = {"wanted": document(list(rows)), "now": now_or_none()}
    return {run: (facts, outputs) for run, facts, outputs in SQL.value("read_scope", params)}


def moments(steps: Sequence[str]) -> tuple[str, dict[str, str | None]]:
    """What time it is, and for each of these steps when its attempt began."""
    return tuple(SQL.value("moments", {"steps": list(steps), "now": now_or_none()}))


def queues_with_work(queues: Sequence[str], *, older_seconds: float = 0) -> list[str]:
    """Those of the queues that have a step which could have been claimed `older_seconds` ago."""
    params = {"queues": list(queues), "older_seconds": older_seconds, "now": now_or_none()}
    names: list[str] = SQL.value("queues_with_work", params)
    return names


def lock_light(runs: Iterable[str]) -> dict[str, LockedRun]:
    """Share the runs with whoever else moves them forward; nobody can close them now."""
    return _locked(SQL.value("lock_light", {"runs": sorted(runs)}))


def lock_light_unless_busy(runs: Iterable[str]) -> dict[str, str]:
    """As `lock_light`, without those that somebody is closing just now."""
    return dict(SQL.value("lock_light_unless_busy", {"runs": sorted(runs)}))


def lock_sinks(runs: Iterable[str]) -> None:
    """Lock the runs whose sinks may fall, in order."""
    SQL.execute("lock_sinks", {"runs": sorted(runs)})


def lock_heavy(runs: Iterable[str]) -> dict[str, LockedRun]:
    """Have the runs alone."""
    return _locked(SQL.value("lock_heavy", {"runs": sorted(runs)}))


def _locked(rows: Json) -> dict[str, LockedRun]:
    return {run: LockedRun(*columns) for run, *columns in rows or ()}


def advance(
    *,
    worker: str | None,
    ended: Sequence[EndedRow],
    anchors: Sequence[AnchorRow],
    steps: Sequence[StepRow],
    arrivals: Sequence[ArrivalRow],
) -> Advanced:
    """End steps, start their successors, count joins and sinks, write history (docs/engine.md, "Advance")."""
    params = {
        "worker": worker,
        "ended": document(ended),
        "anchors": document(anchors),
        "steps": document(steps),
        "arrivals": document(arrivals),
        "now": now_or_none(),
    }
    counts = SQL.value("advance", params)
    joins = [(run, node, arrived, sources) for run, node, arrived, sources in counts["joins"]]
    return Advanced(counts["ended"], joins, counts["sunk"], counts["completed"], counts["told"])


def fire_joins(joins: Sequence[DecidedRow]) -> list[tuple[str, str, dict[str, Json]]]:
    """Mark decided joins fired; gives (run, node, outputs of the chosen sources) of those that were not yet."""
    return [
        (run, node, outputs) for run, node, outputs in SQL.value("fire_joins", {"joins": document(joins)})
    ]


def finish_runs(runs: Sequence[FinishedRow]) -> int:
    """Complete runs whose sinks are all resolved; gives how many messages to other runs that made."""
    return int(SQL.value("finish_runs", {"runs": document(runs), "now": now_or_none()}))


def cancel_open_steps(runs: Iterable[str], *, cause: str, statuses: Sequence[str]) -> None:
    """Cancel the steps of runs that are held FOR UPDATE; their epochs rise."""
    params = {"runs": sorted(runs), "cause": cause, "statuses": list(statuses), "now": now_or_none()}
    SQL.execute("cancel_open_steps", params)


def close_runs(runs: Sequence[ClosingRow]) -> list[str]:
    """Put open runs into FAILING or CANCELLING (`status`), with their `error` and what history says of it."""
    ids: list[str] = SQL.value("close_runs", {"runs": document(runs), "now": now_or_none()})
    return ids


def end_closing_runs(runs: Iterable[str]) -> int:
    """End those FAILING and CANCELLING runs that have no running step left; gives how many parents are to be told."""
    return int(SQL.value("end_closing_runs", {"runs": sorted(runs), "now": now_or_none()}))


def cancel_timers(runs: Iterable[str]) -> None:
    """Cancel the timers of runs that close or have ended."""
    SQL.execute("cancel_timers", {"runs": sorted(runs), "now": now_or_none()})


def pause_runs(runs: Iterable[str], payload: Mapping[str, Json], *, pause: bool) -> list[str]:
    """Pause open runs that are held FOR UPDATE, or let paused ones go on; gives the queues whose steps it moved."""
    params = {"runs": sorted(runs), "payload": document(payload), "pause": pause, "now": now_or_none()}
    queues: list[str] = SQL.value("pause_runs", params)
    return queues


def discard_letters(*, tenant: int, letters: Sequence[str], by: int, reason: str) -> list[str]:
    """Resolve those of the tenant's dead letters that are open; gives their ids."""
    params = {"tenant": tenant, "letters": list(letters), "by": by, "reason": reason, "now": now_or_none()}
    return SQL.column("discard_letters", params)


def insert_dead_letters(rows: Sequence[LetterRow]) -> None:
    """Write dead letters for steps that failed their run."""
    SQL.execute("insert_dead_letters", {"letters": document(rows)})


def reopen_runs(runs: Iterable[str], payload: Row) -> Row:
    """Give FAILED runs, held FOR UPDATE, a new life; what failed of open ones is queued again, too.

    Gives `runs`: [id, tenant, shard, version, priority, open sinks] of each, `queues`: where steps wait now, `queued`:
    [id, run, node, boundary edges that are resolved] of those steps, and
    `entered`: [run, node, what it was given] of steps that failed before a worker had them, whose rows are gone, but
    for joins, which are in `joins`: [run, node, arrived, taken], not fired any more.
    """
    params = {"runs": sorted(runs), "payload": document(payload), "now": now_or_none()}
    row: Row = SQL.value("reopen_runs", params)
    return row


def pending_edges(runs: Iterable[str]) -> list[tuple[ClaimedStep, Json]]:
    """Steps that completed while their run was failing, each with its output."""
    edges = []
    for row in SQL.value("pending_edges", {"runs": sorted(runs)}):
        step, (fired, output) = claimed_of(row)
        step.fired = frozenset(fired)
        edges.append((step, output))
    return edges


def heartbeat(beats: Sequence[BeatRow]) -> dict[str, tuple[str, str]]:
    """Renew leases by (id, epoch); gives id → (lease's end, status of the run) of those still held."""
    rows = SQL.value("heartbeat", {"held": document(beats), "now": now_or_none()})
    return {step: (expires, status) for step, expires, status in rows}


def expired(limit: int) -> list[tuple[ClaimedStep, bool, str]]:
    """Running steps whose lease is over: each with whether its hard deadline is, and its run's status."""
    rows = SQL.value("expired", {"limit": limit, "now": now_or_none()})
    return [(step, bool(timed_out), status) for step, (timed_out, status) in map(claimed_of, rows)]


def hand_back(steps: Sequence[ReturnedRow], *, lost: bool) -> list[str]:
    """Queue steps again without using their attempt; `lost`: if the lease is over, and to run alone. Gives queues."""
    queues: list[str] = SQL.value("hand_back", {"steps": document(steps), "lost": lost, "now": now_or_none()})
    return queues


def job_facts(*, tenant: int, steps: Collection[str]) -> list[list[Json]]:
    """What external workers' answers are judged by; a row for each of these steps that the tenant has."""
    return SQL.column("job_facts", {"ids": sorted(steps), "tenant": tenant})


def gave(outputs: Sequence[GivenRow]) -> set[int]:
    """The places of those outputs that are what their steps have."""
    return set(SQL.column("gave", {"given": document(outputs)}))


def keep_late_results(results: Sequence[LateRow]) -> None:
    """Keep results as evidence: `step_id`, `epoch`, `reason`, `worker`, and `output` or `error` of each."""
    SQL.execute("keep_late_results", {"results": document(results), "now": now_or_none()})


def claim_keys(*, tenant: int, workflow: int, keys: Sequence[KeyRow], renew: bool) -> set[str]:
    """The business keys (sorted, each once) that are the caller's to start; `renew` takes over those of ended runs."""
    params = {"tenant": tenant, "workflow": workflow, "keys": document(keys), "renew": renew}
    return set(SQL.column("claim_keys", params))


def lock_keys(*, tenant: int, workflow: int, keys: Sequence[str]) -> None:
    """Nobody reopens the runs that these business keys stand for until we commit, and what was done to them is seen."""
    SQL.execute("lock_keys", {"tenant": tenant, "workflow": workflow, "keys": list(keys)})


def lock_keys_of(runs: Iterable[str]) -> list[tuple[str, str]]:
    """Keep the business keys of these runs; gives (key, other run) of those that stand for another run by now."""
    return [(key, run) for key, run in SQL.value("lock_keys_of", {"runs": sorted(runs)})]


def read_keys(*, tenant: int, workflow: int, keys: Sequence[str]) -> dict[str, str]:
    """Which run each business key stands for."""
    run_ids: dict[str, str] = SQL.value(
        "read_keys", {"tenant": tenant, "workflow": workflow, "keys": list(keys)}
    )
    return run_ids


def other_inputs(runs: Sequence[InputRow]) -> set[int]:
    """Of runs that were there (`place`, `run_id`, `input`), the places of those that have another input."""
    return set(SQL.value("other_inputs", {"runs": document(runs)}))


def insert_runs(runs: Sequence[RunRow], facts: Mapping[str, Json]) -> None:
    """Create runs that share tenant, workflow, version, sinks, priority, SLA and creator."""
    SQL.execute("insert_runs", {**facts, "runs": document(runs), "now": now_or_none()})


def show_runs(**params: Json) -> list[str]:
    """Runs and their steps as JSON texts, the payloads within bounds (`shown`)."""
    return SQL.column("show_runs", {**params, **workers_known(), "now": now_or_none()})


def lock_unsealed(limit: int) -> list[str]:
    """Up to `limit` runs with an ended life that has no seal, locked FOR UPDATE."""
    ids: list[str] = SQL.value("lock_unsealed", {"limit": limit})
    return ids


def seal_runs(runs: Iterable[str]) -> int:
    """Seal the ended lives of runs that are held FOR UPDATE; gives of how many runs."""
    count: int = SQL.value("seal_runs", {"runs": sorted(runs), "now": now_or_none()})
    return count


def told_runs(runs: Iterable[str]) -> list[str]:
    """Runs, their history, seals and rows as JSON texts (`history.verify`)."""
    return SQL.column("told_runs", {"runs": sorted(runs)})


def worker_seen(*, worker: str, queue: str, host: str, pid: int, idle: float | None = None) -> None:
    """Say that this worker process is alive, and how many seconds ago it claimed something."""
    SQL.execute("worker_seen", {"worker": worker, "queue": queue, "host": host, "pid": pid, "idle": idle})


def workers_forget(worker: str) -> None:
    """Take a stopping worker off the list, and those not seen for a day."""
    SQL.execute("workers_forget", {"worker": worker})


def step_to_change(
    *, run: str, node: str, index: int | None = None
) -> tuple[ClaimedStep, str, str | None, bool, bool, Json, bool] | None:
    """The step, or the item of a container, of a run held FOR UPDATE: with its status, its cancel's cause, whether it
    has an output, whether it has failed and asks, its error, and whether nobody knows what an attempt did.
    """
    row = SQL.value("step_to_change", {"run": run, "node": node, "index": index})
    if row is None:
        return None
    step, (status, cause, has_output, fired, asks, error, is_unknown) = claimed_of(row)
    step.fired = frozenset(fired)
    return step, status, cause, has_output, asks, error, is_unknown


def requeue_step(*, step: str, edited: bool, value: Json, payload: Mapping[str, Json]) -> list[str]:
    """Try a QUEUED step again at once, with the input `value` if `edited`; its queue, or nothing if it isn't QUEUED."""
    params = {
        "id": step,
        "edited": edited,
        "input": document(value),
        "payload": document(payload),
        "now": now_or_none(),
    }
    return SQL.value("requeue_step", params) or []


def digests_of(*, run: str, node: str, value: Json) -> Row:
    """Digests of the input `value` of a step and of the one that it had in this run, as history keeps them."""
    digests: Row = SQL.value("digests_of", {"run": run, "node": node, "input": document(value)})
    return digests


def kept_steps(run: str) -> list[list[Json]]:
    """How each step of a run stands: see the statement for the columns (`replay`)."""
    rows: list[list[Json]] = SQL.value("kept_steps", {"run": run})
    return rows


def reopen_on(*, run: str, steps: Sequence[str], facts: Mapping[str, Json], payload: Row) -> Row:
    """Give a FAILED run, held FOR UPDATE, a new life on another version (`version`, `number`, `sinks`).

    Only these `steps` stay. Gives its `shard` and `priority`.
    """
    params = {**facts, "run": run, "kept": list(steps), "payload": document(payload), "now": now_or_none()}
    return dict(zip(("shard", "priority"), SQL.value("reopen_on", params), strict=True))


def walked_again(*, run: str, edges: Mapping[str, Sequence[str]]) -> None:
    """Say in history which `edges` the steps that stay (by node) take now."""
    SQL.execute("walked_again", {"run": run, "kept": document(edges), "now": now_or_none()})
