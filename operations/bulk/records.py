"""What bulk verbs of the apps below leave: a bulk job with the result for each item."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from django.urls import reverse

from accounts.principal import Principal
from engine.catalogue import Json
from operations.bulk import service
from operations.bulk.letters import begin_letters as begin
from operations.bulk.models import TASKS, subject_of
from runs.ports import BulkResult


def begin_letters(who: Principal, verb: str, *, filters: Mapping[str, Json], reason: str) -> tuple[UUID, int]:
    """Do it to the open dead letters that fit, the oldest first, in the background; gives the job and how many fit
    beyond its limit.
    """
    others = {name: value for name, value in filters.items() if name != "query"}
    terms = {"query": filters.get("query", ""), "filters": others, "reason": reason}
    job, left = begin(who, verb, **terms, is_partial=True)
    return job.pk, left


def record(who: Principal, verb: str, rows: Sequence[BulkResult], *, reason: str) -> UUID:
    """Write down what was done while the caller waited; gives the job."""
    return UUID(service.record(who, verb, rows, reason=reason))


def address(job: UUID, verb: str) -> str:
    """The page of a job of this verb, for who began it."""
    return reverse("task-bulk-job" if subject_of(verb) == TASKS else "bulk-job", args=[job])
