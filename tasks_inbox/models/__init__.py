"""What people must do: the tables of the app."""

from tasks_inbox.models.absences import AwayRule
from tasks_inbox.models.comments import ANSWERED, ASKED, SAID, SENT_AGAIN, SENT_BACK, TaskComment
from tasks_inbox.models.decisions import EvidenceHead, HeldDecision, TaskDecision
from tasks_inbox.models.files import TaskDraft, TaskFile, TaskFileContent
from tasks_inbox.models.notifications import (
    ASSIGNED,
    CANCELS,
    DELEGATED,
    ESCALATED,
    MENTIONED,
    QUESTION,
    REMINDED,
    TELLS,
    Notification,
)
from tasks_inbox.models.tasks import (
    CANCELLED,
    COMPENSATION,
    COMPLETED,
    FOR_OPERATORS,
    INCIDENT,
    KINDS,
    NEVER,
    OPEN,
    RETURNED,
    STATUSES,
    ManualTask,
    TaskMark,
    TaskNote,
    label_of,
)
from tasks_inbox.models.views import InboxView

__all__ = [
    "ANSWERED",
    "ASKED",
    "ASSIGNED",
    "CANCELLED",
    "CANCELS",
    "COMPENSATION",
    "COMPLETED",
    "DELEGATED",
    "ESCALATED",
    "FOR_OPERATORS",
    "INCIDENT",
    "KINDS",
    "MENTIONED",
    "NEVER",
    "OPEN",
    "QUESTION",
    "REMINDED",
    "RETURNED",
    "SAID",
    "SENT_AGAIN",
    "SENT_BACK",
    "STATUSES",
    "TELLS",
    "AwayRule",
    "EvidenceHead",
    "HeldDecision",
    "InboxView",
    "ManualTask",
    "Notification",
    "TaskComment",
    "TaskDecision",
    "TaskDraft",
    "TaskFile",
    "TaskFileContent",
    "TaskMark",
    "TaskNote",
    "label_of",
]
