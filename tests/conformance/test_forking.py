"""Who plays cases of Python goes on after one that took too long."""

import os

import pytest

from config.embedded.processes import wait_until
from tests.forking import Forking

pytestmark = pytest.mark.processes

PROGRAM = """\
import signal, sys
if __name__ == "__main__":
    print(sys.argv[1])
    if sys.argv[1] == "hang":
        signal.pause()
"""


@pytest.fixture
def who(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    forking = Forking(program, dict(os.environ))
    yield forking
    forking.leave()


def play(who, tmp_path, word):
    """Begin a case; gives the file of what it says."""
    said = tmp_path / word
    who.begin([word], dict(os.environ), said, tmp_path / "trouble")
    return said


def test_the_next_case_is_played_after_one_that_was_killed(who, tmp_path):
    play(who, tmp_path, "hang")
    assert who.poll() is None
    who.kill()
    said = play(who, tmp_path, "well")
    codes = []
    wait_until(lambda: codes.append(who.poll()) or codes[-1] is not None, 20, lambda: "the case")
    assert codes[-1] == 0
    assert said.read_text() == "well\n"
    who.kill()


def test_that_who_forks_has_died_is_said(who, tmp_path):
    who.leave()
    with pytest.raises(ChildProcessError, match="ended with -9"):
        play(who, tmp_path, "well")
