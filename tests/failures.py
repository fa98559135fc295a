"""A plug-in of pytest (`-p tests.failures`): writes down what failed, for `scripts/test_twice`."""

import json
import os
from pathlib import Path

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, exitstatus: int) -> None:
    """The exit status, and each test that failed, or could not begin or end, with what it said: into the file that
    TEST_FAILURES names.
    """
    failed: dict[str, str] = {}
    for report in [*terminalreporter.getreports("failed"), *terminalreporter.getreports("error")]:
        # A test may fail, and its process may hang in its end.
        failed[report.nodeid] = "\n".join(filter(None, [failed.get(report.nodeid), report.longreprtext]))
    found = {"status": int(exitstatus), "failed": failed}
    Path(os.environ["TEST_FAILURES"]).write_text(json.dumps(found))
