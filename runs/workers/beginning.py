"""What steps need to begin: what their expressions see, and, of those that people's decisions cover, that what they are
about to do is what was decided (docs/security.md, "Approved = executed").
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from engine.approvals import differing_before, leading_to
from engine.catalogue import Json
from engine.decide import describe
from engine.errors import StepError
from engine.outcomes import branch_of
from lib.blobs import BlobError
from runs.kernel import approvals, scopes
from runs.kernel.graphs import compiled_or_none, graph_of, shown
from runs.store import approvals as store
from runs.store import hot, payloads
from runs.store.approvals import BeginningRow, PersonalChange, Standing, UseRow
from runs.store.attempts import AttemptResult, ClaimedStep, Errored, Suspended
from runs.workers.execute import execute

UNDECIDED = "Nothing is written of what was decided about it."
USED = "The approval has been used by another run."
ANOTHER_VERSION = "The version that was decided about has no such step behind the decision."
ANOTHER_INPUT = "The run was given another input."
OTHER_BEFORE = "Its version does something else before it: {names}."
CHANGED_BEFORE = "Somebody has changed what a step before it was given or gave: {names}."
CHANGED = "What it is given, or what it does, is not what was decided."


def load_to_begin(steps: Collection[ClaimedStep]) -> None:
    """Load what these steps see, and withhold those that would do something else than people have approved: they wait
    for the next round of the same question. Without covered steps that takes no statement more than
    `scopes.load_to_begin`.
    """
    scopes.load_to_begin(steps)
    rows = {step.id: (step, row) for step in steps if (row := _row(step)) is not None}
    if not rows:
        return
    standings: dict[str, list[Standing]] = {}
    for standing in store.of_steps([row for _, row in rows.values()]):
        standings.setdefault(standing.step, []).append(standing)
    uses: list[UseRow] = []
    for id, those in standings.items():
        step = rows[id][0]
        try:
            covering = list(_covering(step, those))
        except BlobError as error:
            step.unreadable = error
            continue
        for one in covering:
            changes = _changes_since(step, one)
            if why := _why_not(step, one, changes):
                step.withheld = _next_round(step, one, why, changes)
                break
        if step.withheld is not None:
            continue
        for one in covering:
            # Without one that is written it would be withheld.
            if one.id is not None and one.origin is not None:
                step.approval = one.id, one.digest
                uses += [_use(step, one.origin)] if one.use == "none" else []
    if uses:
        _use_once([step for step, _ in rows.values()], uses, standings)


def _row(step: ClaimedStep) -> BeginningRow | None:
    """What is asked about a step; None where no decision covers it."""
    if step.index is not None or step.undoes is not None or step.unreadable is not None:
        return None
    version = compiled_or_none(step.version_id)
    deciders = None if version is None else version.graph.coverage.deciders.get(step.node)
    if deciders is None:
        return None
    return {"step": step.id, "run_id": step.run_id, "node": step.node, "deciders": deciders}


def _covering(step: ClaimedStep, standings: Sequence[Standing]) -> Iterator[Standing]:
    """The decisions that do cover it: another outcome may lead elsewhere. Raises BlobError."""
    coverage = graph_of(step.version_id).coverage
    for one in standings:
        if one.id is None:
            outcome = branch_of(payloads.whole(step.tenant_id, one.output))
            if outcome is None:
                # It has gone on without an outcome, as only older versions do.
                outcome = coverage.outcome_to(one.decider, step.node)
            one = one._replace(outcome=outcome)
        if one.entry is not None or step.node in coverage.steps(one.decider, one.outcome):
            yield one


def _changes_since(step: ClaimedStep, standing: Standing) -> list[PersonalChange]:
    """What people have changed since a decision; no statement where nobody has."""
    return store.changes_since(step.run_id, standing.at) if standing.is_changed else []


def _why_not(step: ClaimedStep, standing: Standing, changes: Sequence[PersonalChange]) -> str | None:
    """Why a step may not begin by a decision, since which there were these changes; None where it may."""
    entry = standing.entry
    if standing.id is None:
        return UNDECIDED
    if entry is None:
        return ANOTHER_VERSION
    if standing.use == "other":
        return USED
    if approvals.described_now(step, entry["open"]).digest != entry["digest"]:
        return CHANGED
    graph, version = graph_of(step.version_id), entry.get("version", step.version_id)
    # In a rerun it is done again by this version.
    known = entry["known"] if standing.run == step.run_id else ()
    if version != step.version_id and (
        others := differing_before(shown(version).graph, graph, step.node, known)
    ):
        return OTHER_BEFORE.format(names=", ".join(others))
    return _what_people_changed(step, standing, changes)


def _what_people_changed(
    step: ClaimedStep, standing: Standing, all_changes: Sequence[PersonalChange]
) -> str | None:
    """What people have changed since of what leads to a step, in a sentence; None where that is nothing.

    Of its own items a person may have skipped one, which does less.
    """
    graph = graph_of(step.version_id)
    leading = leading_to(graph, step.node)
    changes = [one for one in all_changes if one.is_other and not _is_approved(one, standing.times or {})]
    nodes = {one.node for one in changes if one.node in leading or (one.node == step.node and one.is_input)}
    for one in changes:
        # A rerun from a start gives the run itself another input.
        node = graph.nodes.get(one.node or "")
        if one.is_rerun and (node is None or not node.predecessors):
            return ANOTHER_INPUT
    names = [name for name in graph.nodes if name in nodes and not graph.nodes[name].spec.asks_people]
    return (
        CHANGED_BEFORE.format(names=", ".join(graph.nodes[name].title for name in names)) if names else None
    )


def _is_approved(change: PersonalChange, times: Mapping[str, str]) -> bool:
    """Whether it was decided since about the step that was changed, which the decision covers."""
    decided = times.get(change.node or "")
    return decided is not None and datetime.fromisoformat(change.at) < datetime.fromisoformat(decided)


def _next_round(
    step: ClaimedStep, standing: Standing, why: str, changes: Sequence[PersonalChange]
) -> AttemptResult:
    """What becomes of a step that is withheld: it waits for the next round of the question that was decided."""
    described = approvals.described_now(step)
    withheld: dict[str, Json] = {
        "approval": standing.id,
        "decider": standing.decider,
        "decider_step": standing.decider_step,
        "outcome": standing.outcome,
        "digest": described.digest,
        "why": why,
        "changes": _changes(step, changes),
        "changers": sorted({one.by for one in changes}),
        "was": standing.entry and standing.entry["shown"],
        "now": approvals.shown_of(described),
    }
    asking = hot.step_to_change(run=step.run_id, node=standing.decider)
    if asking is None:
        return not_approved(step, why)
    # It is the same question, asked about the run as it is now.
    claim = replace(asking[0], version_id=step.version_id)
    scopes.load([claim])
    result = execute(claim)
    if not isinstance(result, Suspended):
        return not_approved(step, why)
    # What a person has changed is not approved by nobody's answer.
    clock = [
        moment
        for moment in result.wait["task"]["clock"]
        if (moment["do"], moment.get("outcome")) != ("end", standing.outcome)
    ]
    task = {**result.wait["task"], "clock": clock, "node": standing.decider, "again": True}
    return Suspended({**result.wait, "task": task, "approves": withheld})


def _changes(step: ClaimedStep, changes: Sequence[PersonalChange]) -> list[dict[str, Json]]:
    """Who has changed this step, what it depends on, or the run as a whole, each with their last reason, in order."""
    nodes = {None, step.node, *leading_to(graph_of(step.version_id), step.node)}
    reasons: dict[str, str] = {}
    for one in changes:
        if one.node in nodes:
            reasons.pop(one.by, None)
            reasons[one.by] = one.reason
    return [{"by": by, "reason": reason} for by, reason in reasons.items()]


def not_approved(step: ClaimedStep, why: str) -> Errored:
    """The failure of a step that would do what was not approved."""
    return Errored(describe(StepError("NotApproved", f"{step.node} was not approved as it is: {why}")))


def _use(step: ClaimedStep, approval: str) -> UseRow:
    return {
        "tenant_id": step.tenant_id,
        "approval_id": approval,
        "node": step.node,
        "run_id": step.run_id,
        "shard": step.shard,
    }


def _use_once(
    steps: Sequence[ClaimedStep], uses: Sequence[UseRow], standings: Mapping[str, Sequence[Standing]]
) -> None:
    """Note the uses of approvals; a step whose approval another run was faster to use is withheld."""
    owners = store.use(uses)
    for step in steps:
        for one in standings.get(step.id, ()):
            if (
                step.withheld is None
                and owners.get((one.origin or "", step.node), step.run_id) != step.run_id
            ):
                step.withheld = _next_round(step, one, USED, _changes_since(step, one))
                step.approval = None
