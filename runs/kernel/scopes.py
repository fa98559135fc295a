"""What expressions see, read in one statement for a whole batch, and only for the steps that need it."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from engine import bodies
from engine.catalogue import Json
from engine.cel_reads import ENDED, MOMENT, References
from engine.graph import Graph, entry_reads
from lib import tracing
from lib.blobs import BlobError
from runs.kernel.graphs import Compiled, compiled, compiled_or_none
from runs.store import hot, payloads, traces
from runs.store.attempts import ClaimedStep
from runs.store.rows import ScopeRow

EVERYTHING = References(steps=frozenset(), every_step=True, names=frozenset({"vars"}))
VARIABLES = References(names=frozenset({"vars"}))
RUN_FACTS = frozenset({"input", "run", "vars"})
PART_FACTS = RUN_FACTS | {"item", "index"}
TELLING = frozenset({"blocking", "external"})
"""Kinds of steps that tell somebody else of the trace that their run is of."""


def needs_reading(reads: References, graph: Graph) -> bool:
    """Whether something of the run must be read to evaluate these expressions."""
    facts = PART_FACTS if graph.is_part else RUN_FACTS
    return bool(reads.steps or reads.every_step or reads.names & facts)


def wanted(run_id: str, reads: References, also: Sequence[str] = ()) -> ScopeRow:
    """The row that asks for what `reads` names, and for the nodes `also`."""
    return {
        "run_id": run_id,
        "nodes": sorted({*reads.steps, *also}),
        "every": reads.every_step,
        "vars": "vars" in reads.names,
    }


def scope_of(
    version: Compiled, run_id: str, facts: dict[str, Json], outputs: dict[str, Any]
) -> dict[str, Json]:
    """The scope of a run's expressions (docs/definitions.md, "Expressions") from what `read_scopes` gave."""
    scope = {
        "input": facts["input"],
        "steps": {node: {"output": output} for node, (_, output) in outputs.items()},
        "run": {
            "id": run_id,
            "workflow": version.workflow,
            "business_key": facts["business_key"],
            "created_by": facts["created_by"],
            "tenant": version.tenant_slug,
            "now": facts["now"],
        },
        "vars": facts["vars"],
    }
    return bodies.seen(scope, facts["input"]) if version.graph.is_part else scope


Read = tuple[dict[str, Json], dict[str, Any]]
"""A run's facts, and its nodes' statuses and outputs."""


def read(rows: Iterable[ScopeRow]) -> dict[str, Read]:
    """What `read_scopes` gives, with all that is kept beside the database. Raises BlobError."""
    return {run: _whole(*row) for run, row in hot.read_scopes(rows).items()}


def _whole(facts: dict[str, Json], outputs: dict[str, Any]) -> Read:
    facts, outputs = payloads.whole(facts["tenant"], [facts, outputs])
    return facts, outputs


def load(steps: Iterable[ClaimedStep]) -> None:
    """Give each step the scope that running it and getting past it needs: at most one statement for all of them,
    and one more where some of them tell the time.

    Steps whose input or scope is kept beside the database and can't be read are `unreadable` then.
    """
    asking: dict[str, list[ClaimedStep]] = {}
    timed: list[ClaimedStep] = []
    rows = []
    for step in steps:
        if not step.is_whole:
            try:
                step.input, step.is_whole = payloads.whole(step.tenant_id, step.input), True
            except BlobError as error:
                step.unreadable = error
        # What can't be read is not there: nothing is computed with a reference.
        step.scope = {} if step.unreadable else {"prev": step.input}
        if step.index is not None and not step.unreadable:
            step.scope |= {"item": step.input, "index": step.index}
        version = compiled_or_none(step.version_id)
        if version is None:
            # Executing it will say so, as the failure of this one step.
            continue
        graph = version.graph
        reads = graph.step(step.node, step.index).reads
        if needs_reading(reads, graph):
            asking.setdefault(step.run_id, []).append(step)
            rows.append(wanted(step.run_id, reads))
            timed += [step] if reads.tells_time else []
        else:
            step.scope["vars"] = {}
    if not asking:
        return
    for run_id, row in hot.read_scopes(_merged(rows)).items():
        alike = asking[run_id]
        for step in alike:
            _keep_trace(step, row[0]["trace"])
        try:
            facts, outputs = _whole(*row)
        except BlobError as error:
            for step in alike:
                step.unreadable = error
            continue
        for step in alike:
            # A child has its own item, also within the steps of another container.
            step.scope = scope_of(compiled(step.version_id), run_id, facts, outputs) | step.scope
    _tell_time(timed)


