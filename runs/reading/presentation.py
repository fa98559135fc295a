"""Runs as everybody is shown them, pages, API and commands alike: one statement, and one row for each node."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import chain
from operator import itemgetter
from typing import cast
from uuid import UUID

from accounts import people
from accounts.principal import Principal
from engine.catalogue import Json
from engine.graph import Node
from engine.statuses import RUN_CLOSING, RUN_OPEN, RUN_UNDOING, STEP_OPEN, StepStatus
from engine.verbs import run_verbs
from lib.reader import is_read
from lib.refusals import Missing
from runs.kernel import graphs, undo_plans, wait_kinds
from runs.reading import run_waits, step_waits
from runs.reading.dead_letters import moved_message
from runs.reading.leaves import ALONE, Below, Leaf, begins_others, grouped, leaves_below, waits_of
from runs.reading.run_view import PENDING, REQUIRED_OF_STEP, WAITING, RunView, StepView
from runs.reading.step_actions import has_failed, offers
from runs.reading.stored import LISTED, ONE_RUN, WHOLE, Bounds, RunRead, StepRead, read_run, read_runs
from runs.reading.variables import variables_shown
from runs.store.traces import trace_of
from workflows import titles

COLUMNS = ("error", "output", "input")
STEP_COLUMNS = (*COLUMNS, "progress")

_AT_WORK = STEP_OPEN | {StepStatus.FAILED}


def run_rows(
    tenant: int,
    runs: Sequence[UUID | str],
    bounds: Bounds = LISTED,
    *,
    apart: bool = False,
    who: Principal | None = None,
) -> list[RunView]:
    """The tenant's runs of these ids, in their order, each with its steps (docs/api.md, "Runs"); one statement, one
    more where one of them waits for what is below it.

    `apart`: each has as much room for payloads as if it were read alone. `who` reads: what they may not read of runs
    below these is left out of what these wait for.
    """
    read = read_runs(tenant, runs, bounds, apart=apart)
    by_id = {run.id: view_of(run, below=below) for run, below in read_with_below(tenant, read, who)}
    return [by_id[str(run)] for run in runs if str(run) in by_id]


def brief_rows(
    tenant: int,
    runs: Sequence[UUID | str],
    bounds: Bounds,
    *,
    whole: bool = False,
    who: Principal | None = None,
) -> list[tuple[RunView, list[str]]]:
    """As `run_rows`, each with the names of its input's fields in the order that the author of its version gave.

    Of its steps only those that are open or have failed, unless it is asked for as a `whole`.
    """
    by_id = {
        run.id: (view_of(run, None if whole else _AT_WORK, below), _fields(run.version_id))
        for run, below in read_with_below(tenant, read_runs(tenant, runs, bounds), who)
    }
    return [by_id[str(run)] for run in runs if str(run) in by_id]


def read_with_below(
    tenant: int, runs: Sequence[RunRead], who: Principal | None
) -> list[tuple[RunRead, Below]]:
    """The runs with what they wait for below them, and all that the reader of a page calls by another name."""
    waiting = [
        run.id
        for run in runs
        if run.completed_at is None
        and (begins_others(step.waiting for step in run.steps) or _awaits_children(run))
    ]
    leaves = leaves_below(tenant, waiting, who)
    _learn(tenant, runs, chain.from_iterable(leaves.values()))
    return [(run, grouped(leaves.get(run.id, ()))) for run in runs]


def _awaits_children(run: RunRead) -> bool:
    """Whether an open run may wait for items or runs below it although no step of it does."""
    closes, graph = run.status in RUN_CLOSING | RUN_UNDOING, graphs.shown(run.version_id).graph
    is_idle = closes or not any(step.status in STEP_OPEN for step in run.steps)
    return is_idle and (graph.begins_runs or any(node.body for node in graph.nodes.values()))


def _fields(version_id: int) -> list[str]:
    schema = graphs.shown(version_id).graph.input_schema or {}
    return [
        name for key in ("x-order", "required") for name in schema.get(key) or () if isinstance(name, str)
    ]


def run_row(
    tenant: int, run_id: UUID | str, bounds: Bounds = ONE_RUN, who: Principal | None = None
) -> RunView | None:
    """One run, as `run_rows` has it; None where the tenant has none of this id. Callers that come together ask in one
    statement.
    """
    run = read_run(tenant, str(run_id), bounds)
    if run is None:
        return None
    ((_, below),) = read_with_below(tenant, [run], who)
    return view_of(run, below=below)


def found_run(
    tenant: int, run_id: UUID | str, bounds: Bounds = ONE_RUN, who: Principal | None = None
) -> RunView:
    """As `run_row`. Raises Missing where the tenant has no such run."""
    row = run_row(tenant, run_id, bounds, who)
    if row is None:
        raise Missing("There is no such run.")
    return row


def step_rows(tenant: int, run_id: UUID | str, node: str | None = None) -> list[StepView] | None:
    """The steps of a run in the order of the graph; of one `node`, then whole, where it is named. Items of
    maps and rounds of loops are not among them: there may be 10,000 (`rows_of_items`).

    None where the tenant has no such run.
    """
    bounds = ONE_RUN if node is None else WHOLE
    for run in read_runs(tenant, [run_id], bounds, node=node):
        return [row for row in _step_rows(run) if node is None or row["node"] == node]
    return None


def rows_of_items(
    tenant: int,
    run_id: UUID | str,
    node: str,
    indexes: Sequence[int],
    bounds: Bounds,
    who: Principal | None = None,
) -> list[StepView]:
    """Those of a container's items that stand at these places in its list, as steps are shown; what an item waits for
    is told from the ends of its tree, in one statement for all.
    """
    runs = read_runs(tenant, [run_id], bounds, node=node, items=True, indexes=indexes)
    rows = [row for run in runs for row in _step_rows(run) if row["index"] is not None]
    above = {row["child_run"]: row for row in rows if row["child_run"] and row["waiting_for"]}
    leaves = leaves_below(tenant, [*above], who)
    _learn(tenant, runs, chain.from_iterable(leaves.values()))
    for child, below in leaves.items():
        if words := grouped(below).in_words():
            row = above[child]
            row["waiting_for"] = f"{row['waiting_for']}: {words}"
    return rows


def steps_shown(version_id: int) -> int:
    """How many steps a run of this version is shown with in a list."""
    return len(graphs.shown(version_id).graph.nodes)


def _learn(tenant: int, runs: Sequence[RunRead], leaves: Iterable[Leaf]) -> None:
    """What a page's reader calls those who are named in its runs, and their workflows: once for all of them."""
    if not is_read():
        return
    waits = [step.waiting for run in runs for step in run.steps if step.waiting]
    waits += [leaf.step.waiting for leaf in leaves if leaf.step.waiting]
    people.learn(
        tenant, [*(run.created_by for run in runs), *chain.from_iterable(map(wait_kinds.people_in, waits))]
    )
    begun = [wait["workflow"] for wait in waits if wait.get("workflow")]
    titles.learn(tenant, [*(graphs.shown(run.version_id).workflow for run in runs), *begun])


