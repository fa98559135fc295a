"""The two state machines as data: `docs/states.md` is drawn from them, the SQL tested against them (R-032)."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class RunStatus(StrEnum):
    """What a run row can hold; PENDING and WAITING are shown but never stored (docs/states.md)."""

    RUNNING = "RUNNING"
    PAUSED = "PAUSED"
    COMPLETED = "COMPLETED"
    CONTINUED = "CONTINUED"
    FAILING = "FAILING"
    CANCELLING = "CANCELLING"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"
    COMPENSATING = "COMPENSATING"
    COMPENSATED = "COMPENSATED"
    WAITING_FOR_MANUAL_ACTION = "WAITING_FOR_MANUAL_ACTION"


class StepStatus(StrEnum):
    """What a step row can hold; a node without a row is shown as PENDING."""

    QUEUED = "QUEUED"
    RUNNING = "RUNNING"
    WAITING = "WAITING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    SKIPPED = "SKIPPED"
    CANCELLED = "CANCELLED"


R, S = RunStatus, StepStatus

RUN: Final[Mapping[tuple[RunStatus, str], tuple[RunStatus, ...]]] = {
    (R.RUNNING, "pause"): (R.PAUSED,),
    (R.PAUSED, "unpause"): (R.RUNNING,),
    **{(s, "sinks resolved"): (R.COMPLETED,) for s in (R.RUNNING, R.PAUSED)},
    **{(s, "continue as new"): (R.CONTINUED,) for s in (R.RUNNING, R.PAUSED)},
    **{(s, "step failed"): (R.FAILING,) for s in (R.RUNNING, R.PAUSED)},
    **{(s, "cancel"): (R.CANCELLING,) for s in (R.RUNNING, R.PAUSED)},
    (R.FAILING, "cancel"): (R.CANCELLING,),
    (R.FAILING, "nothing running"): (R.FAILED, R.COMPENSATING),
    (R.CANCELLING, "nothing running"): (R.CANCELLED, R.COMPENSATING),
    (R.COMPENSATING, "compensated"): (R.COMPENSATED, R.CANCELLED, R.FAILED),
    (R.COMPENSATING, "compensation failed"): (R.WAITING_FOR_MANUAL_ACTION,),
    (R.WAITING_FOR_MANUAL_ACTION, "resolve"): (R.COMPENSATING,),
    (R.FAILED, "resume"): (R.RUNNING,),
    **{(s, "resume of the parent"): (R.RUNNING,) for s in (R.FAILED, R.CANCELLED)},
    **{
        (s, "nothing but children undoing"): (R.COMPENSATING, R.WAITING_FOR_MANUAL_ACTION)
        for s in (R.FAILING, R.CANCELLING)
    },
    **{
        (s, "undone with its root"): (R.COMPENSATING, R.WAITING_FOR_MANUAL_ACTION)
        for s in (R.COMPLETED, R.CONTINUED, R.FAILED, R.CANCELLED)
    },
    (R.COMPENSATING, "compensation of a child failed"): (R.WAITING_FOR_MANUAL_ACTION,),
}
"""(status, event) → what it may become; a pair that is not here changes nothing."""

STEP: Final[Mapping[tuple[StepStatus, str], tuple[StepStatus, ...]]] = {
    (S.QUEUED, "claim"): (S.RUNNING,),
    **{(s, "complete"): (S.COMPLETED,) for s in (S.RUNNING, S.QUEUED)},
    (S.RUNNING, "fail"): (S.FAILED,),
    (S.QUEUED, "not begun in time"): (S.FAILED,),
    (S.RUNNING, "retry"): (S.QUEUED,),
    (S.RUNNING, "lease lost"): (S.QUEUED,),
    (S.RUNNING, "release"): (S.QUEUED, S.CANCELLED),
    (S.RUNNING, "wait"): (S.WAITING,),
    (S.WAITING, "wake"): (S.COMPLETED, S.FAILED),
    **{(s, "skip"): (S.SKIPPED,) for s in (S.QUEUED, S.WAITING)},
    (S.FAILED, "done by hand"): (S.SKIPPED,),
    **{(s, "cancel"): (S.CANCELLED,) for s in (S.QUEUED, S.WAITING)},
    (S.RUNNING, "outcome unknown"): (S.CANCELLED,),
    **{(s, "interrupt"): (S.CANCELLED,) for s in (S.QUEUED, S.WAITING, S.RUNNING)},
    **{(s, "run ended"): (S.CANCELLED,) for s in (S.QUEUED, S.WAITING, S.RUNNING)},
    **{(s, "container ended"): (S.CANCELLED,) for s in (S.QUEUED, S.WAITING, S.RUNNING)},
    **{(s, "resume"): (S.QUEUED,) for s in (S.FAILED, S.CANCELLED)},
    **{(s, "cancel item"): (S.FAILED,) for s in (S.QUEUED, S.WAITING, S.RUNNING)},
    **{(s, "skip item"): (S.SKIPPED,) for s in (S.FAILED, S.CANCELLED)},
}
"""(status, event) → what it may become. RUNNING is cancelled only when its outcome can't be known or can't matter
(the run's sinks are all resolved, or its container is over), or when its worker gives it back while the run closes.
A failed step that is skipped is resumed first, but for an item of a container.
A step kept from another run is created as it had ended there."""

STEP_CREATED: Final = (S.QUEUED, S.RUNNING, S.WAITING, S.SKIPPED, S.COMPLETED, S.FAILED, S.CANCELLED)
"""The statuses that a step row may be created with."""

RUN_OPEN: Final = frozenset({R.RUNNING, R.PAUSED})
"""Statuses in which edges resolve and new steps start."""

RUN_CLOSING: Final = frozenset({R.FAILING, R.CANCELLING})
"""Statuses in which running steps are awaited and nothing else happens."""

RUN_UNDOING: Final = frozenset({R.COMPENSATING, R.WAITING_FOR_MANUAL_ACTION})
"""Statuses in which completed steps are compensated."""

RUN_ENDED: Final = frozenset({R.COMPLETED, R.CONTINUED, R.FAILED, R.CANCELLED, R.COMPENSATED})
"""Terminal for this life of the run."""

STEP_OPEN: Final = frozenset({S.QUEUED, S.RUNNING, S.WAITING})
"""Statuses of a step that is not over."""
