"""Getting past a step that asks people without an answer: what it belongs to is cancelled, or goes on without it.

That decides nothing, so it needs no reason, and history says who did it; but who is barred from the decision is barred
from this (R-149).
"""

from collections.abc import Sequence

from accounts.names import key_of
from lib.refusals import NotAllowed
from runs.commands.targets import ItemPlace
from runs.kernel.graphs import shown
from runs.models import Run, StepExecution
from tasks_inbox.design.asking import asking_nodes, asks
from tasks_inbox.eligibility import policies
from tasks_inbox.store import trees
from tasks_inbox.store.trees import Inside

OVER = ("COMPLETED", "SKIPPED")


def check_cancel(tenant: int, by: str, runs: Sequence[str], item: ItemPlace | None = None) -> None:
    """Let pass whom nothing bars that child runs, or an item, ask or will ask: the runs above may go on without it.

    To cancel is no decision, so nothing else is asked, and history says who did. Raises NotAllowed.
    """
    place = Inside(runs=runs) if item is None else Inside(item.run, item.node, item.index)
    inside = trees.questions_inside(place, key_of(by), most=0)
    if inside.barred is not None:
        raise NotAllowed(policies.sentence_of(inside.barred), code="excluded")
    is_unasked = inside.unbegun and item is not None and asks_inside(tenant, item)
    if is_unasked or trees.is_undecided_inside(place, asking_nodes(tenant, inside.versions)):
        require_no_asker(by, [item.run] if item is not None else runs)


def asks_inside(tenant: int, place: ItemPlace) -> bool:
    """Whether the step of a run asks people, in itself or for its items, as its version says."""
    version = Run.objects.for_tenant(tenant).values_list("version_id", flat=True).get(pk=place.run)
    return place.node in asking_nodes(tenant, [version])[version]


def check_move(tenant: int, by: str, run: str, version: int) -> None:
    """Let pass who may have a run go on with a version: who asked for it not, where that asks for less than its own.

    What has been decided, or passed, counts no more. Raises NotAllowed.
    """
    here = Run.objects.for_tenant(tenant).values_list("version_id", flat=True).get(pk=run)
    before, after = shown(here).graph.nodes, shown(version).graph.nodes
    lost = {name for name, node in before.items() if asks(node) and not (name in after and asks(after[name]))}
    if not lost:
        return
    steps = StepExecution.objects.for_tenant(tenant).filter(run_id=run, index=None, node__in=lost)
    if lost - {*steps.filter(status__in=OVER).values_list("node", flat=True)}:
        require_no_asker(by, [run])


def require_no_asker(username: str, runs: Sequence[str]) -> None:
    """Let pass who did not ask for the runs: of a step that has not asked, nobody knows whom else it would bar.

    Raises NotAllowed.
    """
    names = [name for askers in trees.askers(runs).values() for name in askers]
    if key_of(username) in map(key_of, names):
        message = "You started this run, or it was started for you; somebody else must decide for this step."
        raise NotAllowed(message, code="excluded")