def _shown(payloads: list[list[Json]]) -> dict[str, Json]:
    """The fields of a row's payloads; `truncated` names those that are left out, with their sizes, and `unreadable`
    says of those among them that are kept beside the database why they can't be read.
    """
    values: dict[str, Json] = dict.fromkeys(COLUMNS)
    sizes, unreadable = {}, {}
    for rank, value, size, *why in payloads:
        values[STEP_COLUMNS[rank - 1]] = value
        if size is not None:
            sizes[STEP_COLUMNS[rank - 1]] = size
        if why:
            unreadable[STEP_COLUMNS[rank - 1]] = why[0]
    if unreadable:
        values["unreadable"] = unreadable
    return {**values, "truncated": sizes} if sizes else values


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def view_of(run: RunRead, only: frozenset[StepStatus] | None = None, below: Below = ALONE) -> RunView:
    """A run as it is shown. `only`: with the steps of these statuses, and of those with none that is still to be
    decided.
    """
    version = graphs.shown(run.version_id)
    rows = _step_rows(run, below) if only is None else _begun_rows(run, only, below)
    row = {
        "id": run.id,
        **run.shown,
        "workflow": version.workflow,
        "version": version.number,
        "status": _shown_status(run),
        **_shown(run.payloads),
        "created_at": _time(run.created_at),
        "started_at": _time(min((step.started_at for step in run.steps if step.started_at), default=None)),
        "completed_at": _time(run.completed_at),
        "sla_seconds": _sla_seconds(run),
        "sla_deadline": _time(run.sla_deadline),
        "sla_breached": run.is_late,
        "sla_paused_at": _time(run.sla_paused_at),
        "deadline": _time(run.sla_deadline),
        "sla": _sla(run),
        **_forecast(run.forecast),
        "waiting_for": run_waits.in_words(run.status, rows, below, has_failed=_has_failed(run)),
        "waits": [] if run.completed_at else waits_of(run.id, run.place or (), rows, below),
        "parent_run": run.parent,
        "parent": run.parent,
        "root_run": run.tree or run.id,
        "place": [{"node": node, "index": index} for node, index in run.place or ()],
        "follows_run": run.follows,
        "traceparent": trace_of(str(run.id), (run.traceparent, None)).parent,
        "continues_run": run.continues,
        "continued_as": run.continued_as,
        "test": run.is_test,
        "can_compensate": undo_plans.may_undo(version.graph),
        "next_workflow": version.graph.next_workflow,
        "variables": variables_shown(run.variables),
        "verbs": sorted(run_verbs(run.status, part=version.graph.is_part)),
        "steps": rows,
    }
    return cast("RunView", row)


