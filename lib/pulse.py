"""Signs of life of this process for whoever started it: a byte each time, through a pipe that was left open."""

import os
from contextlib import suppress

VARIABLE = "HANDOFF_READY_FD"
"""The environment variable with the descriptor of the pipe; without one nobody listens."""

_descriptor: int | None = None


def adopt(descriptor: int) -> None:
    """Beat through `descriptor` from now on, and let go of the pipe that was there before: after a fork it is the
    parent's.
    """
    global _descriptor
    if _descriptor is not None:
        os.close(_descriptor)
    # Who listens no more must never hold up who works.
    os.set_blocking(descriptor, False)
    _descriptor = descriptor


def beat() -> None:
    """Say that this process makes progress; the first time means that it is ready. Never raises."""
    if _descriptor is None and (descriptor := os.environ.pop(VARIABLE, "")):
        adopt(int(descriptor))
    if _descriptor is not None:
        with suppress(OSError):
            os.write(_descriptor, b".")
