"""What a step or a workflow says of itself, as JSON with types (docs/definitions.md, "A node")."""

from typing import Any, Literal, Required, TypedDict

from engine.catalogue import Json

UNSET: Any = type("Unset", (), {"__repr__": lambda self: "UNSET"})()
"""Not said at all: what every field is that nobody gives. None is said: it is null in JSON, and means the same."""

Preset = Literal["seed", "minutes", "llm", "none"]


class Retry(TypedDict, total=False):
    """How often and after which pauses a step is tried again; what is not given comes from the default policy."""

    max_retries: int | None
    base_seconds: float | None
    factor: float | None
    max_seconds: float | None
    jitter: float | None
    lost_leases: int | None
    non_retryable: list[str] | None


class Compensation(TypedDict, total=False):
    """The step that undoes a completed one."""

    type: Required[str]
    name: str | None
    title: str | None
    params: dict[str, Json] | None
    retry: "Retry | Preset | None"
    timeout_seconds: int | None
    lease_seconds: int | None
    queue: str | None


class NOf(TypedDict):
    """A join that fires once so many paths are taken."""

    n_of: int