def _has_failed(run: RunRead) -> bool:
    """Whether a run that is open has a failure beside which others go on."""
    return run.status in RUN_OPEN and any(COLUMNS[rank - 1] == "error" for rank, *_ in run.payloads)


def _sla_seconds(run: RunRead) -> int | None:
    created, deadline = _time(run.created_at), _time(run.sla_deadline)
    if created is None or deadline is None:
        return None
    return round((deadline - created).total_seconds() - run.sla_paused_seconds)


def _sla(run: RunRead) -> str | None:
    """How it stands with its deadline (R-216); None without one."""
    if run.is_late is None:
        return None
    return "breached" if run.is_late else "warning" if run.is_near else "ok"


def _forecast(forecast: list[Json] | None) -> dict[str, Json]:
    """When it is done in half of the cases and in nine of ten, and how likely it misses its deadline."""
    if forecast is None:
        return {"forecast": None, "deadline_risk": None}
    p50, p90, risk = forecast
    return {"forecast": {"p50": _time(p50), "p90": _time(p90)}, "deadline_risk": risk}


def _shown_status(run: RunRead) -> str:
    if run.status != "RUNNING":
        return run.status
    if all(step.status == StepStatus.QUEUED and step.attempt == 0 for step in run.steps):
        return PENDING
    still_open = {step.status for step in run.steps if step.status in STEP_OPEN}
    return WAITING if still_open == {StepStatus.WAITING} else run.status


def _step_rows(run: RunRead, below: Below = ALONE) -> list[StepView]:
    """One row for each node in the order of the graph, decided or not; items of a map behind their node.

    What is undone stands at the end, backwards, as it is done.
    """
    by_node: dict[str, list[StepRead]] = {}
    for step in run.steps:
        by_node.setdefault(step.node, []).append(step)
    rows: list[StepView] = []
    graph = graphs.shown(run.version_id).graph
    for node in graph.nodes.values():
        attempts = by_node.get(node.id)
        rows += (
            [_step_row(_done_by(node, step), step, below) for step in attempts]
            if attempts
            else [_pending_row(node)]
        )
    for undo in reversed(list(graph.compensations.values())):
        rows += [_step_row(undo, step, below) for step in by_node.get(undo.id, ())]
    if not run.is_test and not graph.is_part:
        _name_dead_letters(rows)
    for row in rows:
        row["verbs"] = offers(run.status, row, part=graph.is_part)
    return rows


