"""Leases of rochallor's services: its workers renew none, so a document may say how long they last.

`metadata.leaseSeconds` is a number of seconds for all services, or an object of numbers by step id.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from engine.catalogue import Json
from engine.definition import DAY
from engine.dialects.base import Document, Finding
from engine.dialects.rochallor.shape import SERVICE

KEY: Final = "leaseSeconds"
LOST_LEASES: Final = 3
"""So many lost leases of a step use up no retry: the public engine counts none."""


def lease_of(metadata: Json, step: str) -> int | None:
    """The lease of a service in seconds, where the document says one."""
    value = metadata.get(KEY) if isinstance(metadata, Mapping) else None
    if isinstance(value, Mapping):
        value = value.get(step)
    return value if _is_lease(value) else None


def lease_findings(document: Document) -> Iterator[Finding]:
    """What is wrong with the leases that a document says."""
    metadata = document.get("metadata")
    value = metadata.get(KEY) if isinstance(metadata, Mapping) else None
    place = f"metadata.{KEY}"
    if isinstance(value, Mapping):
        services = {step.get("id") for step in document.get("steps", ()) if step.get("type") == SERVICE}
        for step, seconds in value.items():
            if step not in services:
                yield Finding(f"There is no service {step[:100]!r} in this definition.", f"{place}.{step}")
            elif not _is_lease(seconds):
                yield Finding(_WRONG, f"{place}.{step}")
    elif value is not None and not _is_lease(value):
        yield Finding(f"{_WRONG[:-1]}, or an object of such numbers by step id.", place)


_WRONG = f"A lease must be a whole number of seconds from 1 to {DAY:,}."


def _is_lease(value: Json) -> bool:
    return type(value) is int and 1 <= value <= DAY
