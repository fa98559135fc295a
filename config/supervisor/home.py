"""The folder of one Handoff: private, locked by one supervisor, with the secrets and run.json."""

import fcntl
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from config.embedded.private_files import kept_secret, private_folder, write_private
from config.supervisor.errors import CannotStart


@dataclass(frozen=True)
class Home:
    """`folder` is HANDOFF_HOME."""

    folder: Path

    @property
    def run_file(self) -> Path:
        return self.folder / "run.json"

    def open(self) -> TextIO:
        """Make the home private and lock it; the lock lasts as long as the file given back is open.

        Raises CannotStart where the folder cannot be written or another supervisor has it.
        """
        try:
            private_folder(self.folder)
            lock = (self.folder / "supervisor.lock").open("a+")
        except OSError as problem:
            raise CannotStart(
                f"The home {self.folder} cannot be written ({problem.strerror}): set HANDOFF_HOME to a folder you own."
            ) from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.seek(0)
            raise CannotStart(
                f"Another Handoff (pid {lock.read().strip() or '?'}) already runs on the home {self.folder}:"
                " stop it, or set HANDOFF_HOME and HANDOFF_PORT to run a second one."
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        return lock

    def is_taken(self) -> bool:
        """Whether a supervisor runs on this home. (Pids in run.json may be somebody else's by now; a lock cannot.)"""
        try:
            lock = (self.folder / "supervisor.lock").open()
        except OSError:
            return False
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                return True
        return False

    def keep_secrets(self) -> None:
        """Make up the keys that sign sessions and wrap stored secrets, unless the environment has them."""
        if not os.environ.get("HANDOFF_SECRET_KEY"):
            kept_secret(self.folder / "secret-key", 64)
        if not os.environ.get("HANDOFF_MASTER_KEY"):
            kept_secret(self.folder / "master-key", 32)

    def empty_counts(self) -> Path:
        """The folder in which processes count what they do, without what those of an earlier start have counted."""
        counts = private_folder(self.folder / "run" / "counts")
        for left in counts.glob("*.db"):
            left.unlink(missing_ok=True)
        return counts

    def write_run_file(self, facts: Mapping[str, object]) -> None:
        """Tell other processes where everything is."""
        write_private(self.run_file, json.dumps(facts, indent=2) + "\n")

    def forget_run_file(self) -> None:
        """After this nobody takes Handoff for running."""
        self.run_file.unlink(missing_ok=True)
