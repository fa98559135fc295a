"""What an open step waits for, in words."""

from datetime import datetime
from enum import StrEnum
from typing import Protocol

from engine.catalogue import Json
from engine.graph import Node
from engine.statuses import StepStatus
from lib.clock import now_here
from runs.kernel import wait_kinds


class Waiter(Protocol):
    """What of a step says what it waits for."""

    @property
    def status(self) -> str: ...
    @property
    def attempt(self) -> int: ...
    @property
    def held(self) -> bool: ...
    @property
    def queue(self) -> str: ...
    @property
    def worker(self) -> str | None: ...
    @property
    def has_error(self) -> bool: ...
    @property
    def available_at(self) -> str: ...
    @property
    def lease_expires_at(self) -> str | None: ...
    @property
    def waiting(self) -> Json: ...
    @property
    def is_listened(self) -> bool | None: ...


class Reason(StrEnum):
    """Why an open step is not over. `WAIT`: what it waits for is a kind of `wait_kinds`."""

    STEP_PAUSED = "step paused"
    RUN_PAUSED = "run paused"
    RETRY = "retry"
    QUEUE = "queue"
    AT_WORK = "at work"
    WAIT = "wait"


def reason_of(step: Waiter) -> Reason | None:
    """Why a step is not over; None of a step that is."""
    match step.status:
        case StepStatus.QUEUED if step.held:
            return Reason.STEP_PAUSED if step.waiting else Reason.RUN_PAUSED
        case StepStatus.QUEUED:
            return Reason.RETRY if waits_for_retry(step) else Reason.QUEUE
        case StepStatus.WAITING:
            return Reason.WAIT
        case StepStatus.RUNNING:
            return Reason.AT_WORK
    return None


def waits_for_retry(step: Waiter) -> bool:
    """Whether a step has failed and will be tried again."""
    return step.status == StepStatus.QUEUED and step.has_error and not step.held


def in_words(node: Node, step: Waiter) -> str | None:
    """What goes behind "waits for"; None of a step that waits for nothing."""
    match reason_of(step):
        case Reason.STEP_PAUSED:
            return "an operator to unpause it"
        case Reason.RUN_PAUSED:
            return "the run to be unpaused"
        case Reason.RETRY:
            attempt = f"attempt {step.attempt + 1}"
            if datetime.fromisoformat(step.available_at) > now_here():
                return f"{attempt}, due {wait_kinds.moment(step.available_at)}"
            return f"{attempt}, which waits for {_worker(node, step)}"
        case Reason.QUEUE:
            return _worker(node, step)
        case Reason.WAIT:
            return wait_kinds.in_words(step.waiting) if step.waiting else None
        case Reason.AT_WORK:
            lease = (
                f", whose lease ends {wait_kinds.moment(step.lease_expires_at)}"
                if step.lease_expires_at
                else ""
            )
            return f"worker {step.worker}{lease}"
    return None


def _worker(node: Node, step: Waiter) -> str:
    # Ours come by themselves; what an author has to start is told by its name.
    if node.kind == "external":
        silent = "" if step.is_listened else ": none has asked for jobs in the last 2 minutes"
        return f"a worker of yours that polls the queue {step.queue}{silent}"
    return f"a worker of the queue {step.queue}{'' if step.is_listened else ': none listens now'}"