def _begun_rows(run: RunRead, statuses: frozenset[StepStatus], below: Below) -> list[StepView]:
    """The steps of these statuses, in the order of `_step_rows`; what may be done to them is not told."""
    graph = graphs.shown(run.version_id).graph
    nodes = [*graph.nodes.values(), *reversed(list(graph.compensations.values()))]
    places = {node.id: (place, node) for place, node in enumerate(nodes)}
    entries = [
        (*places[step.node], step) for step in run.steps if step.status in statuses and step.node in places
    ]
    entries.sort(key=itemgetter(0))
    rows = [_step_row(_done_by(node, step), step, below) for _, node, step in entries]
    if not run.is_test and not graph.is_part:
        _name_dead_letters(rows)
    return rows


def _done_by(node: Node, step: StepRead) -> Node:
    """What the step does: a container's child what its body says."""
    return node.body if node.body is not None and step.place is not None else node


def _pending_row(node: Node) -> StepView:
    row: dict[str, Json] = {
        **dict.fromkeys(REQUIRED_OF_STEP),
        "node": node.id,
        "undoes": node.undoes,
        "type": node.type,
        "title": node.title,
        "status": PENDING,
        "attempt": 0,
        "max_attempts": node.retry.max_retries + 1,
        "retries_remaining": node.retry.max_retries,
        "verbs": [],
    }
    return cast("StepView", row)


def _step_row(node: Node, step: StepRead, below: Below) -> StepView:
    started, completed = _time(step.started_at), _time(step.completed_at)
    took = completed - started if completed and started else None
    status, attempts = step.status, node.retry.max_retries + 1
    row = {
        "id": step.id,
        "node": node.id,
        "undoes": node.undoes,
        "index": step.place,
        "type": node.type,
        "title": node.title,
        "status": status,
        "attempt": step.attempt,
        "max_attempts": attempts,
        "retries_remaining": max(0, attempts - max(step.attempt, 1)),
        "progress": None,
        **_shown(step.payloads),
        "error_message": None,
        "queue": step.queue,
        "worker": step.worker,
        "lease_expires_at": _time(step.lease_expires_at) if status == StepStatus.RUNNING else None,
        "last_heartbeat_at": _time(step.heartbeat_at),
        "queued_at": _time(step.queued_at),
        "started_at": started,
        "completed_at": completed,
        "duration_ms": None if took is None else round(took.total_seconds() * 1000, 3),
        "waiting_for": _step_waits_for(node, step, below),
        "waiting": step.waiting and {key: step.waiting.get(key) for key in ("kind", "name", "until")},
        "next_attempt_at": _time(step.available_at) if step_waits.waits_for_retry(step) else None,
        "kept_from": step.kept_from,
        "cause": step.cause,
        "child_run": step.child_run,
        "items": _items(step),
        "verbs": [],
    }
    error = row["error"]
    row["error_message"] = error.get("message") if isinstance(error, dict) else None
    return cast("StepView", row)


def _name_dead_letters(rows: Iterable[StepView]) -> None:
    """Have each step that failed for good say that it is a dead letter (R-085)."""
    for row in rows:
        asks = wait_kinds.asks_operator(row["waiting"] or {})
        if row["index"] is None and (asks or (row["status"] == StepStatus.FAILED and has_failed(row))):
            row["error_message"] = moved_message(row["attempt"])


def _items(step: StepRead) -> dict[str, Json] | None:
    """How far a container is; None of any other step."""
    if step.items is None:
        return None
    total, begun, ended, failed, rounds = step.items
    return {"total": total, "begun": begun, "ended": ended, "failed": failed, "rounds": bool(rounds)}


def _step_waits_for(node: Node, step: StepRead, below: Below) -> str | None:
    words = step_waits.in_words(node, step)
    # A step that is over waits for nothing, also while what its runs did is undone.
    inner = below.of_step(step.node) if words and step.place is None else ""
    return f"{words}: {inner}" if inner else words
