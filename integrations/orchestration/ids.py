"""Ids as these routes show them: a prefix says what they name (C-22)."""

from uuid import UUID

from lib import base32_ids
from runs.api.run_ids import run_named, shown_run

__all__ = ["run_named", "shown_run", "shown_task", "task_named"]

_TASK = "task_"


def shown_task(job_id: UUID | str, lease_token: str) -> str:
    """The id of a task for the worker that leased it. It holds the lease's token, so that who has lost the lease can't
    end what another worker does by now.
    """
    return f"{_TASK}{base32_ids.written(job_id)}_{lease_token}"


def task_named(text: str) -> tuple[UUID, str] | None:
    """The job and the lease token that the id of a task holds; None where it is none."""
    digits, _, token = text.removeprefix(_TASK).partition("_")
    job = base32_ids.read(digits) if text.startswith(_TASK) else None
    return (job, token) if job is not None and token else None
