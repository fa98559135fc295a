"""What people have approved stays covered: nobody changes it below the step that is covered, nor by another version
(docs/security.md, "Approved = executed").
"""

from engine.approvals import has_effect, is_decided, text_of
from engine.graph import Graph, Node
from engine.migrating import Misfit
from runs.kernel.graphs import graph_of
from runs.kernel.refused import RunRefused
from runs.store import approvals
from runs.store.attempts import LockedRun
from steps.catalogue import EXECUTABLE

CODE = "approved"
ASKING = tuple(sorted(name for name, kind in EXECUTABLE.items() if kind.asks_people))


def change(run: str, locked: LockedRun, version: int, node: str | None = None) -> None:
    """Let a person change what a step of a run is given or gives, and note that; None: the run goes on with another
    version.

    The run is held. Raises RunRefused where a run above waits for what was approved there, and an effect may follow
    that no decision in this run covers.
    """
    if locked.tree is None:
        return
    if _leads_to_effects(graph_of(version), node) and (covering := approvals.covered_above(run, ASKING)):
        raise _refusal(covering)
    approvals.mark_changed(run)


def change_item(run: str, locked: LockedRun, version: int, node: str) -> None:
    """Let a person say what an item of a container gives, as `change`: the next round of a loop is given it, too.

    Raises RunRefused also where it is a loop that a decision covers.
    """
    step = graph_of(version).nodes[node]
    is_loop = bool(step.spec.conditions)
    if is_loop and _has_effects(step) and (covering := approvals.covered_above(run, ASKING, node)):
        raise _refusal(covering)
    change(run, locked, version, node)


def _has_effects(container: Node) -> bool:
    """Whether it has something done outside that no decision within it covers."""
    return has_effect(container) if container.part is None else _leads_to_effects(container.part, None)


def _refusal(covering: tuple[str, str, str]) -> RunRefused:
    above, decider, covered = covering
    message = (
        f"{covered} of the run {above} was approved as it is ({decider}), and this would change what it does: cancel "
        "it there and retry it with another input, which asks again."
    )
    return RunRefused(CODE, message, conflict=True)


def _leads_to_effects(graph: Graph, node: str | None) -> bool:
    """Whether effects may follow what a node, or any, is given or gives that no decision in the graph covers."""
    names = graph.nodes if node is None else [node, *graph.behind(node)]
    return any(
        has_effect(graph.nodes[name]) and not is_decided(graph, name) for name in names if name in graph.nodes
    )


def misfits(run: str, before: Graph, after: Graph) -> list[Misfit]:
    """What of a run's approvals stands against another version: a covered step that is not over must be covered by the
    same question; where it waits for the runs that it began it must be the same step.
    """
    problems: list[Misfit] = []
    for decider, steps in approvals.of_run(run, ASKING):
        for name, has_begun in steps:
            if name not in after.nodes or name not in before.nodes:
                continue
            if decider not in after.coverage.deciders.get(name, ()):
                message = f"{name} was approved ({decider}), and this version does not ask about it."
                problems.append(Misfit("not_covered", name, message))
            elif has_begun and text_of(before.nodes[name]) != text_of(after.nodes[name]):
                message = f"{name} goes on as it was approved ({decider}), and this version has it do something else."
                problems.append(Misfit("not_covered", name, message))
    return problems
