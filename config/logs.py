"""What of other people's log lines is worth a line here."""

import logging
import re
import traceback

_TALKATIVE = ("celery.worker", "celery.beat", "kombu")


class OneLine(logging.Filter):
    """Celery tells a lost Redis with pages of traceback from each process: the error and its place say as much.

    Errors of tasks, and whatever is not Celery's own machinery, keep their traceback.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Never drops a record."""
        if record.name.startswith(_TALKATIVE) and record.exc_info and (error := record.exc_info[1]):
            last = (traceback.extract_tb(error.__traceback__) or [None])[-1]
            place = f", {last.filename.rpartition('site-packages/')[2]}:{last.lineno}" if last else ""
            reason = (str(error).strip().splitlines() or [""])[0]
            said = record.getMessage()
            record.msg, record.args = "%s (%s: %s%s)", (said, type(error).__name__, reason, place)
            record.exc_info = record.exc_text = None
        return True


class NoTokens(logging.Filter):
    """The address of an inbound webhook is half of its secret: whoever logs one, logs it without its token."""

    _TOKEN = re.compile(r"(/hooks/)[^\s\"'?/<>]+")

    def filter(self, record: logging.LogRecord) -> bool:
        """Never drops a record."""
        said = record.getMessage()
        if "/hooks/" in said:
            record.msg, record.args = self._TOKEN.sub(r"\1...", said), ()
        return True
