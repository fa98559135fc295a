"""Each module gets its own running Handoff, and nothing of it stays."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator

import pytest

from tests.acceptance.running import Handoff


@pytest.fixture(scope="module")
def handoff(tmp_path_factory) -> Iterator[Handoff]:
    """A Handoff that has been started; a test that stops it starts it again."""
    one = Handoff(tmp_path_factory.mktemp("up") / "home")
    one.start_and_wait()
    yield one
    end(one)


def end(one: Handoff) -> None:
    """Stop it whatever state it is in."""
    if one.process is None:
        return
    if one.process.poll() is None:
        one.process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            one.process.wait(40)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(one.process.pid, signal.SIGKILL)
