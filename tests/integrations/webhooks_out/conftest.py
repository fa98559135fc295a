"""The clock, sound tables after each test, callers of the API, and a browser."""

from tests.api.conftest import api, people
from tests.runs.conftest import _sound
from tests.serving import site
from tests.timing import clock
from tests.web.conftest import ann, chromium, stranger, visitor, window

__all__ = ["_sound", "ann", "api", "chromium", "clock", "people", "site", "stranger", "visitor", "window"]
