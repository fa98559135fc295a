"""The browser of the tests of pages."""

from tests.serving import site
from tests.web.conftest import ann, another, chromium, stranger, visitor, window

__all__ = ["ann", "another", "chromium", "site", "stranger", "visitor", "window"]
