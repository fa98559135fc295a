"""The id of a run in a request: a UUID, or `wf_exec_` with the same id in base32, as the orchestration API shows it."""

from typing import Any
from uuid import UUID

from django.urls import register_converter
from rest_framework import serializers

from lib import base32_ids

PREFIX = "wf_exec_"
UUID_PATTERN = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


def shown_run(run_id: UUID | str) -> str:
    """The id with its prefix."""
    return PREFIX + base32_ids.written(run_id)


def run_named(text: str) -> UUID | None:
    """The run that a prefixed id or a UUID in its usual spelling names; None for anything else."""
    if text.startswith(PREFIX):
        return base32_ids.read(text.removeprefix(PREFIX))
    try:
        value = UUID(text)
    except ValueError:
        return None
    return value if str(value) == text else None


class RunId(serializers.UUIDField):
    """The id of a run in either spelling; the schema says a UUID, as clients are generated for it."""

    def to_internal_value(self, data: Any) -> UUID:
        if isinstance(data, str) and data.startswith(PREFIX):
            run = run_named(data)
            return self.fail("invalid", value=data) if run is None else run
        return super().to_internal_value(data)


class RunConverter:
    """`<run:run_id>` in a URL; anything else is no route."""

    regex = f"(?:{UUID_PATTERN}|{PREFIX}{base32_ids.PATTERN})"

    def to_python(self, value: str) -> UUID:
        """Raises ValueError for what names no run."""
        run = run_named(value)
        if run is None:
            raise ValueError(value)
        return run

    def to_url(self, value: UUID | str) -> str:
        return str(value)


register_converter(RunConverter, "run")
