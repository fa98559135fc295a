"""As the tests of runs: the clock, sound tables after each test; and the browser of the tests of pages."""

from tests.runs.conftest import _sound, before
from tests.serving import site
from tests.timing import clock
from tests.web.conftest import ann, chromium, window

__all__ = ["_sound", "ann", "before", "chromium", "clock", "site", "window"]
