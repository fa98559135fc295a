"""What people have approved stays covered: nobody changes it below the step that is covered, nor by another version
(docs/security.md, "Approved = executed").
"""

from engine.approvals import has_effect, text_of
from engine.graph import Graph
from engine.migrating import Misfit
from runs.kernel.graphs import graph_of
from runs.kernel.refused import RunRefused
from runs.store import approvals
from runs.store.attempts import LockedRun

CODE = "approved"


def refuse_below(run: str, locked: LockedRun, version: int, node: str | None = None) -> None:
    """Let pass who changes what a step of a run is given or gives; None: the run goes on with another version.

    The run is held. Raises RunRefused where a run above waits for what was approved there, and an effect may follow
    that no other question stands before.
    """
    if locked.tree is None or (node is not None and not _may_matter(graph_of(version), node)):
        return
    covering = approvals.covered_above(run)
    if covering is None:
        return
    above, decider, covered = covering
    message = (
        f"{covered} of the run {above} was approved as it is ({decider}), and this would change what it does: cancel "
        "it there and retry it with another input, which asks again."
    )
    raise RunRefused(CODE, message, conflict=True)


def _may_matter(graph: Graph, node: str) -> bool:
    """Whether an effect may follow what a node is given or gives, and no step before it asks people again."""
    names = [node, *graph.behind(node)]
    if any(graph.nodes[name].spec.asks_people for name in graph.before(node)):
        return False
    return any(has_effect(graph.nodes[name]) for name in names if name in graph.nodes)


def misfits(run: str, before: Graph, after: Graph) -> list[Misfit]:
    """What of a run's approvals stands against another version: a covered step that is not over must be covered by the
    same question; where it waits for the runs that it began it must be the same step.
    """
    problems: list[Misfit] = []
    for decider, steps in approvals.of_run(run):
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
