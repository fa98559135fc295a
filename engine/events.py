"""The vocabulary of history, as data: what each event tells, of what, and with which fields.

Statements write them (`tests/store/test_events.py`), `runs/integrity/fold.py` rebuilds a run from them, and
`docs/history.md` shows them. An event that isn't here is not written.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Literal

from engine.statuses import RunStatus, StepStatus


class EventType(StrEnum):
    """What can stand in a run's history."""

    RUN_STARTED = "RUN_STARTED"
    RUN_PAUSED = "RUN_PAUSED"
    RUN_UNPAUSED = "RUN_UNPAUSED"
    RUN_FAILING = "RUN_FAILING"
    RUN_CANCELLING = "RUN_CANCELLING"
    RUN_COMPENSATING = "RUN_COMPENSATING"
    RUN_WAITING_FOR_MANUAL_ACTION = "RUN_WAITING_FOR_MANUAL_ACTION"
    RUN_COMPLETED = "RUN_COMPLETED"
    RUN_CONTINUED = "RUN_CONTINUED"
    RUN_FAILED = "RUN_FAILED"
    RUN_CANCELLED = "RUN_CANCELLED"
    RUN_COMPENSATED = "RUN_COMPENSATED"
    RUN_REOPENED = "RUN_REOPENED"
    RUN_REPAIRED = "RUN_REPAIRED"
    RUN_MIGRATED = "RUN_MIGRATED"
    RUN_NOT_MIGRATED = "RUN_NOT_MIGRATED"
    NEXT_NOT_STARTED = "NEXT_NOT_STARTED"
    STEP_COMPLETED = "STEP_COMPLETED"
    STEP_FAILED = "STEP_FAILED"
    STEP_SKIPPED = "STEP_SKIPPED"
    STEP_CANCELLED = "STEP_CANCELLED"
    STEP_WAITING = "STEP_WAITING"
    STEP_REQUEUED = "STEP_REQUEUED"
    STEP_RELEASED = "STEP_RELEASED"
    STEP_WITHDRAWN = "STEP_WITHDRAWN"
    STEP_MIGRATED = "STEP_MIGRATED"
    STEP_PAUSED = "STEP_PAUSED"
    STEP_UNPAUSED = "STEP_UNPAUSED"
    ATTEMPT_FAILED = "ATTEMPT_FAILED"
    LEASE_LOST = "LEASE_LOST"
    LATE_RESULT = "LATE_RESULT"
    EDGES_RESOLVED = "EDGES_RESOLVED"
    COMPENSATE_RUN = "COMPENSATE_RUN"
    VARIABLES_SET = "VARIABLES_SET"
    TIMER_FIRED = "TIMER_FIRED"
    SIGNAL_RECEIVED = "SIGNAL_RECEIVED"
    SIGNAL_CONSUMED = "SIGNAL_CONSUMED"
    SLA_WARNING = "SLA_WARNING"
    SLA_BREACHED = "SLA_BREACHED"
    ALERT = "ALERT"
    TASK_OPENED = "TASK_OPENED"
    TASK_COMPLETED = "TASK_COMPLETED"
    TASK_VOTED = "TASK_VOTED"
    TASK_DELEGATED = "TASK_DELEGATED"
    TASK_RETURNED = "TASK_RETURNED"
    TASK_RESUBMITTED = "TASK_RESUBMITTED"
    TASK_ASKED = "TASK_ASKED"
    TASK_ANSWERED = "TASK_ANSWERED"
    TASK_REMINDED = "TASK_REMINDED"
    TASK_ESCALATED = "TASK_ESCALATED"


@dataclass(frozen=True, slots=True)
class EventKind:
    """An event: what it is about, what it tells, and the fields of its payload, each of them only where it applies.

    `run`, `step`: the status behind it, where it always is the same. `is_evidence`: it changes no state, and may stand
    behind the end of a run.
    """

    about: Literal["run", "step", "task", "signal"]
    tells: str
    payload: Mapping[str, str] = field(default_factory=dict)
    run: RunStatus | None = None
    step: StepStatus | None = None
    is_evidence: bool = False


