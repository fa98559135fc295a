"""Decisions that cover steps: written down when they are made, and asked when a covered step begins
(docs/security.md, "Approved = executed").
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from engine.approvals import Described, described_at_begin, described_before, leading_to
from engine.canonical import canonical_bytes, content_hash
from engine.catalogue import Json
from engine.effects import Effects
from engine.outcomes import Completed, branch_of
from lib.uuid7 import uuid7
from runs.kernel import scopes
from runs.kernel.graphs import compiled, graph_of
from runs.kernel.plan import Anchor, Planned
from runs.limits import APPROVED_BYTES
from runs.store import approvals
from runs.store.approvals import ApprovalRow
from runs.store.attempts import ClaimedStep, Succeeded


@dataclass(frozen=True, slots=True)
class Decider:
    """A step of a run that asks people."""

    run: str
    version: int
    node: str


@dataclass(frozen=True, slots=True)
class _At:
    """The row of a step that asked people."""

    tenant: int
    run: str
    shard: int
    step: str


@dataclass(frozen=True, slots=True)
class _Decision:
    """A decision that was made just now.

    `since`: when the first of several people decided. All of them must have seen the same.
    """

    at: _At
    decider: Decider
    output: Json
    since: str | None = None


@dataclass(frozen=True, slots=True)
class Covered:
    """What an outcome covers: the steps, each as far as it is known; `known` are the steps that are over."""

    steps: Mapping[str, Described]
    known: Collection[str] = ()

    @property
    def digest(self) -> str:
        """What stands for all of it."""
        return content_hash({name: one.digest for name, one in self.steps.items()})


def covers(version: int, node: str) -> bool:
    """Whether a decision of this step of a version covers any step."""
    return node in graph_of(version).coverage.by_outcome


def covered_by(deciders: Iterable[Decider]) -> dict[Decider, dict[str | None, Covered]]:
    """What each outcome of these steps covers as things stand; at most one statement, none where nothing is covered."""
    asking = [one for one in deciders if covers(one.version, one.node)]
    if not asking:
        return {}
    facts = scopes.read([scopes.wanted(run, scopes.EVERYTHING) for run in {one.run for one in asking}])
    covered: dict[Decider, dict[str | None, Covered]] = {}
    for one in asking:
        version = compiled(one.version)
        scope = scopes.scope_of(version, one.run, *facts[one.run])
        known = [name for name in facts[one.run][1] if name != one.node]
        covered[one] = {
            outcome: Covered(
                {name: described_before(version.graph.nodes, name, scope, known) for name in names}, known
            )
            for outcome, names in version.graph.coverage.by_outcome[one.node].items()
        }
    return covered


def write_ended(plans: Sequence[Planned]) -> None:
    """Write down what the decisions among these endings cover. Their runs are held, and the endings are written."""
    _write(
        _Decision(
            _At(step.tenant_id, step.run_id, step.shard, step.id),
            Decider(step.run_id, step.version_id, step.node),
            planned.effects.outcome.output,
            planned.result.since if isinstance(planned.result, Succeeded) else None,
        )
        for planned in plans
        if (step := planned.step).index is None
        and planned.graph is not None
        and step.node in planned.graph.coverage.by_outcome
        and planned.effects is not None
        and isinstance(planned.effects.outcome, Completed)
    )


def write_kept(causes: Iterable[tuple[Anchor, Effects]], ids: Mapping[tuple[str, str], str]) -> None:
    """The same of steps that count as decided without having asked: `ids` are those of their rows, by run and node.

    What is kept from another run is written there.
    """
    _write(
        _Decision(
            _At(anchor.tenant_id, anchor.run_id, anchor.shard, ids[anchor.run_id, new.node.id]),
            Decider(anchor.run_id, anchor.version_id, new.node.id),
            new.kept.outcome.output,
        )
        for anchor, effects in causes
        for new in effects.steps
        if new.kept is not None
        and "kept_from" not in new.kept.said
        and covers(anchor.version_id, new.node.id)
        and isinstance(new.kept.outcome, Completed)
    )


def _write(decisions: Iterable[_Decision]) -> None:
    deciding = [*decisions]
    coverage = covered_by(one.decider for one in deciding)
    rows = []
    for one in deciding:
        covered, branch = coverage[one.decider], branch_of(one.output)
        if what := covered.get(branch if branch in covered else None):
            known = [*what.known, one.decider.node]
            since = {} if one.since is None else {"at": one.since}
            entries = {
                name: entry_of(described, one.decider.version, known) | since
                for name, described in what.steps.items()
            }
            rows.append(_row(one.at, one.decider.node, branch, what.digest, entries))
    if rows:
        approvals.insert(rows)


def renew(step: ClaimedStep, standing: Mapping[str, Json], outcome: Json) -> None:
    """Write down that a step that was withheld is approved as it is now, and the others as they were.

    Its run is held, its scope is loaded.
    """
    described = described_now(step)
    entry = entry_of(described, step.version_id, leading_to(graph_of(step.version_id), step.node))
    at = _At(step.tenant_id, step.run_id, step.shard, standing["decider_step"])
    row = _row(at, standing["decider"], outcome, described.digest, {step.node: entry})
    approvals.insert([row | {"base": standing.get("approval")}])


def described_now(step: ClaimedStep, open: Sequence[str] | None = None) -> Described:
    """A step as it begins, whose scope is loaded."""
    return described_at_begin(graph_of(step.version_id).nodes, step.node, step.scope, step.input, open)


def entry_of(described: Described, version: int, known: Collection[str]) -> dict[str, Json]:
    """What an approval keeps of a step of a version that it covers, and which of the steps before it were `known`."""
    entry = {"digest": described.digest, "open": described.open, "known": sorted(known)}
    return entry | {"version": version, "shown": shown_of(described)}


def shown_of(described: Described) -> Json:
    """The document of a step, unless it is large."""
    fits = len(canonical_bytes(described.document)) <= APPROVED_BYTES
    return described.document if fits else None


def _row(at: _At, node: str, outcome: Json, digest: str, covers: Mapping[str, Json]) -> ApprovalRow:
    return {
        "id": uuid7(),
        "tenant_id": at.tenant,
        "run_id": at.run,
        "shard": at.shard,
        "step_id": at.step,
        "node": node,
        "outcome": outcome,
        "digest": digest,
        "covers": covers,
        "base": None,
    }
