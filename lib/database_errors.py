"""What the database raises: when it is away, and when it only refused or ended one statement."""

import logging

import psycopg
from django.db import DataError, InterfaceError, OperationalError

from lib.messages import first_line

OPERATIONAL_ERRORS = (OperationalError, InterfaceError, psycopg.OperationalError, psycopg.InterfaceError)
"""What is no fault of the statement's text or values: the ORM raises Django's errors, statements in `.sql` files
psycopg's own. A deadlock, or a statement that took too long, is one as well as a database that is away (`is_away`).
"""

# Connection errors, too few resources (also too many connections), the operator's interventions, system errors; and the
# transaction that idled for too long, which costs the connection. Not 57014: that is one statement's timeout.
_AWAY = ("08", "53", "57P", "58", "25P03")

# Said by a server that is there: it had no room for a connection, or has rolled back what idled for too long.
_REFUSED = ("53", "25P03")

# The driver's own refusal, a byte that is no character, an escape of JSON that is none.
_NO_TEXT = (None, "22021", "22P05")


def is_away(error: BaseException) -> bool:
    """Whether nothing can be done in the database at present, rather than not this: then trying the next is idle."""
    state = _state(error)
    # Without one nobody answered: it was our side that noticed.
    return isinstance(error, OPERATIONAL_ERRORS) if state is None else state.startswith(_AWAY)


def may_have_committed(error: BaseException) -> bool:
    """Whether nobody knows if what was under way was committed: the connection was lost, not refused or given up."""
    state = _state(error)
    return is_away(error) and not (state or "").startswith(_REFUSED)


def is_no_text(error: BaseException) -> bool:
    """Whether a value is a text that no database holds, as with a NUL character: the fault of whoever sent it."""
    return isinstance(error, DataError | psycopg.DataError) and _state(error) in _NO_TEXT


def is_lock_timeout(error: BaseException) -> bool:
    """Whether a statement waited for a lock as long as it may."""
    return _state(error) == "55P03"


def _state(error: BaseException) -> str | None:
    """The SQLSTATE that the server gave; None where it was not asked, or did not answer."""
    cause = error if isinstance(error, psycopg.Error) else error.__cause__
    state: str | None = getattr(cause, "sqlstate", None)
    return state


def log_database_error(log: logging.Logger, who: str, error: Exception) -> None:
    """A database that is away is a line of the log; whatever else it says is a defect of ours, and has a traceback."""
    if is_away(error):
        log.warning("%s lost the database (%s)", who, first_line(error))
    else:
        log.error("%s failed in the database", who, exc_info=error)
