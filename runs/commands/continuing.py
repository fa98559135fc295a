"""A loop whose history has grown long goes on as a new run: linked, with what was done and the round it has come to.

It happens between two rounds, where nothing else of the run is open (R-013, H-30). What was done is kept by copies, as
a rerun keeps it; unread signals belong to the chain of runs, and a business key stands for the newest of them.
"""

import logging
from collections.abc import Sequence
from uuid import UUID

from engine.overrides import KeepResult, Overrides, RerunWith
from engine.statuses import RunStatus
from lib.uuid7 import uuid7
from runs.commands import starts
from runs.commands.kept import kept_before
from runs.commands.origin import Origin
from runs.commands.starts import NewRun, Terms
from runs.kernel import messages, rounds
from runs.kernel.graphs import graph_of
from runs.kernel.refused import RunRefused
from runs.kernel.unit_of_work import changing, unit_of_work
from runs.models import Run, StepExecution
from runs.store import continuing, payloads
from runs.store.child_runs import Message

log = logging.getLogger(__name__)


def continue_as_new(batch: Sequence[Message]) -> None:
    """Runs have a loop between two rounds and a long history: let each go on as a new run, or in itself where anything
    else of it is open by now.
    """
    for message in sorted(batch, key=lambda one: one.run):
        if message.step is not None:
            _continue(message.tenant, message.run, message.step)


def _continue(tenant: int, run: str, step: str) -> None:
    with changing(tenant, [run]) as change:
        rest = continuing.at_rest(run, step)
        if rest is None:
            return
        is_open = rest.is_quiet and change.locked[run].status == RunStatus.RUNNING
        if not is_open or not _went_on(tenant, run, step, rest.node):
            over = rounds.endings([(run, rest.node)], may_continue=False)
            change.transition.wake(over, change.locked)


def _went_on(tenant: int, run: str, step: str, node: str) -> bool:
    """Whether it goes on as a new run from here; where that one is refused nothing has changed.

    A loop whose message were tried again and again would stand still, and nobody would know.
    """
    source = Run.objects.for_tenant(tenant).get(pk=run)
    follower = uuid7()
    try:
        with unit_of_work():
            overrides = kept_before(source.tenant_id, graph_of(source.version_id), run, node)
            overrides |= _edited(source.tenant_id, run, node)
            continuing.end_as_continued(run, step, follower)
            _begin(source, follower, overrides)
            continuing.carry(run, follower, node)
    except RunRefused as refusal:
        log.warning("Run %s goes on in itself, not as a new one: %s", run, refusal.message)
        return False
    return True


def _edited(tenant: int, run: str, node: str) -> dict[str, KeepResult | RerunWith]:
    """What a person has given the loop, where they did."""
    steps = StepExecution.objects.for_tenant(tenant).filter(run_id=run, node=node, index=None, revision__gt=0)
    return {step.node: RerunWith(payloads.whole(tenant, step.input)) for step in steps}


def _begin(source: Run, follower: str, overrides: Overrides) -> None:
    origin = Origin(
        parent=_text(source.parent_id),
        parent_step=_text(source.parent_step_id),
        shard=source.shard,
        depth=source.depth,
        follows=_text(source.follows),
        chained=source.chained,
        root=str(source.root_id),
        tree=_text(source.tree_id),
        counted_in=_text(source.counted_in),
        place=[(node, index) for node, index in source.place or ()],
    )
    item = NewRun(
        payloads.whole(source.tenant_id, source.input),
        source.business_key,
        id=follower,
        overrides=overrides,
        origin=origin,
        payload={"continues": str(source.pk)},
    )
    terms = Terms(
        source.tenant_id,
        source.version_id,
        source.created_by,
        source.priority,
        is_test=source.is_test,
        is_part=source.is_part,
        acts_for=source.acts_for,
        started_from=source.started_from,
    )
    (started,) = starts.start_runs(terms, [item], if_exists="new_if_ended")
    if not started.created:
        message = f"The business key {source.business_key!r} belongs to another run: {started.id}."
        raise RunRefused("key_taken", message, conflict=True)


def _text(id: UUID | None) -> str | None:
    return None if id is None else str(id)


def connect() -> None:
    """Have what loops tell their own run done."""
    messages.handles("continue", continue_as_new)