def _tell_time(steps: Sequence[ClaimedStep]) -> None:
    """Give each what `now()` is for it: when its attempt began; where none did, what `run.now` is."""
    began = hot.moments([step.id for step in steps])[1] if steps else {}
    for step in steps:
        step.scope[MOMENT] = began.get(step.id)


def load_ends(steps: Iterable[ClaimedStep]) -> None:
    """Give those that tell the time, and whose scope is of when they began, what time it is when they end: that is when
    the steps after them begin.
    """
    timed = [step for step in steps if step.scope.get(MOMENT)]
    if timed:
        now, _ = hot.moments([])
        for step in timed:
            step.scope[ENDED] = now


def load_to_begin(steps: Collection[ClaimedStep]) -> None:
    """As `load`, for whoever begins these steps: those that tell somebody of the trace that their run is of have it
    then. One statement more where some of them read nothing of their run; who ends steps needs no trace.
    """
    load(steps)
    load_traces(steps)


def load_traces(steps: Iterable[ClaimedStep]) -> None:
    """Give those of these steps that tell of it the trace that their run is of, if they don't have it: at most one
    statement.
    """
    telling = [step for step in steps if step.trace is None and _tells(step)]
    if telling:
        headers_by_run = traces.read_traces({step.run_id for step in telling})
        for step in telling:
            _keep_trace(step, headers_by_run.get(step.run_id))


def _keep_trace(step: ClaimedStep, headers: traces.Headers | None) -> None:
    """What calls is the run; of a part, which is told of by no span, what its container's run is told by."""
    is_part = compiled(step.version_id).graph.is_part
    trace = traces.trace_of if is_part else traces.trace_within
    step.trace = trace(step.run_id, headers or traces.NONE)


def _tells(step: ClaimedStep) -> bool:
    version = compiled_or_none(step.version_id)
    if version is None:
        return False
    return tracing.is_on() or version.graph.step(step.node, step.index).kind in TELLING


def load_for_joins(
    joins: Iterable[tuple[str, int, str]], *, whole: Collection[str] = ()
) -> dict[tuple[str, str], dict[str, Json]]:
    """The scopes for starting joins: (run, version, node) → scope by (run, node); at most one statement.

    Of the runs `whole` everything is read: steps of theirs that are kept lead on at once.
    """
    reading = []
    for run_id, version_id, node in joins:
        graph = compiled(version_id).graph
        reads = EVERYTHING if run_id in whole else entry_reads(graph.nodes[node], graph.nodes)
        if needs_reading(reads, graph):
            reading.append((run_id, version_id, node, reads))
    if not reading:
        return {}
    facts = read(_merged([wanted(run_id, reads) for run_id, _, _, reads in reading]))
    return {
        (run_id, node): scope_of(compiled(version_id), run_id, *facts[run_id])
        for run_id, version_id, node, _ in reading
    }


def load_for_starts(
    version_id: int, runs: Sequence[str], *, whole: bool = False
) -> dict[str, dict[str, Json]]:
    """The scopes for starting runs of a version, where its start nodes read more than their input, or `whole`.

    Those of parts are known from their input, but for what they see of the container's run.
    """
    version = compiled(version_id)
    if not whole and not version.graph.reads_at_start.names & {"run", "vars"}:
        return {}
    facts = read([wanted(run_id, VARIABLES) for run_id in runs])
    return {run_id: scope_of(version, run_id, *facts[run_id]) for run_id in runs}


def _merged(rows: list[ScopeRow]) -> list[ScopeRow]:
    """One row a run: several steps of it may read different things."""
    merged: dict[str, ScopeRow] = {}
    for row in rows:
        row_of_run = merged.setdefault(row["run_id"], row)
        if row_of_run is not row:
            row_of_run["nodes"] = sorted({*row_of_run["nodes"], *row["nodes"]})
            row_of_run["every"] = row_of_run["every"] or row["every"]
            row_of_run["vars"] = row_of_run["vars"] or row["vars"]
    return list(merged.values())
