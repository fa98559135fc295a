"""Going on with what a run has done: in the run itself on another version, or in a new run from a node on.

Both walk the graph again from its start. A step that is kept isn't done again: its edges follow from what it gave.
"""

from collections.abc import Iterable, Mapping

from django.db import transaction

from engine.graph import Graph
from engine.overrides import KeepResult, Overrides, RerunWith, RestartWith
from engine.statuses import StepStatus
from engine.verbs import why_not
from lib.uuid7 import uuid7
from runs.commands import approved, starts
from runs.commands.human_skips import check_move
from runs.commands.kept import KeptStep, kept_before, kept_steps, refuse_test, walk_anew, with_its_own
from runs.commands.starts import NewRun, Started, Terms
from runs.kernel.graphs import compiled, shown
from runs.kernel.plan import Anchor
from runs.kernel.refused import (
    RunRefused,
    fitting,
    lock_runs,
    refuse_parts,
    refuse_withdrawn,
    refusing,
    storable,
)
from runs.kernel.reopen import check_failed
from runs.kernel.unit_of_work import changing
from runs.models import Run, StartedFrom, StepExecution
from runs.store import hot, payloads, waits
from runs.store.approvals import mark_changed
from steps.limits import MAX_INPUT_BYTES


def resume_on(tenant: int, run: str, version: int, *, by: str, reason: str = "") -> None:
    """Resume a FAILED run on another version of its workflow (its id): what was done stays, the rest follows its graph.

    Raises RunRefused where the version doesn't fit what was done, naming the step.
    """
    with changing(tenant, [run]) as change:
        check_failed(change.locked)
        refuse_parts(tenant, [run])
        refuse_withdrawn(tenant, version)
        check_move(tenant, by, run, version)
        on = compiled(version)
        row = Run.objects.for_tenant(tenant).get(pk=run)
        refuse_test(row)
        approved.change(run, change.locked[run], version)
        if misfits := approved.misfits(run, shown(row.version_id).graph, on.graph):
            raise _misfit(misfits[0].message)
        steps = kept_steps(tenant, run)
        done = {
            step.node: step.kept(outcome, here=True)
            for step in steps
            if (outcome := step.outcome) is not None
        }
        _check_there(on.graph, steps, done)
        overrides: Overrides = {
            **{step.node: RestartWith(step.carried) for step in steps if step.fired},
            **done,
        }
        row_ids = [one.row for one in done.values() if one.row is not None]
        facts = {"version": version, "number": on.number, "sinks": len(on.graph.sinks)}
        waits.count_sla_waits([run])
        run_row = hot.reopen_on(run=run, steps=row_ids, facts=facts, payload={"by": by, "reason": reason})
        anchor = Anchor(uuid7(), run, tenant, run_row["shard"], version, run_row["priority"])
        transition = change.transition
        transition.overrides[run] = overrides
        walk_anew(transition, on, anchor)
        if missing := [node for node in done if (run, node) not in transition.kept]:
            raise _misfit(f"{missing[0]} has run, but this version would not have reached it yet.")
        edges_by_node = {node: edges for (_, node), edges in transition.kept.items()}
        hot.walked_again(run=run, edges=edges_by_node)


def _check_there(graph: Graph, steps: Iterable[KeptStep], overrides: Mapping[str, KeepResult]) -> None:
    for step in steps:
        if step.node not in overrides:
            continue
        if step.node not in graph.nodes:
            raise _misfit(f"{step.node} has run, but this version has no such step.")
        if graph.nodes[step.node].type != step.type:
            became = graph.nodes[step.node].type
            raise _misfit(f"{step.node} has run as {step.type}, but is {became} in this version.")


def _misfit(why: str) -> RunRefused:
    message = f"The run can't go on with this version: {why} Resume it on its own version, or rerun it."
    return RunRefused("does_not_fit", message, field="version", conflict=True)