_WHO = {"by": "who did it", "reason": "why", "via": "page, API or command"}
_ANEW = {
    "from_node": "the step that begins anew with another input",
    "input_digest": "SHA-256 of another input",
    "replaced_digest": "SHA-256 of what it was given before",
}
_DIGEST = {"digest": "SHA-256 of the output"}
_EDGES = {"taken": "the edges that are taken, by where they lead"}
_CHILD = {"index": "of a container's child its place"}
_ATTEMPT = {
    **_CHILD,
    "epoch": "the epoch of the step",
    "worker": "who had the attempt",
    "started_at": "when it began",
    "usage": "what it used, such as tokens",
}
_ENDED = {
    **_ATTEMPT,
    **_EDGES,
    **_DIGEST,
    **_WHO,
    "error": "code, message and details",
    "cause": "why it was skipped or cancelled",
    "edges_pending": "true: its edges are resolved when the run is reopened",
    "was": "its status before",
    "kept_from": "the run whose result it keeps",
    "fired": "boundary timers that had fired, with their times",
    "resolution": "what a person decided: done or abandon",
    "evidence": "digest of the decision's record",
}
_TASK = {"task": "its id", "by": "who did it"}
_DECISION = {
    **_TASK,
    "outcome": "what was decided",
    "on_behalf_of": "whose decision it was",
    "evidence": "digest of the decision's record",
}


def _ends(status: RunStatus, tells: str, payload: Mapping[str, str] = {}) -> EventKind:
    return EventKind("run", tells, payload, run=status)


