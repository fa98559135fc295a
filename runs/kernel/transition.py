"""One transaction's way through the graph: end steps, fire joins level by level, finish or fail runs.

The caller has opened the transaction and holds the locks that `advance` and `services` speak of.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from engine.catalogue import Json
from engine.cel_reads import NOTHING
from engine.decide import JoinNeverFired, describe, fire, run_output
from engine.effects import Assigned, Effects
from engine.errors import ExpressionError, failure_of
from engine.overrides import KeepResult, Overrides
from engine.statuses import STEP_OPEN, RunStatus, StepStatus
from lib.strict_json import BadJson, strict_dumps
from lib.uuid7 import uuid7
from runs.kernel import approvals, asking, children, compensation, messages, scopes, variables, wait_kinds
from runs.kernel.advance_rows import AdvanceRows
from runs.kernel.graphs import compiled, finishes_others
from runs.kernel.plan import Affinity, Anchor, Planned, child_ends, described, plan, runs_of
from runs.kernel.working_time import arm, counted
from runs.limits import RUN_OUTPUT_BYTES
from runs.store import failing, hot, payloads, undo_entries, waits
from runs.store.attempts import AttemptResult, ClaimedStep, LockedRun, Succeeded, Suspended
from runs.store.children import Container, count_children
from runs.store.rows import DecidedRow, EndedBy, FinishedRow, ScopeRow

Counted = tuple[str, str, int, list[str]]
"""A join with its run: how many of its edges are resolved, and the sources of those that are taken, in order."""
Failure = tuple[str | None, Mapping[str, Json]]

NOT_STARTED = (StepStatus.QUEUED, StepStatus.WAITING)


@dataclass(slots=True)
class Result:
    """What was done: the steps ended or retried, those that the worker keeps, the queues that have work now.

    `written` is what was written of steps: only of those in `applied` it had an effect. `decided` are statuses of steps
    that the engine itself has ended, `completed` the runs that have.
    """

    applied: set[str] = field(default_factory=set)
    decided: list[str] = field(default_factory=list)
    written: list[Planned] = field(default_factory=list)
    kept: list[ClaimedStep] = field(default_factory=list)
    wake: set[str] = field(default_factory=set)
    completed: set[str] = field(default_factory=set)

    def add(self, other: "Result") -> None:
        """Take over what another transaction did."""
        self.applied |= other.applied
        self.decided += other.decided
        self.written += other.written
        self.kept += other.kept
        self.wake |= other.wake
        self.completed |= other.completed


@dataclass(slots=True)
class Transition:
    """What a transaction gathers on its way. `hopeless`: runs that fail at once, whatever else goes on in them."""

    keep: Affinity | None = None
    anchors: dict[str, Anchor] = field(default_factory=dict)
    failures: dict[str, Failure] = field(default_factory=dict)
    dead_letters: list[str] = field(default_factory=list)
    sunk: set[str] = field(default_factory=set)
    overrides: dict[str, Overrides] = field(default_factory=dict)
    kept: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    alive: set[str] = field(default_factory=set)
    containers_over: set[Container] = field(default_factory=set)
    hopeless: set[str] = field(default_factory=set)
    result: Result = field(default_factory=Result)

    def complete(self, plans: Sequence[Planned], locked: Mapping[str, LockedRun]) -> None:
        """End steps of open runs and follow what that means as far as it goes."""
        self.result.written += plans
        draft = AdvanceRows(self.keep)
        for planned in plans:
            run_id = planned.step.run_id
            anchor = Anchor.of(planned, locked[run_id])
            earlier = self.anchors.get(run_id)
            # Joins of the run that fire now may stay here as long as the longest way that led to them.
            self.anchors[run_id] = replace(anchor, hops=max(anchor.hops, earlier.hops if earlier else 0))
            draft.end(planned, anchor)
        joins = self._write(draft)
        self._set_variables(
            (self.anchors[planned.step.run_id], planned.effects, planned.step.index)
            for planned in plans
            if planned.effects is not None and planned.anchor in self.alive
        )
        self._settle_timers(
            [planned for planned in plans if planned.is_timed and planned.anchor in self.alive]
        )
        self._limit_again(plans)
        asking.tell([planned for planned in plans if planned.anchor in self.alive])
        approvals.write_ended([planned for planned in plans if planned.anchor in self.alive])
        for planned in plans:
            failure = planned.effects and planned.effects.failure
            if failure and planned.anchor in self.alive:
                self.failures.setdefault(planned.step.run_id, failure)
        self.decide_joins(joins)
        self._count_children(plans)

    def wake(
        self, endings: Sequence[tuple[ClaimedStep, AttemptResult]], locked: Mapping[str, LockedRun]
    ) -> None:
        """End steps whose wait is over, within the transaction that has their runs alone."""
        scopes.load(step for step, _ in endings)
        graphs = {step.id: compiled(step.version_id).graph for step, _ in endings}
        timed = [step.id for step, _ in endings if graphs[step.id].step(step.node, step.index).boundary]
        fired = waits.fired_edges(timed) if timed else {}
        fitting = [(step, payloads.fitted_result(step, result)) for step, result in endings]
        plans = [
            plan(replace(step, fired=frozenset(fired.get(step.id, ()))), result, graphs[step.id], jitter=0.0)
            for step, result in fitting
        ]
        for planned in plans:
            planned.row["by"] = EndedBy.WAIT
        if steps := [planned for planned in plans if not planned.is_undo]:
            self.complete(steps, locked)
        if undoing := [planned for planned in plans if planned.is_undo]:
            self.end_compensations(undoing)

    def _count_children(self, plans: Sequence[Planned]) -> None:
        """Count the children that are over, and let the next ones of their containers begin."""
        if ends := child_ends(planned for planned in plans if planned.anchor in self.alive):
            counts = count_children(ends)
            versions = {run: anchor.version_id for run, anchor in self.anchors.items()}
            self.result.wake |= children.open_next(counts, versions)
            self.containers_over |= children.over(counts)

    def end_containers(self, locked: Mapping[str, LockedRun]) -> None:
        """End the containers whose children are over, or too many of them failed. Needs their runs alone."""
        if not self.containers_over:
            return
        versions = {run: self.anchors[run].version_id for run, _ in self.containers_over}
        if ended := children.endings(self.containers_over, versions):
            self.wake(ended, locked)
            # Of a run that stops now those that run are awaited, as all its steps.
            if going_on := {step.run_id for step, _ in ended} - self._stopping().keys():
                wait_kinds.waits_ended(going_on)

    def suspend(self, plans: Sequence[Planned], locked: Mapping[str, LockedRun]) -> None:
        """Let steps wait; those whose wait is over at once, such as for a signal that came early, end."""
        entering = [
            (planned.step, planned.result) for planned in plans if isinstance(planned.result, Suspended)
        ]
        waiting = wait_kinds.prepared(counted(entering))
        epochs = waits.enter_waits([wait_kinds.row_of(step, result) for step, result in waiting])
        entered = [
            (replace(step, epoch=epochs[step.id]), result.wait)
            for step, result in waiting
            if step.id in epochs
        ]
        self.result.written += plans
        self.result.applied |= epochs.keys()
        if over := wait_kinds.begin(entered):
            self.wake(over, locked)

    def end_compensations(self, plans: Sequence[Planned]) -> None:
        """End compensations: go on with the next one, or let a person see to one that failed for good."""
        done = hot.advance(
            worker=None,
            ended=[planned.row | {"anchor": planned.anchor} for planned in plans],
            anchors=[],
            steps=[],
            arrivals=[],
        )
        self.result.applied |= {*done.ended.values()}
        self.result.written += plans
        over = [planned for planned in plans if planned.effects is not None and planned.anchor in done.ended]
        self._settle_timers([planned for planned in over if planned.is_timed])
        failed = [planned for planned in over if planned.row["status"] == StepStatus.FAILED]
        if failed:
            hot.insert_dead_letters([{"id": uuid7(), "step_id": planned.step.id} for planned in failed])
            compensation.await_operator(runs_of(failed), [planned.step.id for planned in failed])
        if undone := {one.step.run_id for one in over if one not in failed}:
            self.result.wake |= compensation.compensate_next(undone)

    def apply_effects(self, causes: Iterable[tuple[Anchor, Effects]]) -> None:
        """Follow effects that hang on no ended step, such as those of a start."""
        self.decide_joins(self._apply(causes))

    def _apply(self, causes: Iterable[tuple[Anchor, Effects]]) -> list[Counted]:
        draft, following = AdvanceRows(self.keep), [*causes]
        for anchor, effects in following:
            self.anchors[anchor.run_id] = anchor
            self.kept |= {(anchor.run_id, node): edges for node, edges in effects.kept.items()}
            draft.add_effects(anchor, effects, self._rows_there(anchor.run_id))
            if effects.failure:
                self.failures.setdefault(anchor.run_id, effects.failure)
        joins = self._write(draft)
        self._set_variables((anchor, effects, None) for anchor, effects in following)
        if self.overrides:
            approvals.write_kept([one for one in following if one[0].id in self.alive], draft.ids)
        return joins

    def set_given(self, plans: Iterable[Planned]) -> None:
        """Set what workers set of steps whose edges stay unresolved; what their nodes set follows with the edges."""
        variables.write(
            variables.Setting(step.run_id, step.version_id, Assigned(step.node, result.variables), step.index)
            for step, result in ((planned.step, planned.result) for planned in plans)
            if isinstance(result, Succeeded) and result.variables and step.undoes is None
        )

    def _set_variables(self, causes: Iterable[tuple[Anchor, Effects, int | None]]) -> None:
        """Set the variables that steps set which are over now: joins that fire behind them see them."""
        variables.write(
            variables.Setting(anchor.run_id, anchor.version_id, assigned, index)
            for anchor, effects, index in causes
            for assigned in effects.variables
        )

    def _rows_there(self, run_id: str) -> dict[str, str]:
        overrides = self.overrides.get(run_id, {})
        return {node: one.row for node, one in overrides.items() if isinstance(one, KeepResult) and one.row}

    def _write(self, draft: AdvanceRows) -> list[Counted]:
        for row, owner in zip(draft.steps, draft.owners, strict=True):
            payloads.fit_step(owner.tenant_id, owner.run_id, row)
        done = hot.advance(
            worker=self.keep.worker if self.keep else None,
            ended=draft.ended,
            anchors=draft.anchors,
            steps=draft.steps,
            arrivals=draft.arrivals,
        )
        alive = {*done.ended, *(row["id"] for row in draft.anchors)}
        self.alive |= alive
        self.result.applied |= {*done.ended.values()}
        self.result.decided += draft.decided(alive)
        self.result.kept += [claimed for after, claimed in draft.kept if after in alive]
        self.result.wake |= {queue for after, queue in draft.queued if after in alive}
        self.dead_letters += [step for after, step in draft.dead_letters if after in alive]
        self.sunk |= set(done.sunk)
        self.result.completed |= set(done.completed)
        if done.told:
            self.result.wake.add(messages.QUEUE)
        if timers := [(anchor, timer) for anchor, timer in draft.timers if anchor.id in alive]:
            owners = {timer["step_id"]: (anchor.tenant_id, anchor.version_id) for anchor, timer in timers}
            arm([timer for _, timer in timers], owners)
        return done.joins

    def _settle_timers(self, plans: Sequence[Planned]) -> None:
        if not plans:
            return
        fired = {planned.result.timer for planned in plans if planned.result.timer}
        waits.settle_timers(runs_of(plans), (planned.step.id for planned in plans), fired)
        # It may have been a wait that time has ended: who else could have ended it is told.
        if timed_out := [planned for planned in plans if planned.result.timer]:
            wait_kinds.waits_ended(runs_of(timed_out))

    def _limit_again(self, plans: Sequence[Planned]) -> None:
        """Set anew by when steps must have begun that are tried again: the pause before a retry doesn't count."""
        again = {
            planned.step.id: planned.row["delay"] + node.start_seconds
            for planned in plans
            if "delay" in planned.row and planned.graph is not None and planned.anchor in self.alive
            if (node := planned.graph.step(planned.step.node, planned.step.index)).start_seconds is not None
        }
        if again:
            waits.limit_again(runs_of(plans), again)

    def decide_joins(self, joins: list[Counted]) -> None:
        """Fire the joins that are decided now, then those that these decide, and so on down."""
        while joins:
            decided: dict[tuple[str, str], tuple[bool, list[str]]] = {}
            for run_id, name, arrived, sources in joins:
                join = self._node(run_id, name).join
                if decision := join.verdict(arrived, len(sources)):
                    runs = decision == "run"
                    decided[run_id, name] = runs, list(join.contributors(sources)) if runs else []
            if not decided:
                return
            joins = self._apply(self._fired(decided))

    def _fired(
        self, decided: Mapping[tuple[str, str], tuple[bool, list[str]]]
    ) -> Iterable[tuple[Anchor, Effects]]:
        rows: list[DecidedRow] = [
            {"run_id": run_id, "node": name, "sources": sources}
            for (run_id, name), (_, sources) in decided.items()
        ]
        fired = hot.fire_joins(rows)
        starting = [
            (run, self.anchors[run].version_id, name) for run, name, _ in fired if decided[run, name][0]
        ]
        by_join = scopes.load_for_joins(starting, whole=self.overrides.keys())
        for run_id, name, stored in fired:
            runs, sources = decided[run_id, name]
            node = self._node(run_id, name)
            anchor = replace(self.anchors[run_id], id=uuid7())
            outputs = payloads.whole(anchor.tenant_id, stored)
            inputs = {source: outputs.get(source) for source in node.predecessors if source in sources}
            scope = by_join.get((run_id, name), {"vars": {}})
            overrides = self.overrides.get(run_id, {})
            graph = compiled(anchor.version_id).graph
            yield anchor, fire(graph, node, inputs, scope, run=runs, overrides=overrides)

    def finish(self, locked: Mapping[str, LockedRun]) -> None:
        """Complete the runs whose last sink fell; one whose output can't be computed fails.

        A run below which something is being undone stays open until that is over.
        """
        failed = {run for run, row in locked.items() if row.has_failed}
        sunk = sorted(self.sunk - self.failures.keys() - failed)
        if not sunk:
            return
        graphs = {run: compiled(self.anchors[run].version_id).graph for run in sunk}
        above = [run for run, graph in graphs.items() if graph.begins_runs]
        held = undo_entries.undoing_below(above) if above else set()
        for run, join in failing.joins_never_fired({run: graphs[run] for run in {*sunk} - held}).items():
            self.failures[run] = None, describe(JoinNeverFired(graphs[run].nodes[join]))
        runs = sorted({*sunk} - held - self.failures.keys())
        rows: list[ScopeRow] = []
        for run_id in runs:
            graph = graphs[run_id]
            rows.append(scopes.wanted(run_id, graph.output.refs if graph.output else NOTHING, graph.sinks))
        by_run = scopes.read(rows)
        finished: list[FinishedRow] = []
        for run_id in runs:
            try:
                output = strict_dumps(self._output(run_id, *by_run[run_id]), max_bytes=RUN_OUTPUT_BYTES)
                output = payloads.fitted(self.anchors[run_id].tenant_id, run_id, output)
                following = graphs[run_id].next_workflow
                finished.append({"run_id": run_id, "output": orjson.Fragment(output), "next": following})
            except ExpressionError as error:
                message = f"The output of the workflow can't be computed: {error}"
                self.failures[run_id] = None, describe(failure_of(error, message))
            except BadJson as error:
                message = f"The output of the workflow can't be stored: {error.message}."
                self.failures[run_id] = None, {"code": "BadOutput", "message": message}
        # First, so that nothing stands behind the event that ends the run.
        tangled = [run for run, graph in graphs.items() if not graph.plain]
        if tangled:
            hot.cancel_open_steps(tangled, cause="run ended", statuses=sorted(STEP_OPEN))
            hot.cancel_timers(tangled)
            wait_kinds.waits_ended(tangled)
        if finished and hot.finish_runs(finished):
            self.result.wake.add(messages.QUEUE)
        self.result.completed |= {row["run_id"] for row in finished}

    def _output(self, run_id: str, facts: dict[str, Json], outputs: dict[str, tuple[str, Json]]) -> Json:
        version = compiled(self.anchors[run_id].version_id)
        completed = {
            name: outputs[name][1]
            for name in version.graph.sinks
            if name in outputs and outputs[name][0] in (StepStatus.COMPLETED, StepStatus.SKIPPED)
        }
        return run_output(version.graph, completed, scopes.scope_of(version, run_id, facts, outputs))

    def fail(self, locked: Mapping[str, LockedRun]) -> None:
        """Fail the runs that a step has failed: nothing new starts, running steps are awaited. Needs them alone.

        Where other branches are to go on to their ends it is noted, and the run fails when nothing is left that could.
        """
        closing = self._stopping()
        noted = self.failures.keys() - closing.keys()
        if noted:
            failing.note_failures([{"run_id": run, "error": described(*self.failures[run])} for run in noted])
        going_on = noted | {run for run, row in locked.items() if row.has_failed} - closing.keys()
        ends = failing.at_their_end(going_on) if going_on else []
        for end in ends:
            closing[end.run] = end.error
        if closing:
            hot.close_runs(
                [
                    {"run_id": run, "status": RunStatus.FAILING, "error": error, "undo": True}
                    for run, error in closing.items()
                ]
            )
        if self.dead_letters:
            hot.insert_dead_letters([{"id": uuid7(), "step_id": step} for step in self.dead_letters])
        if noted - closing.keys():
            wait_kinds.waits_ended(noted - closing.keys())
        if closing:
            hot.cancel_open_steps(closing, cause="failure", statuses=NOT_STARTED)
            hot.cancel_timers(closing)
            wait_kinds.waits_ended(closing)
            self.result.wake |= compensation.close(closing)

    def _stopping(self) -> dict[str, Mapping[str, Json]]:
        """The errors of the runs that a failure stops at once."""
        return {
            run: described(node, error)
            for run, (node, error) in self.failures.items()
            if node is None or run in self.hopeless or not finishes_others(self.anchors[run].version_id)
        }

    def _node(self, run_id: str, name: str) -> Any:
        return compiled(self.anchors[run_id].version_id).graph.nodes[name]
