"""Ids as these routes show them: a prefix says what they name (C-22)."""

import base64
import binascii
from uuid import UUID

_RUN, _TASK = "wf_exec_", "task_"
_DIGITS = 26
"""Of an id of 128 bits in base32, which sorts as the id does."""


def shown_run(run_id: UUID | str) -> str:
    """The id of a run: `wf_exec_` and base32."""
    return _RUN + _written(run_id)


def run_named(text: str) -> UUID | None:
    """The run that a prefixed id or a bare UUID names; None for anything else."""
    return _read(text.removeprefix(_RUN)) if text.startswith(_RUN) else _uuid(text)


def shown_task(job_id: UUID | str, lease_token: str) -> str:
    """The id of a task for the worker that leased it. It holds the lease's token, so that who has lost the lease can't
    end what another worker does by now.
    """
    return f"{_TASK}{_written(job_id)}_{lease_token}"


def task_named(text: str) -> tuple[UUID, str] | None:
    """The job and the lease token that the id of a task holds; None where it is none."""
    digits, _, token = text.removeprefix(_TASK).partition("_")
    job = _read(digits) if text.startswith(_TASK) else None
    return (job, token) if job is not None and token else None


def _written(value: UUID | str) -> str:
    raw = (value if isinstance(value, UUID) else UUID(value)).bytes
    return base64.b32hexencode(raw).decode().rstrip("=").lower()


def _read(digits: str) -> UUID | None:
    if len(digits) != _DIGITS or not digits.isascii() or digits != digits.lower():
        return None
    try:
        raw = base64.b32hexdecode(digits.upper() + "=" * 6)
    except binascii.Error:
        return None
    value = UUID(bytes=raw)
    # The last digit has two bits that mean nothing: an id is written in one way only.
    return value if _written(value) == digits else None


def _uuid(text: str) -> UUID | None:
    try:
        value = UUID(text)
    except ValueError:
        return None
    return value if str(value) == text else None
