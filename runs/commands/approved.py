"""What people have approved stays covered: nobody changes it below the step that is covered, nor by another version
(docs/security.md, "Approved = executed").
"""

from collections.abc import Collection, Sequence

from engine.approvals import effects_behind, has_effect, is_decided, leading_to, text_of
from engine.graph import Graph, Node
from engine.migrating import Misfit
from engine.statuses import StepStatus
from runs.kernel.graphs import graph_of
from runs.kernel.refused import RunRefused
from runs.store import approvals
from runs.store.approvals import Above
from runs.store.attempts import LockedRun
from steps.catalogue import EXECUTABLE

CODE = "approved"
OVER = (StepStatus.COMPLETED, StepStatus.SKIPPED)
ASKING = tuple(sorted(name for name, kind in EXECUTABLE.items() if kind.asks_people))


def change(
    run: str, locked: LockedRun, version: int, node: str | None = None, *, within: bool = False
) -> None:
    """Let a person change what a step of a run is given or gives, and note that.

    None: the run goes on with another version. `within`: it is an item of the step that is changed.
    The run is held. Raises RunRefused where a run above waits for what was approved there, and an effect may follow
    that no decision in this run, or in one between them, covers.
    """
    if locked.tree is not None or within:
        above = approvals.covered_above(run, ASKING, node, least=0 if within else 1)
        if above is not None and _leads_to_effects(above.way, within=within):
            raise _refusal(above)
    approvals.mark_changed([run])


def _refusal(above: Above) -> RunRefused:
    _, covered = above.way[-1]
    message = (
        f"{covered} of the run {above.run} was approved as it is ({above.decider}), and this would change what it "
        "does: cancel it there and retry it with another input, which asks again."
    )
    return RunRefused(CODE, message, conflict=True)


def _leads_to_effects(way: Sequence[tuple[int, str | None]], *, within: bool) -> bool:
    """Whether effects that no decision covers may follow a change of the first step of the way up to the covered one.

    What follows the covered step itself is compared where it begins; of a loop on the way the next rounds follow.
    """
    for up, (version, node) in enumerate(way):
        graph = graph_of(version)
        step = None if node is None else graph.steps.get(node)
        if (up > 0 or within) and step is not None and step.spec.conditions and _has_effects(step):
            return True
        if up < len(way) - 1 and _has_effects_behind(graph, node, itself=up == 0 and not within):
            return True
    return False


def _has_effects_behind(graph: Graph, node: str | None, *, itself: bool) -> bool:
    """Whether effects depend on a node, or on any, that no decision in the graph covers."""
    return any(
        has_effect(one) and not is_decided(graph, name)
        for name, one in graph.nodes.items()
        if node is None or (itself and name == node) or node in leading_to(graph, name)
    )


def _has_effects(container: Node) -> bool:
    """Whether it has something done outside that no decision within it covers."""
    if container.part is None:
        return has_effect(container)
    return _has_effects_behind(container.part, None, itself=True)


def misfits(run: str, before: Graph, after: Graph, *, again: Collection[str] | None = None) -> list[Misfit]:
    """What of a run's approvals stands against another version: a covered step that is not over must be covered by the
    same question, as what follows it now; where it waits for the runs that it began it must be the same step.

    `again`: the steps that are done again in a rerun, which keeps the decisions of others only.
    """
    problems: list[Misfit] = []
    for decider, outcome, steps in approvals.of_run(run, ASKING):
        if again is not None and decider in again:
            continue
        open_steps = [name for name, status in steps.items() if again is not None or status not in OVER]
        required = [name for name in open_steps if name in after.nodes and name in before.nodes]
        if decider in before.nodes and decider in after.nodes:
            left_out = {*effects_behind(before, decider, outcome)}.difference(steps)
            over = {*steps}.difference(open_steps)
            required += [
                name
                for name in effects_behind(after, decider, outcome)
                if name not in {*required, *left_out, *over}
            ]
        for name in required:
            if decider not in after.coverage.deciders.get(name, ()):
                message = f"{name} was approved ({decider}), and this version does not ask about it."
                problems.append(Misfit("not_covered", name, message))
            elif (
                again is None
                and steps.get(name) == StepStatus.WAITING
                and text_of(before.nodes[name]) != text_of(after.nodes[name])
            ):
                message = f"{name} goes on as it was approved ({decider}), and this version has it do something else."
                problems.append(Misfit("not_covered", name, message))
    return problems
