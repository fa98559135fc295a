"""What operators do to one step of a run: try it again, with another input too, or skip it (R-075). Each is audited."""

from collections.abc import Mapping

from accounts.principal import Principal
from engine.catalogue import Json
from engine.outcomes import Completed
from engine.overrides import KeepResult, Overrides, RerunWith
from engine.statuses import StepStatus
from engine.verbs import UNDO_VERBS, UNDOES, changes_steps, why_not_step
from runs.commands import approved, items
from runs.commands.human_skips import Skip, decide_here
from runs.commands.items import with_runs_above
from runs.commands.targets import ItemPlace, Target, moved, passing, requeue, target_of
from runs.kernel import compensation, scopes, wait_kinds
from runs.kernel.graphs import compiled
from runs.kernel.plan import PASSED, plan
from runs.kernel.refused import RunRefused, storable
from runs.kernel.reopen import Apply, reopen
from runs.kernel.transition import Transition
from runs.kernel.unit_of_work import Change, changing
from runs.store import failing, hot, payloads, undo_entries
from runs.store.attempts import ClaimedStep, Errored, LockedRun
from runs.store.rows import EndedBy
from runs.workers.execute import idempotency_key
from steps.limits import MAX_INPUT_BYTES, MAX_OUTPUT_BYTES


def act(
    tenant: int,
    place: ItemPlace,
    verb: str,
    *,
    override: RerunWith | None = None,
    output: Json = None,
    despite_unknown: bool = False,
    by: str,
    reason: str = "",
    via: str = "command",
    who: Principal | None = None,
) -> None:
    """Do this, one of `ITEM_ACTIONS`, to a step, to an item of a container, or to the run that a step waits for.

    `who` as in `skip_step`. Raises RunRefused, and as `human_skips.decide_here`.
    """
    if place.index is not None:
        if override is not None:
            message = "An item gets what its list has in its place: it takes no other input."
            raise RunRefused("invalid", message, field="input")
        items.act_on_item(tenant, place, verb, output=output, by=by, reason=reason, who=who)
    elif verb == "skip":
        skip_step(tenant, place.run, place.node, output, by=by, reason=reason, via=via, who=who)
    elif (verb == "retry" and override is not None) or items.is_done_again(tenant, place, verb):
        retry_step(
            tenant,
            place.run,
            place.node,
            override=override,
            despite_unknown=despite_unknown,
            by=by,
            reason=reason,
            via=via,
        )
    else:
        items.act_on_step(tenant, place, verb, by=by, reason=reason)


def retry_step(
    tenant: int,
    run: str,
    node: str,
    *,
    override: RerunWith | None = None,
    despite_unknown: bool = False,
    by: str,
    reason: str = "",
    via: str = "command",
    if_asking: bool = False,
) -> None:
    """Try a failed step again with a fresh budget, and with another input where there is an `override`; with
    `if_asking` only while it asks an operator what becomes of its failure.

    In a FAILED run, which is resumed by it, or in one that goes on beside the failure; or at once where it waits for
    its next attempt. A compensation that failed for good goes on by it. With another input it has another idempotency
    key. Where nobody knows what an attempt did, it could be done twice: whoever says `despite_unknown` has found out.
    Raises RunRefused.
    """
    payload = {"by": by, "reason": reason}
    with with_runs_above(tenant, run, payload) as is_part, changing(tenant, [run]) as change:
        locked = change.locked
        step = target_of(run, node)
        if if_asking and not step.asks:
            raise RunRefused("resolved", "The step does not ask an operator any more.", conflict=True)
        if override is not None:
            if step.is_undo:
                message = (
                    "A compensation always gets the input and output of the step it undoes: "
                    "it takes no other input."
                )
                raise RunRefused("invalid", message, field="input")
            storable(override.input, "input", max_bytes=MAX_INPUT_BYTES)
        if not step.allows("retry", locked[run]):
            _refuse(locked[run], step, "tried again")
        if override is not None:
            approved.change(run, locked[run], step.claim.version_id, node)
            if step.is_unknown and not despite_unknown:
                _refuse_unknown(step.claim)
        if step.is_undo and step.status == StepStatus.FAILED:
            change.queues |= _settle(locked[run], step, "retry", payload | {"via": via}, None)
        elif step.has_failed:
            overrides: Overrides = {node: override} if override is not None and step.begins_anew else {}
            apply = None if step.begins_anew else _requeuing(step, override, payload)
            again = {run: overrides}
            if override is not None and step.begins_anew:
                digests = hot.digests_of(run=run, node=node, value=override.input)
                payload |= {"from_node": node} | digests
            reopen(change, payload, overrides=again, apply=apply, of_parent=is_part, while_open=True)
        else:
            change.queues |= requeue(step.claim, override, payload)
            if step.asks:
                failing.settle_questions([run], [step.claim.id], resolution="redriven")


