"""The clock, for tests of this folder."""

from tests.timing import clock

__all__ = ["clock"]
