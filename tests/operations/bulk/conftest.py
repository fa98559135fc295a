"""As the tests of runs: the clock, and sound tables after each test."""

from tests.runs.conftest import _sound, before
from tests.timing import clock

__all__ = ["_sound", "before", "clock"]