EVENTS: Final[Mapping[EventType, EventKind]] = {
    EventType.RUN_STARTED: EventKind(
        "run",
        "A run began.",
        {
            **_WHO,
            "business_key": "its key",
            "version": "the number of its version",
            "filed_by": "who filed it, where it was started on behalf of `by`",
            "rerun_of": "the run that it repeats",
            "parent": "the run that began it",
            "parent_step": "the step of that run which waits for it",
            "index": "of that step its place, if it is a container's child",
            "follows": "the run that it follows",
            "continues": "the run for which it goes on",
            "test": "true: it tries a definition out",
            "digest": "SHA-256 of the input",
            "from_node": "the step that a rerun begins at",
            "input_digest": "SHA-256 of what that step is given",
            "replaced_digest": "SHA-256 of what it was given before",
        },
    ),
    EventType.RUN_PAUSED: _ends(RunStatus.PAUSED, "Nothing new begins.", _WHO),
    EventType.RUN_UNPAUSED: _ends(RunStatus.RUNNING, "It continues.", _WHO),
    EventType.RUN_FAILING: _ends(
        RunStatus.FAILING,
        "A step failed for good; running steps are awaited.",
        {"error": "of the step, and which"},
    ),
    EventType.RUN_CANCELLING: _ends(
        RunStatus.CANCELLING,
        "Somebody cancelled it; running steps are awaited.",
        {**_WHO, "compensate": "true: what was done is undone"},
    ),
    EventType.RUN_COMPENSATING: _ends(
        RunStatus.COMPENSATING,
        "What was done is being undone.",
        {"by": "repair, where that caused it", "life": "the number of the life, where the run had ended"},
    ),
    EventType.RUN_WAITING_FOR_MANUAL_ACTION: _ends(
        RunStatus.WAITING_FOR_MANUAL_ACTION, "A compensation failed for good; a person decides what happens."
    ),
    EventType.RUN_COMPLETED: _ends(RunStatus.COMPLETED, "All its sinks are resolved.", _DIGEST),
    EventType.RUN_CONTINUED: _ends(RunStatus.CONTINUED, "It continues as a new run.", {"as": "that run"}),
    EventType.RUN_FAILED: _ends(RunStatus.FAILED, "It failed."),
    EventType.RUN_CANCELLED: _ends(RunStatus.CANCELLED, "It was cancelled."),
    EventType.RUN_COMPENSATED: _ends(RunStatus.COMPENSATED, "It failed, and what it had done was undone."),
    EventType.RUN_REOPENED: EventKind(
        "run",
        "A failed run goes on: its next life.",
        {
            **_WHO,
            "life": "the number of the life",
            "version": "the version it goes on with, if that is another one",
            "was": "CANCELLED: somebody had cancelled it before it failed",
            **_ANEW,
        },
        run=RunStatus.RUNNING,
    ),
    EventType.RUN_MIGRATED: EventKind(
        "run",
        "The open run goes on with another version.",
        {
            **_WHO,
            "from": "the number of the version before",
            "version": "the number of the version it goes on with",
            "job": "the bulk job that moved it",
            "times": "moments that are others now: the step, of what, before and after",
        },
    ),
    EventType.RUN_NOT_MIGRATED: EventKind(
        "run",
        "The run that has its item goes on with another version; this one does not fit it, and stays on its own.",
        {**_WHO, "problems": "why: code, step and sentence of each obstacle"},
    ),
    EventType.RUN_REPAIRED: EventKind(
        "run",
        "The stuck check repaired something that should not have happened.",
        {
            "what": "what was wrong",
            "of": "the node that it is about",
            "index": "which of its items, counted from 0",
            "made": "nodes whose rows were made",
            "anew": "true: the step's row was gone and is made once more",
            "detail": "what was done about it",
        },
    ),
    EventType.NEXT_NOT_STARTED: EventKind(
        "run",
        "The workflow names one that follows, and no run of that could be started.",
        {"workflow": "its name", "reason": "a code", "message": "why not"},
        is_evidence=True,
    ),
    EventType.STEP_COMPLETED: EventKind("step", "A step completed.", _ENDED, step=StepStatus.COMPLETED),
    EventType.STEP_FAILED: EventKind("step", "A step failed for good.", _ENDED, step=StepStatus.FAILED),
    EventType.STEP_SKIPPED: EventKind(
        "step", "No edge leads to the step, or a person skipped it.", _ENDED, step=StepStatus.SKIPPED
    ),
    EventType.STEP_CANCELLED: EventKind("step", "A step was cancelled.", _ENDED, step=StepStatus.CANCELLED),
    EventType.STEP_WAITING: EventKind(
        "step",
        "A step waits.",
        {
            "epoch": "the epoch of the step",
            "usage": "what it used until then",
            **_CHILD,
            "kind": "what it waits for",
            "until": "when it stops waiting",
            "run": "the run that it waits for",
            "worker": "who had it, where it has failed and asks",
            "started_at": "when its attempt began, where it has failed and asks",
            "error": "why it has failed, where it asks what becomes of that",
        },
        step=StepStatus.WAITING,
    ),
    EventType.STEP_REQUEUED: EventKind(
        "step",
        "A step is queued again, with a new budget of attempts.",
        {
            **_WHO,
            **_CHILD,
            "epoch": "the epoch of the step",
            "resolution": "retry, where a person decided about a compensation",
            **_ANEW,
            "was": "its status before",
        },
    ),
    EventType.STEP_RELEASED: EventKind(
        "step",
        "A worker handed the step back without having begun; that costs no attempt.",
        {
            **_CHILD,
            "epoch": "the epoch of the step",
            "worker": "who had it",
            "counted": "false: the attempt does not count",
        },
    ),
    EventType.STEP_WITHDRAWN: EventKind(
        "step",
        "The step is not part of what is kept on another version, or begins anew.",
        {**_CHILD, **_WHO, **_ANEW, "was": "its status before", "queued_at": "when it was first queued"},
    ),
    EventType.STEP_MIGRATED: EventKind(
        "step",
        "The step is in hand and goes on with its run, which goes on with another version.",
        {**_CHILD, "epoch": "the epoch of the step"},
    ),
    EventType.STEP_PAUSED: EventKind(
        "step", "An item of a container was paused by itself before a worker had it.", {**_CHILD, **_WHO}
    ),
    EventType.STEP_UNPAUSED: EventKind(
        "step", "An item that was paused by itself goes on.", {**_CHILD, **_WHO}
    ),
    EventType.ATTEMPT_FAILED: EventKind(
        "step",
        "An attempt failed; another one follows.",
        {**_ATTEMPT, "error": "code, message and details", "retry_in": "seconds until the next attempt"},
    ),
    EventType.LEASE_LOST: EventKind(
        "step",
        "The worker of a batch was lost; the step runs alone from now on.",
        {
            **_CHILD,
            "epoch": "the epoch of the step",
            "worker": "who had it",
            "counted": "false: the attempt does not count",
        },
    ),
    EventType.LATE_RESULT: EventKind(
        "step",
        "A result came after its lease was over: kept as evidence, without effect.",
        {
            **_CHILD,
            "evidence": "true",
            "epoch": "the epoch that it was for",
            "worker": "who sent it",
            "reason": "why it has no effect",
            "digest": "SHA-256 of the output",
            "error": "the error, if it was a failure",
        },
        is_evidence=True,
    ),
    EventType.EDGES_RESOLVED: EventKind(
        "step",
        "The edges of a step that was over already are resolved.",
        {**_ENDED},
    ),
    EventType.COMPENSATE_RUN: EventKind(
        "step",
        "The step that undoes another one is queued.",
        {"of": "the node that it undoes", "was": "its status"},
    ),
    EventType.VARIABLES_SET: EventKind(
        "step",
        "A step that completed has set variables of the run.",
        {
            **_CHILD,
            "set": "SHA-256 of each value, by the variable's name",
            "overlaps": "by name the steps that had set it, and don't come before this one",
        },
    ),
    EventType.TIMER_FIRED: EventKind("step", "A boundary timer of the step fired.", _EDGES),
    EventType.SIGNAL_RECEIVED: EventKind(
        "signal",
        "A signal came in.",
        {"signal_id": "its id", "name": "its name", "by": "who sent it", "digest": "SHA-256 of the payload"},
    ),
    EventType.SIGNAL_CONSUMED: EventKind(
        "signal", "A waiting step took a signal.", {"signal_id": "its id", "name": "its name"}
    ),
    EventType.SLA_WARNING: EventKind(
        "run", "80 per cent of the run's time has passed.", {"deadline": "its deadline"}
    ),
    EventType.SLA_BREACHED: EventKind("run", "The run is past its deadline.", {"deadline": "its deadline"}),
    EventType.ALERT: EventKind(
        "run", "Operators are alerted.", {"kind": "of what", "code": "the error's code"}
    ),
    EventType.TASK_OPENED: EventKind(
        "task", "People are asked.", {"task": "its id", "due_at": "when it is due"}
    ),
    EventType.TASK_COMPLETED: EventKind(
        "task", "A task was decided.", {**_DECISION, "digest": "SHA-256 of what was filled in"}
    ),
    EventType.TASK_VOTED: EventKind("task", "One of several decided.", _DECISION),
    EventType.TASK_DELEGATED: EventKind(
        "task", "A task or a vote was handed on.", {**_TASK, "to": "who has it now", "reason": "why"}
    ),
    EventType.TASK_RETURNED: EventKind(
        "task", "A task went back for changes.", {**_DECISION, "to": "who is to change it"}
    ),
    EventType.TASK_RESUBMITTED: EventKind(
        "task",
        "A task came back with changes.",
        {
            **_TASK,
            "round": "the number of the round",
            "changed": "what changed",
            "due_at": "when it is due now",
        },
    ),
    EventType.TASK_ASKED: EventKind("task", "Somebody asked a question; the clock is stopped.", _TASK),
    EventType.TASK_ANSWERED: EventKind(
        "task", "The question is answered; the clock runs again.", {**_TASK, "due_at": "when it is due now"}
    ),
    EventType.TASK_REMINDED: EventKind(
        "task",
        "Somebody was reminded.",
        {"task": "its id", "follow_up": "true: once more", "by": "the requester, if they asked for it"},
    ),
    EventType.TASK_ESCALATED: EventKind(
        "task",
        "Others are asked, too.",
        {**_TASK, "reason": "why", "level": "the number of the escalation", "to": "who is asked, by kind"},
    ),
}


def kind_of(event: str) -> EventKind:
    """What an event of this type tells. Raises ValueError for a type that there isn't."""
    return EVENTS[EventType(event)]
