"""What can be done to runs, one function behind each door; plural is the real one. These open the transactions."""

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

import orjson
from django.db import transaction
from psycopg.errors import UniqueViolation

from engine.decide import begin, fire
from engine.errors import ExpressionError
from engine.graph import Graph
from engine.statuses import RUN_ENDED, RunStatus
from lib.strict_json import strict_dumps
from lib.uuid7 import uuid7
from runs import dispatch, live, scopes, store
from runs.claimed import Done, Locked
from runs.graphs import BrokenVersion, Compiled, compiled, graph_of
from runs.models import Run
from runs.plan import Anchor, plan
from runs.wave import NOT_STARTED, Wave
from steps.base import MAX_INPUT_BYTES
from steps.schema import problem_of

Json = Any
IfExists = Literal["return", "new_if_ended", "error"]

SHARDS = 16
MAX_BUSINESS_KEY = 256
MAX_ITEMS = 1000


class RunRefused(Exception):
    """The verb can't be carried out: `code` and `message` say why, `field` where; `conflict`: the state forbids it."""

    def __init__(self, code: str, message: str, *, field: str | None = None, conflict: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field
        self.conflict = conflict


@dataclass(frozen=True, slots=True)
class NewRun:
    """What a caller asks to start; `id`: one that was set apart for it, so that asking twice starts it once."""

    input: Json
    business_key: str | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Started:
    """A run that a start gave: a new one, or the one that its business key stands for already."""

    id: str
    business_key: str | None
    created: bool


@dataclass(frozen=True, slots=True)
class Terms:
    """What the runs of one start share."""

    tenant: int
    version: int
    by: str
    priority: int = 0
    sla_seconds: int | None = None


def start_runs(terms: Terms, items: Sequence[NewRun], *, if_exists: IfExists = "return") -> list[Started]:
    """Start runs of one published version in one transaction; a business key again gives the run it has (R-034).

    Up to 1,000 items. Raises RunRefused naming the field (`items[3].input`) and then starts none of them.
    """
    try:
        version = compiled(terms.version)
    except BrokenVersion as error:
        raise RunRefused("broken_version", str(error), field="workflow", conflict=True) from error
    asked = [_checked(version.graph, item, place, len(items)) for place, item in enumerate(items)]
    fresh = {item.business_key: item.id or uuid7() for item in asked if item.business_key is not None}
    with _refusing(), transaction.atomic():
        keys = _claimed_keys(terms.tenant, version, fresh, if_exists)
        started, rows, seen = [], [], set()
        for item in asked:
            key = item.business_key
            run_id = item.id or uuid7() if key is None else keys[key]
            new = key is None or (run_id == fresh[key] and key not in seen)
            seen.add(key)
            if new:
                shard = zlib.crc32(run_id.encode()) % SHARDS
                rows.append({"id": run_id, "shard": shard, "business_key": key, "input": item.input})
            started.append(Started(run_id, key, new))
        wave = _begin(terms, version, rows)
    dispatch.wake(wave.result.wake)
    live.tell_runs(terms.tenant, (row["id"] for row in rows))
    return started


@contextmanager
def _refusing() -> Iterator[None]:
    """Refuse what can't be written in one transaction, with all that starts by it at once."""
    try:
        yield
    except store.Unstorable as error:
        raise RunRefused("too_large", f"This can't be done in one go: {error}.", field="input") from error
    except UniqueViolation as error:
        if error.diag.constraint_name != "runs_run_pkey":
            raise
        raise RunRefused("started_already", "This run was started already.", conflict=True) from error


def _claimed_keys(
    tenant: int, version: Compiled, fresh: Mapping[str, str], if_exists: IfExists
) -> Mapping[str, str]:
    """For each business key the run it stands for now: ours where nobody was first."""
    if not fresh:
        return {}
    rows = [
        {"business_key": key, "run_id": fresh[key], "ordinal": place}
        for place, key in enumerate(sorted(fresh))
    ]
    if if_exists == "new_if_ended":
        store.lock_keys(tenant=tenant, workflow=version.workflow_id, keys=sorted(fresh))
    owned = store.claim_keys(
        tenant=tenant, workflow=version.workflow_id, keys=rows, renew=if_exists == "new_if_ended"
    )
    if not (taken := sorted(fresh.keys() - owned)):
        return fresh
    if if_exists == "error":
        message = f"A run of {version.workflow} with the business key {taken[0]!r} exists."
        raise RunRefused("run_exists", message, field="business_key", conflict=True)
    return {**fresh, **store.read_keys(tenant=tenant, workflow=version.workflow_id, keys=taken)}


def _begin(terms: Terms, version: Compiled, rows: Sequence[dict[str, Json]]) -> Wave:
    wave = Wave()
    if not rows:
        return wave
    facts = {
        "tenant": terms.tenant,
        "workflow": version.workflow_id,
        "version": terms.version,
        "number": version.number,
        "priority": terms.priority,
        "sinks": len(version.graph.sinks),
        "sla_seconds": terms.sla_seconds if terms.sla_seconds is not None else version.graph.sla_seconds,
        "created_by": terms.by,
    }
    store.insert_runs([row | {"input": _gated(row["input"])} for row in rows], facts)
    known = scopes.load_for_starts(terms.version, [row["id"] for row in rows])
    causes = []
    for row in rows:
        anchor = Anchor(row["id"], row["id"], terms.tenant, row["shard"], terms.version, terms.priority)
        scope = known.get(row["id"], {"vars": {}}) | {"input": row["input"]}
        causes.append((anchor, begin(version.graph, scope)))
    wave.hang(causes)
    wave.finish()
    wave.fail()
    return wave


def _gated(value: Json) -> orjson.Fragment:
    """An input as jsonb keeps it. Raises BadJson where it can't."""
    return orjson.Fragment(strict_dumps(value, max_bytes=MAX_INPUT_BYTES))


def _checked(graph: Graph, item: NewRun, place: int, count: int) -> NewRun:
    """The item with its business key, where the definition makes one. Raises RunRefused."""
    where = f"items[{place}]." if count > 1 else ""
    if graph.input_schema is not None and (problem := problem_of(graph.input_schema, item.input)):
        path, message = problem
        raise RunRefused("invalid_input", message, field=f"{where}input{path}")
    key = item.business_key
    if key is None and graph.business_key is not None:
        try:
            made = graph.business_key.render({"input": item.input, "run": {}, "vars": {}})
        except ExpressionError as error:
            raise RunRefused(
                "invalid_input", f"The business key can't be made: {error}", field=f"{where}input"
            ) from None
        if isinstance(made, bool) or not isinstance(made, str | int):
            # Anything else has no one spelling, and null would make all orders without an id one.
            message = "The workflow's business key must come out as a text or a whole number."
            raise RunRefused("invalid_input", message, field=f"{where}input")
        key = str(made)
    if key is not None and not 0 < len(key) <= MAX_BUSINESS_KEY:
        message = f"A business key has 1 to {MAX_BUSINESS_KEY} characters."
        raise RunRefused("invalid", message, field=f"{where}business_key")
    return replace(item, business_key=key)


def cancel_runs(tenant: int, runs: Iterable[str], *, by: str, reason: str = "") -> None:
    """Cancel open runs: what waits is cancelled at once, what runs is awaited (R-074, H-32).

    Raises RunRefused for one that has ended; then none is cancelled.
    """
    with transaction.atomic():
        locked = _had_alone(tenant, runs)
        for status, _ in locked.values():
            if status in RUN_ENDED:
                raise RunRefused("run_ended", f"The run is {status} already.", conflict=True)
        rows = [
            {"run_id": run, "status": RunStatus.CANCELLING, "payload": {"by": by, "reason": reason}}
            for run in locked
        ]
        store.close_runs(rows)
        store.cancel_open_steps(locked, cause="cancelled", statuses=NOT_STARTED)
        store.end_closing_runs(locked)
    live.tell_runs(tenant, locked)


def resume_runs(tenant: int, runs: Iterable[str], *, by: str, reason: str = "") -> None:
    """Reopen FAILED runs: failed steps and those that the failure cancelled run again, completed ones stay (R-051).

    Raises RunRefused for a run that isn't FAILED, or whose business key a newer run has; then none is resumed.
    """
    wave = Wave()
    with _refusing(), transaction.atomic():
        locked = _had_alone(tenant, runs)
        for status, _ in locked.values():
            if status != RunStatus.FAILED:
                raise RunRefused(
                    "not_failed", f"Only a FAILED run can be resumed; this one is {status}.", conflict=True
                )
        for key, other in store.lock_keys_of(locked):
            message = (
                f"The business key {key!r} stands for a newer run, {other}: only that one can be resumed."
            )
            raise RunRefused("key_taken", message, conflict=True)
        reopened = store.reopen_runs(locked, {"by": by, "reason": reason})
        for run_id, _, shard, version, priority, open_sinks in reopened["runs"]:
            wave.anchors[run_id] = Anchor("", run_id, tenant, shard, version, priority)
            if open_sinks <= 0:
                # It failed after its last step: what failed is to compute its output.
                wave.sunk.add(run_id)
        try:
            _resolve_pending(wave, locked)
            _enter_again(wave, reopened["entered"])
            wave.decide_joins(reopened["joins"])
            wave.finish()
        except BrokenVersion as error:
            raise RunRefused("broken_version", str(error), conflict=True) from error
        wave.fail()
    dispatch.wake(wave.result.wake.union(reopened["queues"]))
    live.tell_runs(tenant, locked)


def _had_alone(tenant: int, runs: Iterable[str]) -> dict[str, Locked]:
    """The tenant's runs, locked FOR UPDATE. Raises RunRefused for another tenant's."""
    wanted = set(runs)
    own = {
        str(run) for run in Run.objects.for_tenant(tenant).filter(pk__in=wanted).values_list("pk", flat=True)
    }
    if own != wanted:
        raise RunRefused("unknown_run", "There is no such run.")
    return store.lock_heavy(wanted)


def _resolve_pending(wave: Wave, locked: Mapping[str, Locked]) -> None:
    """Resolve the edges of steps that completed while their run was failing.

    Where that fails the run, the step stays completed and its edges pending: it must never be done twice.
    """
    pending = store.pending_edges(locked)
    if not pending:
        return
    scopes.load(step for step, _ in pending)
    plans = []
    for step, output in pending:
        planned = plan(step, Done(output), graph_of(step.version_id), luck=0.0)
        failure = planned.effects.failure if planned.effects else None
        if failure and failure[0] == step.node:
            wave.failures.setdefault(step.run_id, failure)
            wave.letters.append(step.id)
        else:
            planned.row["reopened"] = True
            plans.append(planned)
    wave.end(plans, {run: found._replace(status=RunStatus.RUNNING) for run, found in locked.items()})


def _enter_again(wave: Wave, entered: Sequence[tuple[str, str, Json]]) -> None:
    """Start steps once more that failed when they were started: their input is made anew, by the same rules."""
    known = scopes.load_for_joins(
        (run_id, wave.anchors[run_id].version_id, node) for run_id, node, _ in entered
    )
    causes = []
    for run_id, name, given in entered:
        anchor = replace(wave.anchors[run_id], id=uuid7())
        node = graph_of(anchor.version_id).nodes[name]
        scope = {"vars": {}} | ({} if node.predecessors else {"input": given}) | known.get((run_id, name), {})
        outputs = dict.fromkeys(node.predecessors, given)
        causes.append((anchor, fire(graph_of(anchor.version_id), node, outputs, scope, run=True)))
    if causes:
        wave.hang(causes)
