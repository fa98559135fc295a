"""What REST and gRPC are given by the functions below them: plain values, with the meaning that they have there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Generic, TypeVar

from engine.catalogue import Json

T = TypeVar("T")

ACTIVE: Final = "ACTIVE"
WAITING: Final = "WAITING"
COMPLETED: Final = "COMPLETED"
FAILED: Final = "FAILED"
CANCELLED: Final = "CANCELLED"
RUNNING: Final = "RUNNING"
STATUSES: Final = (ACTIVE, WAITING, COMPLETED, FAILED, CANCELLED)


@dataclass(frozen=True, slots=True)
class Uploaded:
    """The version of a definition that an upload gave, or that a list shows as the latest."""

    id: str
    version: int
    name: str
    uploaded_at: datetime


@dataclass(frozen=True, slots=True)
class Definition:
    """A version of a definition: the document as it was uploaded, but for what says nothing."""

    id: str
    version: int
    document: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A part of a list, and how many there are in all (counted up to `COUNTED_ROWS`)."""

    items: Sequence[T]
    total: int


@dataclass(frozen=True, slots=True)
class Instance:
    """A run as rochallor sees it. `variables` is None in lists, and for who may not read what they started."""

    id: str
    definition_id: str
    definition_version: int
    status: str
    current_step_ids: Sequence[str]
    variables: Mapping[str, Json] | None
    started_at: datetime
    completed_at: datetime | None = None
    failure_reason: str | None = None
    business_key: str | None = None

    @property
    def has_ended(self) -> bool:
        """Whether nothing more can be done with it."""
        return self.status not in (ACTIVE, WAITING)


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One entry into a step, however often it was tried."""

    id: str
    instance_id: str
    step_id: str
    step_type: str
    attempt_number: int
    status: str
    started_at: datetime
    ended_at: datetime | None
    input_snapshot: Json
    output_snapshot: Json
    failure_reason: str | None


@dataclass(frozen=True, slots=True)
class Job:
    """A job with the lease on it. `id` is of this attempt alone: the next one has another."""

    id: str
    instance_id: str
    step_execution_id: str
    step_id: str
    job_type: str
    worker_id: str
    locked_at: datetime
    lock_expires_at: datetime
    retries_remaining: int
    variables: Json
    created_at: datetime
