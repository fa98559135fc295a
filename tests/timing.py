"""A clock that tests own: every statement of the engine takes its time for now."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from lib.clock import set_now


class Clock:
    """The time as the database takes it; it stands still until it is moved."""

    def __init__(self) -> None:
        self.now = datetime(2031, 1, 1, 9, tzinfo=UTC)
        set_now(self.now)

    def advance(self, seconds: float) -> None:
        """Let `seconds` pass."""
        self.set(self.now + timedelta(seconds=seconds))

    def set(self, now: datetime) -> None:
        """Let it be this time."""
        self.now = now
        set_now(now)


@pytest.fixture
def clock() -> Iterator[Clock]:
    """2031-01-01 09:00 UTC, standing still."""
    yield Clock()
    set_now(None)
