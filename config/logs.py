"""What of other people's log lines is worth a line here."""

import json
import logging
import os
import re
import select
import time
import traceback
from datetime import UTC, datetime

from config import environment
from config.limits import LOG_LINE_CHARACTERS, LOG_TEXT_CHARACTERS, LOGGED_MESSAGES, SHORT_LOG_TEXT_CHARACTERS
from lib import log_context
from lib.api import PREFIXES
from lib.messages import cut_line, named

_TALKATIVE = ("celery.worker", "celery.beat", "kombu", "opentelemetry")
_SELDOM_SECONDS = 30.0
_PATIENCE_MS = 200
_STDERR = 2


class Line(logging.Formatter):
    """When, how bad, who, what. Under the supervisor the time is left to it: it stamps every line of everybody."""

    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"

    def __init__(self) -> None:
        stamp = "" if os.environ.get("HANDOFF_SUPERVISED") else "{asctime} "
        super().__init__(stamp + "{levelname} {name}: {message}", style="{")


class JsonLine(logging.Formatter):
    """One JSON object a line, for who collects logs: `time`, `level`, `logger`, `message`, the `error` with its
    traceback, and what it is about (`request`; `run`, `step`, `attempt`, `trace`).
    """

    def format(self, record: logging.LogRecord) -> str:
        """The record as JSON; what is too long for a line of the supervisor is cut."""
        line = self._line(record, LOG_TEXT_CHARACTERS)
        return line if len(line) <= LOG_LINE_CHARACTERS else self._line(record, SHORT_LOG_TEXT_CHARACTERS)

    def _line(self, record: logging.LogRecord, most: int) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        fields: dict[str, str | int] = {
            "time": at.replace("+00:00", "Z"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage()[:most],
            **log_context.current(),
        }
        if record.exc_info:
            # What went wrong stands at the end of a traceback.
            fields["error"] = self.formatException(record.exc_info)[-most:]
        return json.dumps(fields)


def formatter() -> logging.Formatter:
    """As `HANDOFF_LOG_FORMAT` asks: lines for people, or JSON."""
    return JsonLine() if environment.log_format() == environment.JSON else Line()


class Console(logging.Handler):
    """Standard error, without ever waiting for who reads it for long: a supervisor that is stopped (Ctrl-Z) leaves the
    pipe full, and whoever logs would stand still with it. It costs lines then, and says how many.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lost = 0
        self._is_cut = False
        self._poll = select.poll()
        self._poll.register(_STDERR, select.POLLOUT)

    def emit(self, record: logging.LogRecord) -> None:
        """Write it, unless the pipe is full."""
        try:
            rest = whole = f"{self.format(record)}\n".encode(errors="backslashreplace")
            if self._lost and self._has_room():
                end = "\n" if self._is_cut else ""
                os.write(_STDERR, f"{end}{self._lost} lines of the log are lost\n".encode())
                self._lost, self._is_cut = 0, False
            while rest and self._has_room():
                # A pipe that has room has room for this much.
                rest = rest[os.write(_STDERR, rest[: select.PIPE_BUF]) :]
            self._lost += bool(rest)
            self._is_cut |= 0 < len(rest) < len(whole)
        except Exception:
            self.handleError(record)

    def _has_room(self) -> bool:
        return bool(self._poll.poll(0 if self._lost else _PATIENCE_MS))


class Seldom(logging.Filter):
    """What Celery's machinery says again and again while Redis is away, full or read-only is said twice a minute; and
    what OpenTelemetry's says while nobody takes spans.
    """

    def __init__(self) -> None:
        super().__init__()
        self._said: dict[tuple[str, str], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether this was not said just before."""
        if not record.name.startswith(_TALKATIVE):
            return True
        now, key = time.monotonic(), (record.name, str(record.msg)[:60])
        if now - self._said.get(key, -_SELDOM_SECONDS) < _SELDOM_SECONDS:
            return False
        if len(self._said) > LOGGED_MESSAGES:
            self._said.clear()
        self._said[key] = now
        return True


class OneLine(logging.Filter):
    """Celery tells a lost Redis with pages of traceback from each process: the error and its place say as much.

    Errors of tasks, and whatever is not Celery's own machinery, keep their traceback.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Never drops a record."""
        if record.name.startswith(_TALKATIVE) and record.exc_info and (error := record.exc_info[1]):
            last = (traceback.extract_tb(error.__traceback__) or [None])[-1]
            place = f", {last.filename.rpartition('site-packages/')[2]}:{last.lineno}" if last else ""
            record.msg, record.args = "%s (%s%s)", (cut_line(record.getMessage()), named(error), place)
            record.exc_info = record.exc_text = None
        return True


class NotTwice(logging.Filter):
    """Django tells of each answer that is an error of ours; the API has told its incident, with its id, already."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether nobody has told it."""
        request = getattr(record, "request", None)
        of_api = request is not None and request.path.startswith(PREFIXES)
        return not (of_api and getattr(record, "status_code", 0) >= 500 and record.exc_info is None)


class NoTokens(logging.Filter):
    """The address of an inbound webhook is half of its secret, that of a link to set a password all of it: whoever
    logs one, logs it without its token.
    """

    _TOKEN = re.compile(r"(/hooks/|/password/link/)[^\s\"'?/<>]+")

    def filter(self, record: logging.LogRecord) -> bool:
        """Never drops a record."""
        message = record.getMessage()
        if "/hooks/" in message or "/password/link/" in message:
            record.msg, record.args = self._TOKEN.sub(r"\1...", message), ()
        return True
