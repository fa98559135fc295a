"""Steps of a run as they stand, for whoever walks a graph anew with what was done."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from engine.catalogue import Json
from engine.decide import begin
from engine.graph import Graph
from engine.outcomes import Completed, Failed, Interrupted, Outcome
from engine.overrides import KeepResult, RerunWith
from engine.statuses import StepStatus
from runs.kernel import scopes
from runs.kernel.graphs import Compiled
from runs.kernel.plan import PASSED, Anchor
from runs.kernel.refused import RunRefused
from runs.kernel.transition import Transition
from runs.models import Run
from runs.store import hot, payloads


@dataclass(frozen=True, slots=True)
class KeptStep:
    """A step of the run as it stands, by the columns of the statement `kept_steps`."""

    id: str
    node: str
    type: str
    status: str
    cause: str | None
    input: Json
    own: bool
    input_from: str | None
    output: Json
    error: Json
    fired: Mapping[str, str]
    target: str | None
    undone: bool

    @property
    def outcome(self) -> Outcome | None:
        """How it ended, where that stands: None for what would be done again."""
        match self.status:
            case StepStatus.COMPLETED:
                return Completed(self.output)
            case StepStatus.SKIPPED if self.cause == PASSED:
                return Completed(self.output)
            case StepStatus.FAILED if self.output is not None:
                return Failed(self.error)
            case StepStatus.CANCELLED if self.cause == "timer" and self.target is not None:
                return Interrupted(self.target, self.output)
        return None

    @property
    def carried(self) -> dict[str, Json]:
        """Its boundary edges that were taken, each with what it carried."""
        return {target: {"fired_at": at, "timer_of": self.node} for target, at in self.fired.items()}

    def kept(self, outcome: Outcome, *, here: bool) -> KeepResult:
        """It as what is kept: by its own row, or by a copy."""
        payload: dict[str, Json] = {} if here else {"kept_from": self.id}
        if self.fired and not here:
            payload["fired"] = self.fired
        return KeepResult(
            outcome,
            status=StepStatus(self.status),
            input=self.input,
            input_from=self.input_from,
            own=self.own,
            fired=self.carried,
            row=self.id if here else None,
            cause=self.cause,
            said=payload,
        )


def kept_steps(tenant: int, run: str) -> list[KeptStep]:
    """Each step of a tenant's run as it stands. Raises BlobError where what it was given or gave can't be read."""
    return [KeptStep(*payloads.whole(tenant, row)) for row in hot.kept_steps(run)]


def walk_anew(transition: Transition, version: Compiled, anchor: Anchor) -> None:
    """Decide a run anew by this version, from its start. Raises DoesNotFit."""
    run = anchor.run_id
    facts, outputs = scopes.read([scopes.wanted(run, scopes.EVERYTHING)])[run]
    scope = scopes.scope_of(version, run, facts, outputs)
    transition.apply_effects([(anchor, begin(version.graph, scope, transition.overrides[run]))])


def refuse_test(run: Run) -> None:
    """Raises RunRefused for a test run: what a test leaves out would happen on another version."""
    if run.is_test:
        message = "A test run stays on what it tests: test the draft again."
        raise RunRefused("is_test", message, field="version", conflict=True)


def kept_before(tenant: int, graph: Graph, run: str, from_node: str) -> dict[str, KeepResult | RerunWith]:
    """What a run has done that does not depend on a node of it, to be kept by copies. Raises RunRefused."""
    again = {from_node, *graph.behind(from_node)}
    overrides: dict[str, KeepResult | RerunWith] = {}
    for step in kept_steps(tenant, run):
        if step.node not in graph.nodes or step.node in again or graph.nodes[step.node].type != step.type:
            continue
        if (outcome := step.outcome) is None:
            continue
        if step.undone:
            message = f"What {step.node} did was undone: rerun from it, or from a step before it."
            raise RunRefused("compensated", message, field="from_node", conflict=True)
        overrides[step.node] = step.kept(outcome, here=False)
    return {node: with_its_own(one, again) for node, one in overrides.items()}


def with_its_own(one: KeepResult | RerunWith, sources: Collection[str | None]) -> KeepResult | RerunWith:
    """A step keeps what it was given by one of these `sources` (None: the run), which gives another thing now."""
    return replace(one, own=True) if isinstance(one, KeepResult) and one.input_from in sources else one
