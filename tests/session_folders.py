"""The folder of a session of tests; those of sessions that were killed are removed by the next."""

import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

_NAME = "handoff-test-"


def made(where: Path) -> tuple[Path, int]:
    """A new folder in there, and the descriptor whose lock holds it until it is closed or its process ends."""
    unseen = Path(tempfile.mkdtemp(prefix=f".{_NAME}", dir=where))
    lock = os.open(unseen, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    # Under this name others find it, and may remove it where it is not locked yet.
    return unseen.rename(where / unseen.name.removeprefix(".")), lock


def remove_left(where: Path) -> None:
    """Those in there whose locks nobody holds."""
    for left in where.glob(f"{_NAME}*"):
        with suppress(OSError):
            folder = os.open(left, os.O_RDONLY)
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left, ignore_errors=True)
            finally:
                os.close(folder)
