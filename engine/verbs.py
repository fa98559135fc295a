"""What people may do to a run and to its steps, by their statuses, as data: services refuse by it, pages offer by it,
and `docs/states.md` shows it. What a verb then does is the event of its name in `engine.statuses`.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

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

OF_PARTS: Final = frozenset({"pause", "unpause", "cancel", "signal"})
"""What may be done to a run that does the steps of an item for another one: all else is done to that."""

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
