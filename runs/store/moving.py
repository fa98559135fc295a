"""The statements by which an open run goes on with another version (SQL in `sql/operators.sql`)."""

from collections.abc import Mapping, Sequence

from engine.catalogue import Json
from lib.clock import now_or_none
from runs.store.hot import SQL, document
from runs.store.rows import QueuedRow


def lock_steps(run: str) -> None:
    """Have all steps of a run, which the caller has FOR UPDATE: nobody claims one meanwhile."""
    SQL.value("lock_steps", {"run": run})


def migrate_run(
    *,
    run: str,
    steps: Sequence[str],
    queued: Sequence[QueuedRow],
    facts: Mapping[str, Json],
    payload: Mapping[str, Json],
) -> tuple[int, int]:
    """Put an open run on another version (`version`, `sinks`); only these `steps` stay. Gives shard and priority."""
    params = {
        **facts,
        "run": run,
        "kept": list(steps),
        "queued": document(queued),
        "queued_ids": [row["id"] for row in queued],
        "payload": document(payload),
        "now": now_or_none(),
    }
    shard, priority = SQL.value("migrate_run", params)
    return shard, priority
