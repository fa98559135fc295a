"""As the tests of runs and of the API: the clock, sound tables after each test, callers."""

from tests.api.conftest import anonymous, api, furnished, ours, people
from tests.runs.conftest import _sound, before
from tests.timing import clock

__all__ = ["_sound", "anonymous", "api", "before", "clock", "furnished", "ours", "people"]