def rerun(
    tenant: int,
    run: str,
    from_node: str,
    *,
    override: RerunWith | None = None,
    version: int | None = None,
    id: str | None = None,
    by: str,
    acts_for: str | None = None,
    reason: str = "",
) -> Started:
    """Start a new run that keeps what an ended run has done, approvals too, but for `from_node` and what depends on it.

    `override`: what `from_node` gets instead of its input; of a node at the start it is the input of the new run.
    `version`: the id of another version of the workflow. `id`: one that was set apart for the new run. `acts_for`: for
    whom it acts, where that is not `by`. Its business key stands for the new run then. Raises RunRefused.
    """
    if override is not None:
        storable(override.input, "input", max_bytes=MAX_INPUT_BYTES)
    with refusing(), transaction.atomic():
        (locked,) = lock_runs(tenant, [run]).values()
        if why := why_not(locked.status, "rerun"):
            raise RunRefused(why.code, why.sentence, conflict=True)
        source = _source_of(tenant, run, is_moved=version is not None)
        refuse_withdrawn(tenant, version or source.version_id)
        with fitting():
            on = compiled(version or source.version_id)
        if from_node not in on.graph.nodes:
            raise RunRefused("unknown_node", f"The version has no step {from_node}.", field="from_node")
        overrides = kept_before(tenant, on.graph, run, from_node)
        if version is not None:
            _check_decisions(run, source.version_id, on.graph, overrides)
        run_input = payloads.whole(tenant, source.input)
        payload = {"from_node": from_node, "reason": reason}
        if override is not None:
            payload |= hot.digests_of(run=run, node=from_node, value=override.input)
            if on.graph.nodes[from_node].predecessors:
                overrides[from_node] = override
            else:
                run_input = override.input
                overrides = {node: with_its_own(one, {None}) for node, one in overrides.items()}
        item = NewRun(
            run_input, source.business_key, id=id, rerun_of=run, overrides=overrides, payload=payload
        )
        terms = _terms(source, version or source.version_id, by, acts_for)
        (started,) = starts.start_runs(terms, [item], if_exists="new_if_ended")
        if not started.created:
            message = f"The business key {source.business_key!r} belongs to an open run: {started.id}."
            raise RunRefused("key_taken", message, conflict=True)
        if override is not None:
            mark_changed([started.id])
        _check_reached(tenant, started.id, from_node)
    return started


def _terms(source: Run, version: int, by: str, acts_for: str | None) -> Terms:
    return Terms(
        source.tenant_id,
        version,
        by,
        source.priority,
        is_test=source.is_test,
        acts_for=acts_for,
        started_from=StartedFrom.RERUN,
    )


def _check_decisions(run: str, version: int, on: Graph, overrides: Overrides) -> None:
    """Raises RunRefused where a decision that is kept covers less in the graph `on` than in the version of the run."""
    again = {*on.nodes}.difference(overrides)
    if misfits := approved.misfits(run, shown(version).graph, on, again=again):
        raise _misfit(misfits[0].message)


def _source_of(tenant: int, run: str, *, is_moved: bool) -> Run:
    """The run that is to be rerun; `is_moved`: on another version. Raises RunRefused."""
    refuse_parts(tenant, [run])
    source = Run.objects.for_tenant(tenant).select_related("version__workflow").get(pk=run)
    if is_moved:
        refuse_test(source)
    workflow = source.version.workflow
    if workflow.archived_at is not None:
        raise RunRefused("archived", f"The workflow {workflow.name} is archived.", conflict=True)
    return source


def _check_reached(tenant: int, run: str, node: str) -> None:
    steps = StepExecution.objects.for_tenant(tenant).filter(run_id=run, node=node, index=None)
    if steps.filter(status=StepStatus.SKIPPED).exists():
        message = f"With what was done before, the run does not reach {node}: another branch is taken."
        raise RunRefused("not_reached", message, field="from_node", conflict=True)
