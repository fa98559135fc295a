"""The lines that an attempt at a step says on its way, for people who look: so many, and so long, at most."""

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from engine.catalogue import Json
from lib.masking import Masker, secrets_in, secrets_of_process
from steps.limits import LOG_LINE_CHARACTERS, LOG_LINES, LOG_READ_CHARACTERS

LEVELS = ("info", "warning", "error")


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line as it is kept. `seq`: its number in its attempt, from 1; None: the next one that is free.

    One behind the last that is kept has no text: it tells by its number how many there were.
    """

    text: str
    level: str = "info"
    at: datetime | None = None
    seq: int | None = None


def line_text(text: str, masker: Masker) -> str:
    """A line's text as it may be stored and seen: secrets are masked, what is too long is cut and counted."""
    is_long = len(text) > LOG_READ_CHARACTERS
    clean = masker.masked(text[:LOG_READ_CHARACTERS].replace("\x00", "").encode("utf-8", "replace").decode())
    if is_long and masker.knows_all:
        # What stands where it was cut may be the beginning of a secret.
        clean = clean[: max(0, len(clean) - masker.longest)]
    if not is_long and len(clean) <= LOG_LINE_CHARACTERS:
        return clean
    note = f" … (cut: the line had {len(text):,} characters)"
    return clean[: LOG_LINE_CHARACTERS - len(note)] + note


class AttemptLog:
    """The log of one attempt. Thread-safe: while the step goes on another thread keeps what it has said.

    `step_input`: what the step was given. What has the name of a secret there, or in the environment, is masked.
    """

    __slots__ = ("_given", "_kept", "_lines", "_lock", "_masker", "_said")

    def __init__(self, step_input: Json = None) -> None:
        self._given = step_input
        self._masker: Masker | None = None
        self._lines: list[LogLine] = []
        self._said = self._kept = 0
        self._lock = threading.Lock()

    @classmethod
    def of(cls, lines: Iterable[LogLine]) -> "AttemptLog":
        """A log of lines that were said elsewhere, already fit to be kept."""
        log = cls()
        log._lines = [*lines]
        log._said = len(log._lines)
        return log

    def add(self, text: object, level: str = "info") -> None:
        """Say a line. Raises ValueError for a level that there is not."""
        if level not in LEVELS:
            raise ValueError(f"A line's level is one of {', '.join(LEVELS)}, not {level!r}.")
        if self._masker is None:
            self._masker = Masker(secrets_in(self._given) | secrets_of_process())
        now = datetime.now(UTC)
        with self._lock:
            self._said += 1
            if self._said <= LOG_LINES:
                line = LogLine(line_text(str(text), self._masker), level, now, self._said)
                self._lines.append(line)
            else:
                # One line stands for all that are too many.
                self._lines[LOG_LINES:] = [LogLine("", "warning", now, self._said)]

    @property
    def has_news(self) -> bool:
        """Whether something was said that is not kept yet."""
        return self._said > self._kept

    def news(self) -> tuple[list[LogLine], int]:
        """The lines that are not kept yet, and how many were said until now: `keep` takes that when they are."""
        with self._lock:
            lines = [line for line in self._lines if (line.seq or self._said) > self._kept]
            return lines, self._said

    def keep(self, count: int) -> None:
        """So many of what was said is kept."""
        self._kept = max(self._kept, count)
