"""The durable state of runs. Hot tables: UUIDv7 keys made by us, no database foreign keys among them (the run lock of
advance stands for those), `tenant`, `run` and `shard` on every row, few indexes. Behaviour lives elsewhere."""

from runs.models.approvals import Approval, ApprovalUse
from runs.models.base import HotRow
from runs.models.blobs import Blob, Installation, SweptDay
from runs.models.calendars import Calendar
from runs.models.causes import AlertCause
from runs.models.drafts import StartDraft
from runs.models.forecasts import Forecast, ForecastCursor, RestTime
from runs.models.history import DeadLetter, HistoryCheck, HistoryDifference, HistoryEvent, RunSeal
from runs.models.inputs import InputField, InputIndex
from runs.models.messages import RunMessage
from runs.models.outbox import DispatchLeader, DispatchOutbox
from runs.models.requests import Request
from runs.models.run import UNSEALED, Run, RunKey, StartedFrom, TreeCount
from runs.models.searches import SavedSearch
from runs.models.steps import Container, RunVariable, StepExecution, StepJoin, StepLog
from runs.models.undoing import UndoEntry
from runs.models.waits import Signal, Timer
from runs.models.workers import Duty, DutyCursor, QueuePoll, Repair, Worker, WorkerContact

__all__ = [
    "UNSEALED",
    "AlertCause",
    "Approval",
    "ApprovalUse",
    "Blob",
    "Calendar",
    "Container",
    "DeadLetter",
    "DispatchLeader",
    "DispatchOutbox",
    "Duty",
    "DutyCursor",
    "Forecast",
    "ForecastCursor",
    "HistoryCheck",
    "HistoryDifference",
    "HistoryEvent",
    "HotRow",
    "InputField",
    "InputIndex",
    "Installation",
    "QueuePoll",
    "Repair",
    "Request",
    "RestTime",
    "Run",
    "RunKey",
    "RunMessage",
    "RunSeal",
    "RunVariable",
    "SavedSearch",
    "Signal",
    "StartDraft",
    "StartedFrom",
    "StepExecution",
    "StepJoin",
    "StepLog",
    "SweptDay",
    "Timer",
    "TreeCount",
    "UndoEntry",
    "Worker",
    "WorkerContact",
]
