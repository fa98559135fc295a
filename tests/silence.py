"""Ends a test process in which nothing begins or ends for a long time, and says where each of its threads is.

`timeout` ends a test that hangs, but not a process that hangs between two tests or in C code: without this, `make test`
would wait for it and never say what it was.
"""

import faulthandler
import os
import sys

import pytest

SECONDS = 1_200.0
"""Longer than `timeout` of pyproject.toml for a test, its fixtures and their end."""


class Silence:
    """A plug-in of pytest. `runs_tests`: whether this process runs tests itself. One that only distributes them waits
    longer, so that it can name the test whose process has ended.
    """

    def __init__(self, seconds: float = SECONDS, *, runs_tests: bool = True) -> None:
        self._seconds = seconds if runs_tests else 1.5 * seconds
        # While a test runs, descriptor 2 is pytest's.
        self._stderr = os.dup(sys.__stderr__.fileno() if sys.__stderr__ else 2)
        self._begin()

    def pytest_collection_finish(self) -> None:
        """Begin anew: the tests are collected."""
        self._begin()

    def pytest_runtest_logstart(self) -> None:
        """Begin anew: a test begins."""
        self._begin()

    def pytest_runtest_logreport(self) -> None:
        """Begin anew: a part of a test has ended."""
        self._begin()

    def pytest_unconfigure(self) -> None:
        """Stop: what ends the session has bounds of its own."""
        faulthandler.cancel_dump_traceback_later()

    def _begin(self) -> None:
        # A thread of C code, which needs no interpreter.
        faulthandler.dump_traceback_later(self._seconds, exit=True, file=self._stderr)


def is_bounded(config: pytest.Config) -> bool:
    """Whether tests of this session have a time at which they are ended: `make soak` gives none."""
    return config.getoption("timeout") != 0
