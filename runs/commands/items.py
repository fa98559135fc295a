"""What operators do to one item of a container, or to the run that a step waits for: retry, resume, skip, cancel,
pause, unpause.

What an item does by itself is done to its row; where it is a run of its own that run is told, in a transaction that has
no other. What began again in a part that had failed goes on with the runs above it, one after another.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from accounts.principal import Principal
from engine.catalogue import Json
from engine.statuses import RunStatus, StepStatus
from engine.verbs import why_not_child, why_not_item
from runs.commands import approved, lifecycle
from runs.commands.human_skips import Skip, check_cancel, decide_below, decide_here
from runs.commands.targets import ItemPlace, moved, passing, requeue, target_of
from runs.kernel import children, scopes, wait_kinds
from runs.kernel.graphs import compiled
from runs.kernel.plan import plan
from runs.kernel.refused import RunRefused, storable
from runs.kernel.reopen import Apply, reopen
from runs.kernel.transition import Transition
from runs.kernel.unit_of_work import Change, changing
from runs.models import Run
from runs.store import failing, items, payloads
from runs.store.approvals import mark_changed
from runs.store.attempts import Errored, LockedRun
from runs.store.items import ItemRead
from runs.store.rows import EndedBy
from steps.limits import MAX_OUTPUT_BYTES

CANCELLED = "ItemCancelled"
"""The error of an item that an operator cancelled."""


class _Act(NamedTuple):
    """A verb on an item, and what history tells of it. `output`: what an item gives that is skipped."""

    verb: str
    payload: Mapping[str, Json]
    output: Json = None


def act_on_item(
    tenant: int,
    place: ItemPlace,
    verb: str,
    *,
    output: Json = None,
    by: str,
    reason: str = "",
    who: Principal | None = None,
) -> None:
    """Do this, one of `ITEM_ACTIONS`, to an item of a container.

    Of a FAILED run retry, resume and skip resume it, with the item queued again or done; everything else that failed is
    done again, too. `who` skips it. Raises RunRefused, with the reason of `engine.verbs`, and as
    `human_skips.decide_here`.
    """
    act = _Act(verb, {"by": by, "reason": reason}, output)
    if verb == "skip":
        storable(output, "output", max_bytes=MAX_OUTPUT_BYTES)
    read = _read(tenant, place)
    _require(place, read, verb)
    skip = Skip(tenant, place, output, reason, who) if verb == "skip" else None
    if skip is not None and decide_below(skip):
        return
    if skip is None and read.waits and read.container == StepStatus.WAITING:
        act_on_child(tenant, str(read.child), verb, by=by, reason=reason)
        return
    with with_runs_above(tenant, place.run, act.payload) as is_part, changing(tenant, [place.run]) as change:
        read = _read(tenant, place)
        _require(place, read, verb)
        record = decide_here(skip) if skip is not None else None
        if skip is not None and record is None:
            return
        if verb == "skip":
            version = target_of(place.run, place.node).claim.version_id
            approved.change(place.run, change.locked[place.run], version, place.node, within=True)
        if verb == "cancel":
            check_cancel(tenant, by, (), place)
            mark_changed([place.run])
        _change(change, place, read, act, is_part=is_part)
        if record is not None:
            record()


def is_done_again(tenant: int, place: ItemPlace, verb: str) -> bool:
    """Whether this verb on a step does the step itself again, and not the run that it waits for."""
    read = _read(tenant, place)
    return not read.waits and (verb == "retry" or (verb == "resume" and read.child is not None))


def act_on_step(tenant: int, place: ItemPlace, verb: str, *, by: str, reason: str = "") -> None:
    """Do this, one of `ITEM_ACTIONS` but `skip`, to the run that a step waits for. Raises RunRefused."""
    read = _read(tenant, place)
    if read.status is None:
        message = f"The run has not reached {place.node} yet, or has no such step."
        raise RunRefused("not_begun", message, field="node", conflict=True)
    if not read.waits:
        message = (
            f"{place.node} is {read.status} and waits for no run. Give the index of an item to act on one."
        )
        raise RunRefused("no_child", message, field="node", conflict=True)
    if why := why_not_child(read.child_status, verb, has_failed=bool(read.child_failed), paused=read.paused):
        raise RunRefused(why.code, why.sentence, conflict=True)
    act_on_child(tenant, str(read.child), verb, by=by, reason=reason)


def act_on_child(tenant: int, run: str, verb: str, *, by: str, reason: str = "") -> None:
    """Do this to a run for which a step waits, by itself. Raises RunRefused."""
    match verb:
        case "cancel":
            lifecycle.cancel_runs(tenant, [run], by=by, reason=reason)
        case "pause":
            lifecycle.pause_runs(tenant, [run], by=by, reason=reason)
        case "unpause":
            lifecycle.unpause_runs(tenant, [run], by=by, reason=reason)
        case _:
            with changing(tenant, [run]) as change:
                reopen(change, {"by": by, "reason": reason}, of_parent=True, while_open=True)


def resume_run(tenant: int, run: str, *, by: str, reason: str = "") -> None:
    """Resume a FAILED run; one that does the steps of an item goes on together with the runs above it.

    Raises RunRefused.
    """
    payload = {"by": by, "reason": reason}
    with with_runs_above(tenant, run, payload) as is_part, changing(tenant, [run]) as change:
        reopen(change, payload, of_parent=is_part)


@contextmanager
def with_runs_above(tenant: int, run: str, payload: Mapping[str, Json]) -> Iterator[bool]:
    """Where this is a part that has failed, let the runs above go on with it behind the block; gives whether it is.

    They are asked first; should one refuse after all, the part is cancelled. Raises RunRefused.
    """
    above = _place_above(tenant, run)
    if above is not None:
        _require_above(tenant, run, above)
    yield above is not None
    if above is None:
        return
    read = _read(tenant, above)
    if read.waits and read.child == run:
        return
    by, reason = str(payload["by"]), str(payload.get("reason", ""))
    try:
        act_on_item(tenant, above, "retry", by=by, reason=reason)
    except RunRefused as refusal:
        lifecycle.cancel_runs(tenant, [run], by=by, reason=refusal.message, of_parent=True)
        raise


def _place_above(tenant: int, run: str) -> ItemPlace | None:
    """The item whose steps a FAILED run did; None of any other run."""
    parts = Run.objects.for_tenant(tenant).filter(pk=run, is_part=True, status=RunStatus.FAILED)
    row = parts.values_list("parent_id", "place").first()
    if row is None or row[0] is None or not row[1]:
        return None
    node, index = row[1][-1]
    return ItemPlace(str(row[0]), node, index)


def _require_above(tenant: int, run: str, above: ItemPlace) -> None:
    if items.newest_child_at(above.run, above.node, above.index) != run:
        message = "Another run does the steps of this item by now: do it to that run instead."
        raise RunRefused("is_part", message, conflict=True)
    read = _read(tenant, above)
    if not (read.waits and read.child == run):
        _require(above, read, "retry")
    if (higher := _place_above(tenant, above.run)) is not None:
        _require_above(tenant, above.run, higher)


def _read(tenant: int, place: ItemPlace) -> ItemRead:
    read = items.item_as_it_stands(tenant, place.run, place.node, place.index)
    if read is None:
        raise RunRefused("unknown_run", "There is no such run.")
    return read


def _require(place: ItemPlace, read: ItemRead, verb: str) -> None:
    if read.status is None:
        target_of(place.run, place.node, place.index)
    if why := why_not_item(read.stand, verb):
        raise RunRefused(why.code, why.sentence, field="index", conflict=True)


def _change(change: Change, place: ItemPlace, read: ItemRead, act: _Act, *, is_part: bool) -> None:
    match read.state:
        case "waiting":
            _change_open(change, place, act)
        case "failed" if read.container_asks:
            if act.verb == "skip":
                _pass(place, act)
            container = target_of(place.run, place.node).claim
            change.queues |= requeue(container, None, act.payload)
            failing.settle_questions([place.run], [container.id], resolution="redriven")
        case "failed":
            reopen(change, act.payload, apply=_mending(place, act), of_parent=is_part, while_open=True)
        case "queued" if act.verb == "skip":
            _pass(place, act)
        case _:
            # It is about to begin once more, as it was asked to.
            pass


def _change_open(change: Change, place: ItemPlace, act: _Act) -> None:
    """Change an item whose container waits for it, or for others."""
    step = target_of(place.run, place.node, place.index)
    if act.verb in ("pause", "unpause"):
        queues = items.hold_item(step.claim.id, act.payload, hold=act.verb == "pause")
        if not queues:
            raise moved()
        is_paused = change.locked[place.run].status == RunStatus.PAUSED
        change.queues |= set() if act.verb == "pause" or is_paused else set(queues)
    elif act.verb == "cancel":
        _cancel(change, place, act.payload)
    elif act.verb == "skip" and step.status != StepStatus.FAILED:
        history = {**act.payload, "was": step.status}
        passing(place.run, place.node, act.output, history, place.index)(change.transition, change.locked)
        wait_kinds.waits_ended([place.run])
    elif act.verb == "skip":
        _pass(place, act)
    elif step.status == StepStatus.FAILED:
        counts = items.withdraw_item(step.claim.id, act.payload)
        if counts is None:
            raise moved()
        counted = {(place.run, place.node): counts}
        change.queues |= children.open_next(counted, {place.run: step.claim.version_id})
    else:
        change.queues |= requeue(step.claim, None, act.payload)


def _mending(place: ItemPlace, act: _Act) -> Apply | None:
    if act.verb != "skip":
        return None

    def change(_: Transition, __: Mapping[str, LockedRun]) -> None:
        _pass(place, act)

    return change


def _pass(place: ItemPlace, act: _Act) -> None:
    """Have an item that is over count as done; its container keeps it when it begins again."""
    claim = target_of(place.run, place.node, place.index).claim
    output = payloads.fitted_value(claim.tenant_id, claim.run_id, act.output)
    if not items.pass_item(claim.id, output, act.payload):
        raise moved()


def _cancel(change: Change, place: ItemPlace, payload: Mapping[str, Json]) -> None:
    """Fail an item, whoever has it: it is counted as any that fails."""
    claim = target_of(place.run, place.node, place.index).claim
    scopes.load([claim])
    error = {"code": CANCELLED, "message": "An operator cancelled the item.", "retryable": False}
    planned = plan(claim, Errored(error), compiled(claim.version_id).graph, jitter=0.0)
    planned.row["by"] = EndedBy.TIMER
    planned.row["said"] = payload
    change.transition.complete([planned], change.locked)
    if planned.anchor not in change.transition.alive:
        raise moved()
