"""Ids rise: within a process always, and between processes of a machine where one is made because of the other."""

import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from uuid import RFC_4122, UUID

from lib.uuid7 import uuid7

ROOT = Path(__file__).parents[2]
ANSWERS = "import sys; from lib.uuid7 import uuid7\nfor _ in sys.stdin: print(uuid7(), flush=True)"


def test_an_id_is_a_uuid_of_version_7():
    made = UUID(uuid7())
    assert (made.version, made.variant, str(made)) == (7, RFC_4122, str(made).lower())


def test_ids_of_a_process_rise_however_fast_they_are_made():
    made = [uuid7() for _ in range(20_000)]
    assert all(earlier < later for earlier, later in pairwise(made))


def test_what_another_process_makes_in_answer_sorts_later():
    """Within a millisecond, too: a step is listed behind the one that caused it."""
    made = []
    with subprocess.Popen(
        [sys.executable, "-c", ANSWERS], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        for _ in range(500):
            made.append(uuid7())
            print(made[-1], file=other.stdin, flush=True)
            made.append(other.stdout.readline().strip())
        other.stdin.close()
    assert made == sorted(made)