def _refuse_unknown(step: ClaimedStep) -> None:
    """Raises RunRefused."""
    key = idempotency_key(step.run_id, step.node, step.index, step.revision)
    message = (
        f"Nobody knows what an attempt did (idempotency key {key}), and another input has another key, so it could be "
        "done twice. Find out, and confirm that; or retry it with the same input."
    )
    raise RunRefused("outcome_unknown", message, field="despite_unknown", conflict=True)


def leave_failed(tenant: int, run: str, node: str) -> bool:
    """Leave the failure of a step as it is that asks what becomes of it: it fails its run; gives whether it asked.

    Its dead letter is the caller's to resolve. Raises RunRefused for another tenant's run.
    """
    with changing(tenant, [run]) as change:
        return leave(change, run, node)


def leave(change: Change, run: str, node: str) -> bool:
    """The same in a unit of work that has the run alone."""
    step = target_of(run, node)
    if not step.asks:
        return False
    scopes.load([step.claim])
    result = Errored(step.error or {}, left=True)
    planned = plan(step.claim, result, compiled(step.claim.version_id).graph, jitter=0.0)
    planned.row["by"] = EndedBy.WAIT
    change.transition.complete([planned], change.locked)
    return True


def skip_step(
    tenant: int,
    run: str,
    node: str,
    output: Json,
    *,
    by: str,
    reason: str = "",
    via: str = "command",
    who: Principal | None = None,
) -> None:
    """Skip a step that failed, waits or is queued: it counts as done with `output`, and its edges follow from that.

    What a step asks people is decided by that, by the rules of its task: `who` skips it.

    A FAILED run is resumed by it, and what else failed of one that goes on is done again; a compensation counts as done
    by hand. Raises RunRefused, also where the output leads nowhere, and as `human_skips.decide_here`.
    """
    payload = {"by": by, "reason": reason}
    with with_runs_above(tenant, run, payload) as is_part, changing(tenant, [run]) as change:
        locked = change.locked
        step = target_of(run, node)
        storable(output, "output", max_bytes=MAX_OUTPUT_BYTES)
        history = payload | {"was": step.status}
        if not step.allows("skip", locked[run]):
            _refuse(locked[run], step, "skipped")
        record = decide_here(Skip(tenant, ItemPlace(run, node), output, reason, who))
        if record is None:
            return
        if not step.is_undo:
            approved.change(run, locked[run], step.claim.version_id, node)
        if step.is_undo:
            change.queues |= _settle(locked[run], step, "done", payload | {"via": via}, output)
        elif step.has_failed:
            if step.begins_anew:
                result = KeepResult(
                    Completed(output),
                    status=StepStatus.SKIPPED,
                    input=payloads.whole(tenant, step.claim.input),
                    own=True,
                    cause=PASSED,
                    said=history,
                )
                again = {run: {node: result}}
                reopen(change, payload, overrides=again, of_parent=is_part, while_open=True)
            else:
                apply = passing(run, node, output, history)
                reopen(change, payload, apply=apply, of_parent=is_part, while_open=True)
        else:
            if undo_entries.undoes_below(run, node):
                raise RunRefused(UNDOES.code, UNDOES.sentence, conflict=True)
            passing(run, node, output, history)(change.transition, locked)
            wait_kinds.waits_ended([run])
        record()


def _settle(
    run: LockedRun, step: Target, how: compensation.How, payload: Mapping[str, str], output: Json
) -> set[str]:
    """Go on behind a compensation that failed, or instead of one that is queued or waits; gives the queues."""
    claim = step.claim
    output = payloads.fitted_value(claim.tenant_id, claim.run_id, output)
    verb = "retry" if how == "retry" else "skip"
    statuses = tuple(
        StepStatus(status) for (of, status), verbs in UNDO_VERBS.items() if of == run.status and verb in verbs
    )
    outcome = compensation.resolve(
        claim.run_id, str(claim.undoes), how, way="step", statuses=statuses, output=output, **payload
    )
    if outcome is None:
        raise moved()
    return {outcome[1]} if how == "retry" else compensation.compensate_next([claim.run_id])


def _requeuing(step: Target, override: RerunWith | None, payload: Mapping[str, Json]) -> Apply:
    def change(transition: Transition, _: Mapping[str, LockedRun]) -> None:
        transition.result.wake |= requeue(step.claim, override, payload)

    return change


def _refuse(run: LockedRun, step: Target, verb: str) -> None:
    """Raises RunRefused with what stands against it."""
    if not changes_steps(run.status, undoes=step.is_undo):
        message = f"The run is {run.status}: its steps can't be {verb} now."
        raise RunRefused("run_ended", message, conflict=True)
    why = why_not_step(step.status, undoes=step.is_undo)
    message = f"The step is {step.status} and can't be {verb}: {why}."
    raise RunRefused("step_is_" + step.status.lower(), message, conflict=True)
