"""Getting past a step that asks people without an answer: what it belongs to is cancelled, or goes on without it.

That decides nothing, so it needs no reason, and history says who did it; but who is barred from the decision is barred
from this (R-149).
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from accounts.names import key_of
from lib.refusals import NotAllowed
from runs.commands.targets import ItemPlace
from runs.models import Run, StepExecution
from tasks_inbox.design.asking import Barring, asking_nodes, barring, no_longer_asked
from tasks_inbox.eligibility import policies
from tasks_inbox.lifecycle.waits import DECIDER
from tasks_inbox.models import ManualTask
from tasks_inbox.store import trees
from tasks_inbox.store.trees import Inside, Questions

OVER = ("COMPLETED", "SKIPPED")


def check_cancel(tenant: int, by: str, runs: Sequence[str], item: ItemPlace | None = None) -> None:
    """Let pass whom nothing bars that child runs, or an item, ask or will ask: the runs above may go on without it.

    To cancel is no decision, so nothing else is asked, and history says who did. Raises NotAllowed.
    """
    place = Inside(runs=runs) if item is None else Inside(item.run, item.node, item.index)
    check_inside(tenant, by, place)


def check_inside(tenant: int, by: str, place: Inside, most: int = 0) -> tuple[Questions, bool]:
    """What is asked inside a container or these runs, with the first, `most`, of the tasks; and whether something in it
    will ask that has not. Raises NotAllowed for those whom one of both bars.
    """
    inside = trees.questions_inside(place, key_of(by), most=most)
    if inside.barred is not None:
        raise NotAllowed(policies.sentence_of(inside.barred), code="excluded")
    node = None
    if inside.unbegun and place.node is not None and place.run is not None:
        version = Run.objects.for_tenant(tenant).values_list("version_id", flat=True).get(pk=place.run)
        node = (version, place.node) if place.node in asking_nodes(tenant, [version])[version] else None
    if node is None and not trees.is_undecided_inside(place, asking_nodes(tenant, inside.versions)):
        return inside, False
    runs = place.runs or [str(place.run)]
    _check_unasked(by, runs, barring(tenant, inside.versions, node), partial(trees.decided_inside, place))
    return inside, True


def check_move(tenant: int, by: str, run: str, version: int) -> None:
    """Let pass who may have a run go on with a version that lacks a human step which it has not passed: whom that step
    bars may not. Raises NotAllowed.
    """
    here = Run.objects.for_tenant(tenant).values_list("version_id", flat=True).get(pk=run)
    lost = no_longer_asked(tenant, here, version)
    if lost:
        steps = StepExecution.objects.for_tenant(tenant).filter(run_id=run, index=None, node__in=lost)
        lost -= {*steps.filter(status__in=OVER).values_list("node", flat=True)}
    for name in sorted(lost):
        _check_unasked(by, [run], barring(tenant, (), (here, name)), partial(_deciders, run))


def check_failed(tenant: int, by: str, run: str, node: tuple[int, str]) -> None:
    """Let pass who may decide for a step that has failed before it asked, of a version: who asked for the run not, and
    whom else the definition bars. Raises NotAllowed.
    """
    bars = barring(tenant, (), node)._replace(requesters=True)
    _check_unasked(by, [run], bars, partial(_deciders, run))


def _deciders(run: str) -> list[str]:
    return trees.decided_around([run]).get(run, [])


def _check_unasked(by: str, runs: Sequence[str], bars: Barring, deciders: Callable[[], list[str]]) -> None:
    key = key_of(by)
    if bars.requesters and key in (key_of(name) for names in trees.askers(runs).values() for name in names):
        message = "You started this run, or it was started for you; somebody else must decide for this step."
        raise NotAllowed(message, code="excluded")
    if key in bars.keys:
        raise NotAllowed(policies.sentence_of(""), code="excluded")
    if bars.deciders:
        _check_decided(by, deciders())


def check_closed(by: str, task: ManualTask) -> None:
    """Let pass whom a task that is closed would not bar now. Raises NotAllowed."""
    if why := policies.why_excluded(task, by):
        raise NotAllowed(why, code="excluded")
    if task.bars_deciders:
        _check_decided(by, _deciders(str(task.run_id)))


def _check_decided(by: str, names: Iterable[str]) -> None:
    if key_of(by) in map(key_of, names):
        raise NotAllowed(policies.sentence_of(DECIDER), code="excluded")
