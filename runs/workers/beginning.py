"""What steps need to begin: what their expressions see, and, of those that people's decisions cover, that what they are
about to do is what was decided (docs/security.md, "Approved = executed").
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from engine.catalogue import Json
from engine.decide import describe
from engine.errors import StepError
from runs.kernel import approvals, scopes
from runs.kernel.graphs import BrokenVersion, graph_of
from runs.store import approvals as store
from runs.store import hot
from runs.store.approvals import BeginningRow, Standing, UseRow
from runs.store.attempts import AttemptResult, ClaimedStep, Errored, Suspended
from runs.workers.execute import execute

USED = "The approval has been used by another run."
ANOTHER_VERSION = "The version that was decided about has no such step behind the decision."
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
        covering = list(_covering(step, those))
        if why := next(((one, text) for one in covering if (text := _why_not(step, one))), None):
            step.withheld = _next_round(step, *why)
            continue
        for one in covering:
            step.approval = one.id, one.digest
            if one.used_by is None:
                uses.append(_use(step, one))
    if uses:
        _use_once([step for step, _ in rows.values()], uses, standings)


def _row(step: ClaimedStep) -> BeginningRow | None:
    """What is asked about a step; None where no decision covers it."""
    if step.index is not None or step.undoes is not None or step.unreadable is not None:
        return None
    try:
        graph = graph_of(step.version_id)
    except BrokenVersion:
        return None
    deciders = graph.coverage.deciders.get(step.node)
    if deciders is None:
        return None
    before = [name for name in graph.before(step.node) if not graph.nodes[name].spec.asks_people]
    return {"step": step.id, "run_id": step.run_id, "node": step.node, "deciders": deciders, "before": before}


def _covering(step: ClaimedStep, standings: Sequence[Standing]) -> Iterator[Standing]:
    """The decisions that do cover it: another outcome may lead elsewhere."""
    graph = graph_of(step.version_id)
    for one in standings:
        if one.entry is not None or step.node in graph.coverage.steps(one.decider, one.outcome):
            yield one


def _why_not(step: ClaimedStep, standing: Standing) -> str | None:
    """Why a step may not begin by a decision; None where it may."""
    entry = standing.entry
    if entry is None:
        return ANOTHER_VERSION
    if standing.used_by not in (None, step.run_id):
        return USED
    if entry["revision"] != step.revision:
        return CHANGED
    if approvals.described_now(step, entry["open"]).digest != entry["digest"]:
        return CHANGED
    if standing.changed:
        graph = graph_of(step.version_id)
        names = ", ".join(graph.nodes[name].title for name in standing.changed)
        return CHANGED_BEFORE.format(names=names)
    return None


def _next_round(step: ClaimedStep, standing: Standing, why: str) -> AttemptResult:
    """What becomes of a step that is withheld: it waits for the next round of the question that was decided."""
    described, change = approvals.described_now(step), store.last_change(step.run_id)
    withheld: dict[str, Json] = {
        "approval": standing.id,
        "decider": standing.decider,
        "decider_step": standing.decider_step,
        "outcome": standing.outcome,
        "digest": described.digest,
        "why": why,
        "by": change and {"by": change[0], "reason": change[1]},
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


def not_approved(step: ClaimedStep, why: str) -> Errored:
    """The failure of a step that would do what was not approved."""
    return Errored(describe(StepError("NotApproved", f"{step.node} was not approved as it is: {why}")))


def _use(step: ClaimedStep, standing: Standing) -> UseRow:
    return {
        "tenant_id": step.tenant_id,
        "approval_id": standing.id,
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
            if step.withheld is None and owners.get((one.id, step.node), step.run_id) != step.run_id:
                step.withheld, step.approval = _next_round(step, one, USED), None
