"""Runs that other runs begin: as the child that a step waits for, or as what follows when a run has completed (R-021).

A child begins in the transaction in which its step begins to wait. Everything else that runs have to tell one another
goes by messages (`runs/kernel/messages.py`): a child has ended, it is to end, pause or go on, a run is to be followed.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from django.db import transaction

from engine.catalogue import Json
from engine.decide import describe
from engine.errors import StepError, in_brief
from engine.statuses import RUN_CLOSING, RUN_OPEN, RUN_UNDOING, RunStatus
from engine.verbs import why_not
from lib.blobs import BlobAway, BlobError
from lib.refusals import Refusal
from lib.uuid7 import uuid7
from runs.commands import child_rights, child_undoing, former_children, migration, tree_limits
from runs.commands.former_children import AGAIN
from runs.commands.lifecycle import cancel_runs, pause_runs, unpause_runs
from runs.commands.named_starts import start_workflow
from runs.commands.origin import Origin
from runs.commands.starts import NewRun, Terms, start_runs
from runs.commands.tree_limits import Start
from runs.kernel import messages, notices, wait_kinds
from runs.kernel.refused import RunRefused
from runs.kernel.reopen import PAUSED_ABOVE
from runs.kernel.wait_kinds import Entered, Wait, WaitKind
from runs.kernel.wake import Waiters, wake
from runs.limits import CHAINED_RUNS
from runs.models import HistoryEvent, StartedFrom
from runs.store import child_runs, hot, payloads, undo_entries
from runs.store.attempts import AttemptResult, ClaimedStep, Errored, LockedRun, Succeeded
from runs.store.child_runs import Beginner, ChildState, Message
from runs.store.rows import AgainRow, ChildWaitRow
from steps.limits import MAX_OUTPUT_BYTES
from workflows.queries import startable_version
from workflows.starters import ComputedStart, may_operate
from workflows.titles import title_of
from workflows.unnumbered import version_of_part

_FAILED_WITH = "The run failed with: "

Endings = list[tuple[ClaimedStep, AttemptResult]]


class _Group(NamedTuple):
    """What the runs have in common that one statement starts. `part`: version and container of which they do steps;
    `pin`: who wants a version that the definition does not say itself.
    """

    tenant: int
    workflow: str | None
    version: int | None
    part: tuple[int, str] | None
    by: str
    priority: int
    is_test: bool
    acts_for: str | None
    pin: tuple[ComputedStart, ...]


def enter(entered: Entered) -> Endings:
    """Begin the runs that steps wait for; gives those steps whose run is over already, or can't begin.

    Where a run was there before, it is told to go on.
    """
    again: list[AgainRow] = [
        {"step_id": step.id, "child": wait[AGAIN]} for step, wait in entered if AGAIN in wait
    ]
    if again:
        child_runs.resume_children(again)
        notices.after_commit((), [messages.QUEUE])
    # A run that is chosen just now is not there yet.
    states = _states((step, wait) for step, wait in entered if AGAIN in wait or "input" not in wait)
    there = [
        (step, _ending(step.tenant_id, states[step.id]))
        for step, _ in entered
        if _has_ended(states.get(step.id))
    ]
    return there + _begin([(step, wait) for step, wait in entered if step.id not in states])


def _states(waiting: Iterable[tuple[ClaimedStep, Wait]]) -> Mapping[str, ChildState]:
    rows: list[ChildWaitRow] = [{"step_id": step.id, "chain": wait["run"]} for step, wait in waiting]
    return child_runs.child_states(rows, most=MAX_OUTPUT_BYTES) if rows else {}


def _has_ended(state: ChildState | None) -> bool:
    return state is not None and state.has_ended


def _begin(steps: Sequence[tuple[ClaimedStep, Wait]]) -> Endings:
    """Start a run for each of these steps, as far as it is allowed; gives those for which none can."""
    if not steps:
        return []
    parents = child_runs.beginners({step.run_id for step, _ in steps})
    forbidden = child_rights.forbidden(steps, parents)
    refused: Endings = []
    able: list[tuple[ClaimedStep, Wait]] = []
    for step, wait in steps:
        if "input" not in wait:
            refused.append((step, _not_started("lost", "Its run is gone, and with it the run's input.")))
        elif step.id in forbidden:
            refused.append((step, _not_started(child_rights.NOT_ALLOWED, child_rights.message_of(wait))))
        else:
            able.append((step, wait))
    starts = {step.id: Start(parents[step.run_id], not wait.get("part")) for step, wait in able}
    verdicts = dict(zip(starts, tree_limits.admit([*starts.values()]), strict=True))
    refused += [(step, _not_started(*full)) for step, _ in able if (full := verdicts[step.id])]
    begun = _begin_alike([(step, wait) for step, wait in able if verdicts[step.id] is None], parents)
    tree_limits.give_back([starts[step.id] for step, _ in begun])
    return refused + begun


def _begin_alike(steps: Sequence[tuple[ClaimedStep, Wait]], parents: Mapping[str, Beginner]) -> Endings:
    """Start a run for each of these steps, together as far as they are alike; gives those for which none can."""
    together: dict[_Group, list[tuple[ClaimedStep, NewRun]]] = {}
    for step, wait in steps:
        parent = parents[step.run_id]
        group = _Group(
            parent.tenant,
            wait.get("workflow"),
            wait.get("version"),
            (step.version_id, step.node) if wait.get("part") else None,
            parent.created_by,
            parent.priority,
            parent.is_test,
            parent.acts_for,
            child_rights.computed_pin(step, wait, parent),
        )
        together.setdefault(group, []).append((step, _child(step, wait, parent)))
    paused = {run for run, parent in parents.items() if parent.status == RunStatus.PAUSED}
    return [ending for group, alike in together.items() for ending in _started(group, alike, paused)]


def _child(step: ClaimedStep, wait: Wait, parent: Beginner) -> NewRun:
    origin = Origin(
        parent=step.run_id,
        parent_step=step.id,
        shard=parent.shard,
        depth=parent.depth + 1,
        chained=parent.chained,
        tree=parent.tree,
        counted_in=parent.counted_in,
        place=[*parent.place, (step.node, step.index)],
    )
    payload: dict[str, Json] = {"parent": step.run_id, "parent_step": step.node}
    if step.index is not None:
        payload["index"] = step.index
    return NewRun(wait["input"], parent.business_key, id=wait["run"], origin=origin, payload=payload)


def _started(
    group: _Group, children: Sequence[tuple[ClaimedStep, NewRun]], paused: Collection[str]
) -> Iterator[tuple[ClaimedStep, Errored]]:
    """Start these runs in one go, or, where one of them can't begin, each by itself; gives those that can't.

    Children of `paused` runs begin paused.
    """
    try:
        terms = _terms(group)
    except Refusal as refusal:
        yield from ((step, _not_started(refusal.code, refusal.message)) for step, _ in children)
        return
    yield from _started_on(terms, children, paused)


def _started_on(
    terms: Terms, children: Sequence[tuple[ClaimedStep, NewRun]], paused: Collection[str]
) -> Iterator[tuple[ClaimedStep, Errored]]:
    try:
        with transaction.atomic():
            start_runs(terms, [child for _, child in children])
            if held := [child.id for step, child in children if child.id and step.run_id in paused]:
                hot.pause_runs(held, PAUSED_ABOVE, pause=True)
    except (RunRefused, Refusal) as refusal:
        if len(children) == 1:
            yield children[0][0], _not_started(refusal.code, refusal.message)
            return
        for child in children:
            yield from _started_on(terms, [child], paused)


def _terms(group: _Group) -> Terms:
    """On which version they start, and how."""
    if group.part is not None:
        version = version_of_part(*group.part)
    else:
        # Whoever published the definition was asked about a version that is written in it.
        pin, name = group.pin, str(group.workflow)
        version = startable_version(
            group.tenant, name, group.version, may_pin=lambda: all(may_operate(one) for one in pin)
        )
    return Terms(
        group.tenant,
        version,
        group.by,
        group.priority,
        is_test=group.is_test,
        is_part=group.part is not None,
        acts_for=group.acts_for,
        started_from=StartedFrom.PARENT,
    )


def _not_started(why: str, message: str) -> Errored:
    details: dict[str, Json] = {"reason": why}
    return Errored(describe(StepError("ChildNotStarted", message, details=details)))


def _ending(tenant: int, state: ChildState) -> AttemptResult:
    """What the end of a run means for the step that waits for it."""
    is_too_large = state.is_too_large or payloads.is_larger(state.output, MAX_OUTPUT_BYTES)
    if state.status == RunStatus.COMPLETED and not is_too_large:
        try:
            return Succeeded(payloads.whole(tenant, state.output), variables=state.variables or {})
        except BlobError as error:
            return payloads.lost(error)
    details: dict[str, Json] = {"run": state.run, "status": state.status}
    if is_too_large:
        message = f"The output of the run is larger than the {MAX_OUTPUT_BYTES:,} bytes that a step may give."
        return Errored(describe(StepError("BadOutput", message, details=details | {"field": "output"})))
    if state.status == RunStatus.CANCELLED:
        return Errored(describe(StepError("ChildCancelled", "The run was cancelled.", details=details)))
    message = "The run failed."
    if state.error:
        cause = str(state.error.get("message"))
        # Of a child of a child the cause is told once.
        message = cause if cause.startswith(_FAILED_WITH) else f"{_FAILED_WITH}{cause}"
        details["error"] = in_brief(state.error)
    return Errored(describe(StepError("ChildFailed", message, details=details)))


def _child_ended(batch: Sequence[Message]) -> None:
    """Children have ended: end the steps that wait for them."""
    there = child_runs.beginners({message.run for message in batch})
    steps: dict[int, dict[str, set[str]]] = {}
    for message in batch:
        if message.run in there and message.step:
            steps.setdefault(message.tenant, {}).setdefault(message.run, set()).add(message.step)
    for tenant, by_run in sorted(steps.items()):
        ids, idle = set().union(*by_run.values()), set[str]()
        wake(tenant, by_run, KIND, partial(_over, by_run, idle), steps=ids)
        if idle:
            child_undoing.complete_parents(tenant, idle)


def _over(
    runs: Collection[str], idle: set[str], locked: Mapping[str, LockedRun], waiters: Waiters
) -> Endings:
    """The endings of the steps that wait for children which have ended; open runs in which none does go into `idle`."""
    child_undoing.close_parents(
        [run for run in runs if run in locked and locked[run].status in RUN_CLOSING | RUN_UNDOING]
    )
    waiting = waiters(runs)
    idle |= {run for run, row in locked.items() if row.status in RUN_OPEN} - {
        step.run_id for step, _ in waiting
    }
    states = _states(waiting)
    return [
        (step, _ending(step.tenant_id, states[step.id]))
        for step, _ in waiting
        if _has_ended(states.get(step.id))
    ]


def _leave(runs: Iterable[str]) -> None:
    if child_runs.end_children(runs):
        notices.after_commit((), [messages.QUEUE])


def _able(batch: Sequence[Message], verb: str) -> Iterator[tuple[int, dict[str, Message]]]:
    """By tenant, the runs that are told and with which this can be done, locked, each with the message.

    What has ended by itself meanwhile is left out, here as with every other thing that was told: then nothing is to do.
    """
    for tenant, own in messages.by_tenant(batch):
        messages_by_run = {message.run: message for message in own}
        locked = hot.lock_heavy(messages_by_run)
        able = {run: messages_by_run[run] for run, row in locked.items() if why_not(row.status, verb) is None}
        if able:
            yield tenant, able


def _cancel(batch: Sequence[Message]) -> None:
    """A parent waits no more: its children end. They keep what they did: the run that fails has it undone."""
    for tenant, able in _able(batch, "cancel"):
        cancel_runs(
            tenant, able, by=messages.HANDOFF, reason="The parent step is no longer waiting.", of_parent=True
        )


def _pause(batch: Sequence[Message]) -> None:
    for tenant, able in _able(batch, "pause"):
        pause_runs(tenant, able, by=messages.HANDOFF, reason="The run that began it was paused.")


def _unpause(batch: Sequence[Message]) -> None:
    """A parent goes on, and with it those of its children that paused with it, unless a run above is paused again."""
    for tenant, able in _able(batch, "unpause"):
        pauses = HistoryEvent.objects.for_tenant(tenant).filter(run_id__in=list(able), type="RUN_PAUSED")
        last = pauses.order_by("run_id", "-id").distinct("run_id").values_list("run_id", "payload__by")
        below = undo_entries.standing_above(able)
        held = {run for run, above in below.items() if above.paused}
        runs = [str(run) for run, by in last if by == messages.HANDOFF and str(run) not in held]
        if runs:
            unpause_runs(tenant, runs, by=messages.HANDOFF, reason="The run that began it goes on.")


def _start_next(batch: Sequence[Message]) -> None:
    """Runs have completed whose workflows name the next one: its run begins with what they gave."""
    completed = child_runs.beginners({message.run for message in batch}, with_output=True)
    starts = {run.id: Start(run, is_awaited=False, is_child=False) for run in completed.values()}
    verdicts = dict(zip(starts, tree_limits.admit([*starts.values()]), strict=True))
    for message in sorted(batch, key=lambda one: one.run):
        run = completed.get(message.run)
        if run is None:
            continue
        workflow = str((message.payload or {})["workflow"])
        try:
            if run.chained >= CHAINED_RUNS:
                raise RunRefused("too_many", f"{CHAINED_RUNS} runs have followed one another already.")
            if run.is_test:
                raise RunRefused("test", "No run follows a test run.")
            origin = Origin(follows=run.id, chained=run.chained + 1, counted_in=run.counting_tree)
            output = payloads.whole(run.tenant, run.output)
            item = NewRun(output, id=uuid7(), origin=origin, payload={"follows": run.id})
            if full := verdicts[run.id]:
                raise RunRefused(*full)
            with transaction.atomic():
                start_workflow(
                    run.tenant,
                    workflow,
                    [item],
                    by=run.created_by,
                    priority=run.priority,
                    acts_for=run.acts_for,
                    started_from=StartedFrom.PREVIOUS,
                )
        except BlobAway:
            # The message stays, and is delivered later.
            raise
        except (RunRefused, Refusal) as refusal:
            payload = {"workflow": workflow, "reason": refusal.code, "message": refusal.message[:2000]}
            child_runs.note_no_follower(run.id, payload)
            if verdicts[run.id] is None:
                tree_limits.give_back([starts[run.id]])


def _in_words(wait: Wait) -> str:
    return "its steps" if wait.get("part") else f"its run of {title_of(wait['workflow'])}"


KIND = "run"


def connect() -> None:
    """Have steps wait for runs, and messages between runs do what they say."""
    wait_kinds.register(
        KIND,
        WaitKind(
            enter=enter,
            in_words=_in_words,
            source="child run",
            in_short="another run",
            for_requester=lambda _: "In progress",
            leave=_leave,
            missing=child_runs.steps_without_child,
            looks_again=True,
            page_part="runs/waits/run.html",
            for_enter=frozenset({"input", AGAIN}),
            prepare=former_children.prepare,
        ),
    )
    for kind, handler in {
        "child_ended": _child_ended,
        "cancel": _cancel,
        "pause": _pause,
        "unpause": _unpause,
        "resume": former_children.resume_former,
        "start_next": _start_next,
        "migrate": migration.move_told,
    }.items():
        messages.handles(kind, handler)
    child_undoing.connect()
