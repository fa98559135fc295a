"""What people may do to a run and to its steps, by their statuses, as data: services refuse by it, pages offer by it,
and `docs/states.md` shows it. What a verb then does is the event of its name in `engine.statuses`.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from engine.statuses import (
    RUN,
    RUN_ENDED,
    RUN_OPEN,
    RUN_UNDOING,
    STEP_OPEN,
    RunStatus,
    StepStatus,
)


@dataclass(frozen=True, slots=True)
class Why:
    """Why a verb is refused: a code for programs, a sentence for people."""

    code: str
    sentence: str


RUN_VERBS: Final = ("pause", "unpause", "cancel", "resume")
"""The events of a run that people cause."""

SIGNALLED: Final = RUN_OPEN
"""Statuses in which a run takes any signal; one that undoes takes those that a compensation may wait for."""

RERUN: Final = RUN_ENDED
"""Statuses in which a run may be repeated from one of its steps, as a new run."""

MIGRATED: Final = RUN_OPEN
"""Statuses in which a run may go on with another version; a FAILED one does so by being resumed."""

OF_PARTS: Final = frozenset({"pause", "unpause", "cancel", "signal", "resume"})
"""What may be done to a run that does the steps of an item for another one: all else is done to that. Its `resume`
resumes the runs above it, too."""

REPEATED: Final = frozenset({(RunStatus.CANCELLING, "cancel")})
"""What changes nothing, and is no fault of whoever asks twice."""

_SHOWN_AS_RUNNING = frozenset({"PENDING", "WAITING"})
_ANY: Collection[str] = frozenset(RunStatus)
_ONLY_MOVED = "Only a run that is RUNNING or PAUSED is moved; this one is {status}."
_BESIDE_EVENTS: Mapping[str, Collection[str]] = {"signal": SIGNALLED, "rerun": RERUN, "migrate": MIGRATED}

RUN_REASONS: Final[Mapping[str, tuple[tuple[Collection[str], Why], ...]]] = {
    "cancel": (
        (RUN_ENDED, Why("run_ended", "The run is already {status}.")),
        (
            RUN_UNDOING,
            Why(
                "compensating",
                "The run is {status}: what it did is being undone, which a cancel doesn't stop.",
            ),
        ),
    ),
    "pause": ((_ANY, Why("not_running", "Only a RUNNING run can be paused; this one is {status}.")),),
    "unpause": ((_ANY, Why("not_paused", "Only a PAUSED run can be unpaused; this one is {status}.")),),
    "resume": ((_ANY, Why("not_failed", "Only a FAILED run can be resumed; this one is {status}.")),),
    "signal": ((_ANY, Why("run_ended", "The run is {status}: it takes no more signals.")),),
    "rerun": ((_ANY, Why("not_ended", "The run is {status}: it can be rerun when it has ended.")),),
    "migrate": (
        (
            {RunStatus.FAILED},
            Why("not_open", f"{_ONLY_MOVED} Resume it on that version instead."),
        ),
        (_ANY, Why("not_open", _ONLY_MOVED)),
    ),
}
"""Verb → in which statuses it is refused, and why; the first that fits counts."""

_BOTH, _SKIP = ("retry", "skip"), ("skip",)

STEP_VERBS: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    **{(run, StepStatus.QUEUED): _BOTH for run in RUN_OPEN},
    **{(run, StepStatus.WAITING): _SKIP for run in RUN_OPEN},
    # Where its other branches go on beside a failure.
    **{(run, StepStatus.FAILED): _BOTH for run in RUN_OPEN},
    **{(RunStatus.FAILED, step): _BOTH for step in (StepStatus.FAILED, StepStatus.CANCELLED)},
}
"""(status of the run, status of a step) → what may be done to the step; to one that is over only if a resume does it
again (`is_redone`). One that asks what becomes of its failure can be tried again, too."""

UNDO_VERBS: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    (RunStatus.COMPENSATING, StepStatus.QUEUED): _BOTH,
    (RunStatus.COMPENSATING, StepStatus.WAITING): _SKIP,
    (RunStatus.WAITING_FOR_MANUAL_ACTION, StepStatus.FAILED): _BOTH,
    # Of branches that are undone at the same time others go on.
    (RunStatus.WAITING_FOR_MANUAL_ACTION, StepStatus.QUEUED): _BOTH,
    (RunStatus.WAITING_FOR_MANUAL_ACTION, StepStatus.WAITING): _SKIP,
}
"""The same for a step that undoes another one."""

STEP_REASONS: Final[Mapping[str, str]] = {
    StepStatus.RUNNING: "a worker is running it; wait until the attempt ends",
    StepStatus.WAITING: "it waits; send what it waits for, or skip it",
    StepStatus.COMPLETED: "it is done; {instead}",
    StepStatus.FAILED: "its failure was dealt with by its edges; {instead}",
}


@cache
def run_verbs(status: str, *, part: bool = False) -> frozenset[str]:
    """What people may do to a run of this status, stored or shown: its events, `signal`, `rerun`, `migrate`.

    `part`: it does the steps of an item of another run.
    """
    stored = RunStatus.RUNNING if status in _SHOWN_AS_RUNNING else RunStatus(status)
    verbs = frozenset(
        {
            *(verb for verb in RUN_VERBS if (stored, verb) in RUN),
            *(verb for verb, statuses in _BESIDE_EVENTS.items() if stored in statuses),
        }
    )
    return verbs & OF_PARTS if part else verbs


def why_not(status: str, verb: str) -> Why | None:
    """Why this, one of `RUN_REASONS`, may not be done to a run of this status; None where it may."""
    stored = RunStatus(status)
    if verb in run_verbs(stored) or (stored, verb) in REPEATED:
        return None
    why = next(why for statuses, why in RUN_REASONS[verb] if stored in statuses)
    return Why(why.code, why.sentence.format(status=stored))


def step_verbs(run: str, step: str, *, redone: bool, undoes: bool, asks: bool = False) -> tuple[str, ...]:
    """What people may do to a step, by the statuses of its run and its own.

    `redone`: a resume would do it again (`is_redone`); `undoes`: it undoes another one; `asks`: it has failed and waits
    for an operator.
    """
    if undoes:
        return UNDO_VERBS.get((run, step), ())
    if asks:
        step = StepStatus.QUEUED
    stored = RunStatus.RUNNING if run in _SHOWN_AS_RUNNING else run
    return STEP_VERBS.get((stored, step), ()) if redone or step in STEP_OPEN else ()


def changes_steps(run: str, *, undoes: bool) -> bool:
    """Whether people may do anything to steps of a run of this status, to those that undo or to the others."""
    return any(of == run for of, _ in (UNDO_VERBS if undoes else STEP_VERBS))


def why_not_step(step: str, *, undoes: bool) -> str:
    """What stands against doing something to a step of this status, in a run whose steps may be changed."""
    instead = "a compensation runs only once" if undoes else "rerun the run from it instead"
    return STEP_REASONS.get(step, "{instead}").format(instead=instead)


def is_redone(status: str, cause: str | None, has_output: bool) -> bool:
    """Whether a resume does such a step again: it failed its run, or was cancelled by that."""
    if status == StepStatus.CANCELLED:
        return cause in ("failure", "unknown")
    return status == StepStatus.FAILED and not has_output


ITEM_ACTIONS: Final = ("retry", "resume", "skip", "cancel", "pause", "unpause")
"""What people may do to an item of a container, and to the run that a step waits for."""

HELD: Final = "HELD"
"""An item that is QUEUED, and paused by itself."""

_MENDED = ("retry", "resume", "skip")

ITEM_VERBS: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("waiting", StepStatus.QUEUED): ("retry", "skip", "cancel", "pause"),
    ("waiting", HELD): ("skip", "cancel", "unpause"),
    ("waiting", StepStatus.RUNNING): ("cancel",),
    # And what may be done to the run that it waits for.
    ("waiting", StepStatus.WAITING): ("skip",),
    ("waiting", StepStatus.FAILED): _MENDED,
    **{
        (container, item): _MENDED
        for container in ("failed", "queued")
        for item in (StepStatus.FAILED, StepStatus.CANCELLED)
    },
}
"""(state of its container, status of an item) → what may be done to the item. A container is `waiting` for its items,
`failed` (a resume, or a retry, begins it once more), `queued` (it is about to begin once more) or `over`."""

UNDOES: Final = Why(
    "compensating",
    "It can't be skipped: its run undoes what it did, and the run above waits for the end of that.",
)
"""Why nothing is skipped whose run undoes what it did: the run above would end without it."""

CHILD_VERBS: Final = frozenset({"cancel", "pause", "unpause"})
"""What is done to the run of an item, or of a step, as to any run; `retry` and `resume` do again what failed of it."""

STARTS_WORK: Final = frozenset({"unpause", "resume", "retry"})
"""What is refused below a run that is paused, to whose items, too: a paused run starts no new work. So is to skip what
opens a run again."""

PARENT_PAUSED: Final = "parent_paused"


class PausedAbove(NamedTuple):
    """The topmost run above another one that is paused, and its place in the tree: (node, index) from the root."""

    run: str
    place: Sequence[tuple[str, int | None]] = ()


_DONE: Mapping[str, str] = {
    "retry": "tried again",
    "resume": "resumed",
    "skip": "skipped",
    "cancel": "cancelled",
    "pause": "paused",
    "unpause": "unpaused",
}
_NOT_PAUSED, _NOT_FAILED = "it is not paused", "it has not failed"
_IS_DONE = "it is done"
_HAS_FAILED = "it has failed; try it again, or skip it"

ITEM_REASONS: Final[Mapping[str, Mapping[str, str]]] = {
    StepStatus.QUEUED: {"unpause": _NOT_PAUSED, "resume": _NOT_FAILED},
    HELD: {
        "pause": "it is paused already",
        "retry": "it is paused; unpause it",
        "resume": "it is paused; unpause it",
    },
    StepStatus.RUNNING: {
        "unpause": _NOT_PAUSED,
        "resume": _NOT_FAILED,
        "": "a worker is running it; wait until the attempt ends, or cancel the item",
    },
    StepStatus.FAILED: {"unpause": _NOT_PAUSED, "": _HAS_FAILED},
    StepStatus.CANCELLED: {"": "it was cancelled with its container"},
    StepStatus.COMPLETED: {"": _IS_DONE},
    StepStatus.SKIPPED: {"": _IS_DONE},
}
"""Status of an item → verb → what stands against it; under the empty text for every other verb."""


class ItemStand(NamedTuple):
    """How an item stands: the status of its run, the state and the status of its container, its own status (`HELD`: it
    is paused by itself), of the run that it waits for the status, and whether something of that has failed, and the
    topmost of its run and those above that is paused.
    """

    run: str
    container: str
    container_status: str
    status: str
    child: str | None = None
    child_failed: bool = False
    paused: PausedAbove | None = None


def why_below_paused(paused: PausedAbove | None, verb: str, *, reopens: bool = False) -> Why | None:
    """Why this may not be done below a run that is paused; None where none is, and where it starts nothing.

    `reopens`: it opens a run again that has ended.
    """
    if paused is None or not (verb in STARTS_WORK or reopens):
        return None
    steps = (node if index is None else f"{node}, item {index}" for node, index in paused.place)
    where = f"at {' › '.join(steps)}" if paused.place else "the topmost one"
    message = f"It can't be {_DONE[verb]} while the run {paused.run} above it, {where}, is paused: unpause that first."
    return Why(PARENT_PAUSED, message)


def container_state(run: str, status: str, *, redone: bool, asks: bool) -> str:
    """The state of a container by the status of its run and its own, as `ITEM_VERBS` names it.

    `redone`: a resume begins it once more (`is_redone`); `asks`: it has failed and waits for an operator.
    """
    if asks or redone:
        return "failed"
    if run not in RUN_OPEN:
        return "over"
    return {StepStatus.WAITING: "waiting", StepStatus.QUEUED: "queued", StepStatus.RUNNING: "queued"}.get(
        StepStatus(status), "over"
    )


def why_not_item(stand: ItemStand, verb: str) -> Why | None:
    """Why this, one of `ITEM_ACTIONS`, may not be done to an item now; None where it may."""
    stored = RunStatus.RUNNING if stand.run in _SHOWN_AS_RUNNING else RunStatus(stand.run)
    if stored not in RUN_OPEN and stored != RunStatus.FAILED:
        return Why("run_ended", f"The run is {stored}: its items can't be {_DONE[verb]} now.")
    if verb == "skip" and stand.child in RUN_UNDOING:
        return UNDOES
    if verb in ITEM_VERBS.get((stand.container, stand.status), ()):
        return why_below_paused(stand.paused, verb, reopens=stored == RunStatus.FAILED)
    if stand.container == "waiting" and stand.status == StepStatus.WAITING:
        return why_not_child(stand.child, verb, has_failed=stand.child_failed, paused=stand.paused)
    if stand.container != "waiting" and stand.status not in (StepStatus.COMPLETED, StepStatus.SKIPPED):
        message = f"The item can't be {_DONE[verb]}: its container is {stand.container_status}."
        return Why("container_is_" + stand.container_status.lower(), message)
    reasons = ITEM_REASONS.get(stand.status, {})
    why = reasons.get(verb) or reasons.get("") or _HAS_FAILED
    name = StepStatus.QUEUED if stand.status == HELD else stand.status
    return Why("item_is_" + name.lower(), f"The item is {name} and can't be {_DONE[verb]}: {why}.")


def why_not_child(
    status: str | None, verb: str, *, has_failed: bool, paused: PausedAbove | None = None
) -> Why | None:
    """Why this, of `ITEM_ACTIONS` all but `skip`, may not be done to a run for which a step waits; None where it may.

    `has_failed`: it goes on although something of it has failed; `paused`: the topmost run above it that is paused.
    """
    if status is None:
        return Why("no_child", f"It can't be {_DONE[verb]}: its run has not begun.")
    if verb in CHILD_VERBS:
        return why_not(status, verb) or why_below_paused(paused, verb)
    if status == RunStatus.FAILED or (has_failed and status in RUN_OPEN):
        return why_below_paused(paused, verb)
    return Why("not_failed", f"It can't be {_DONE[verb]}: its run is {status}, and nothing of it has failed.")


def item_verbs(stand: ItemStand) -> tuple[str, ...]:
    """What people may do to an item as it stands."""
    return tuple(verb for verb in ITEM_ACTIONS if why_not_item(stand, verb) is None)
