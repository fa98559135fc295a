"""Which events of history are sent to webhooks, and what they are called there (docs/webhooks.md)."""

from collections.abc import Iterable, Mapping
from typing import Final

from engine.events import EventType
from lib.refusals import Invalid

TEST = "webhook.test"
"""What a test is called; no event of history is."""
TYPE_OF: Final[Mapping[str, EventType]] = {
    "run.started": EventType.RUN_STARTED,
    "run.paused": EventType.RUN_PAUSED,
    "run.resumed": EventType.RUN_UNPAUSED,
    "run.failing": EventType.RUN_FAILING,
    "run.cancelling": EventType.RUN_CANCELLING,
    "run.compensating": EventType.RUN_COMPENSATING,
    "run.waiting_for_manual_action": EventType.RUN_WAITING_FOR_MANUAL_ACTION,
    "run.completed": EventType.RUN_COMPLETED,
    "run.continued": EventType.RUN_CONTINUED,
    "run.failed": EventType.RUN_FAILED,
    "run.cancelled": EventType.RUN_CANCELLED,
    "run.compensated": EventType.RUN_COMPENSATED,
    "run.reopened": EventType.RUN_REOPENED,
    "run.migrated": EventType.RUN_MIGRATED,
    "run.sla_warning": EventType.SLA_WARNING,
    "run.sla_breached": EventType.SLA_BREACHED,
    "step.completed": EventType.STEP_COMPLETED,
    "step.failed": EventType.STEP_FAILED,
    "step.skipped": EventType.STEP_SKIPPED,
    "step.cancelled": EventType.STEP_CANCELLED,
    "step.waiting": EventType.STEP_WAITING,
    "step.attempt_failed": EventType.ATTEMPT_FAILED,
    "task.opened": EventType.TASK_OPENED,
    "task.decided": EventType.TASK_COMPLETED,
    "task.voted": EventType.TASK_VOTED,
    "task.delegated": EventType.TASK_DELEGATED,
    "task.returned": EventType.TASK_RETURNED,
    "task.resubmitted": EventType.TASK_RESUBMITTED,
    "task.asked": EventType.TASK_ASKED,
    "task.answered": EventType.TASK_ANSWERED,
    "task.reminded": EventType.TASK_REMINDED,
    "task.escalated": EventType.TASK_ESCALATED,
}
NAMES: Final = tuple(TYPE_OF)
_NAME_OF = {kind.value: name for name, kind in TYPE_OF.items()}


def types_of(names: Iterable[str]) -> list[str]:
    """The types in history of events by these names, each once. Raises Invalid for none, and for one there isn't."""
    names = set(names)
    if not names:
        raise Invalid("Name at least one event, or leave it out for all of them.", field="events")
    if unknown := names - TYPE_OF.keys():
        raise Invalid(f"There is no event {min(unknown)!r}.", field="events")
    return [kind.value for name, kind in TYPE_OF.items() if name in names]


def name_of(kind: str) -> str:
    """What an event of this type is called outside."""
    return _NAME_OF.get(kind, kind)
