"""Refusals (403), counted in memory and written once a minute: a record for each principal and route.

They are written outside the transactions that were refused. Whoever is refused a thousand times a second costs one
write a minute in each process. A process that is killed loses the counts of its last minute.
"""

import atexit
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

import psycopg
from django.db import DatabaseError, close_old_connections, connection

from accounts.audit.origin import Origin
from accounts.audit.records import Row, add, row
from accounts.limits import REFUSAL_COUNTERS
from accounts.principal import Principal
from lib.database_errors import OPERATIONAL_ERRORS

logger = logging.getLogger("handoff.audit")

SECONDS = 60.0
REFUSED, OTHERS = "refused", "other routes and principals"
_BATCH = 500


@dataclass(slots=True)
class _Count:
    row: Row
    first: datetime


_Key = tuple[int, int, str]


class Refusals:
    """The refusals of a process since they were last written."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._counts: dict[_Key, _Count] = {}
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    def note(self, principal: Principal, route: str, origin: Callable[[], Origin]) -> None:
        """Somebody was refused on this route."""
        key = (principal.tenant_id, principal.user_id, route)
        with self._lock:
            self._begin_timer()
            if len(self._counts) >= REFUSAL_COUNTERS and key not in self._counts:
                key, route = (principal.tenant_id, 0, OTHERS), OTHERS
            if (known := self._counts.get(key)) is not None:
                known.row["count"] += 1
                return
            self._counts[key] = _Count(_row(principal, route, origin()), datetime.now(UTC))
        logger.info(
            "refused %s %r via %s in %s", route, principal.username, principal.via, principal.tenant_slug
        )

    def write(self) -> int:
        """Write what was counted, in batches; gives how many records were written.

        Raises one of OPERATIONAL_ERRORS: what is not written yet is counted on. Where the connection was lost while a
        batch was committed (`lib.database_errors.may_have_committed`), the batch may be counted twice. A batch that the
        database refuses for another reason is dropped, and logged.
        """
        with self._lock:
            counts, self._counts, self._timer = self._counts, {}, None
        left, total = list(counts.items()), 0
        while left:
            batch = left[:_BATCH]
            try:
                add([one.row | {"after": f'{{"since":"{one.first.isoformat()}"}}'} for _, one in batch])
                total += len(batch)
            except OPERATIONAL_ERRORS:
                self._put_back(dict(left))
                raise
            except (DatabaseError, psycopg.Error):
                logger.exception("%d records of refusals could not be written", len(batch))
            del left[:_BATCH]
        return total

    def _put_back(self, counts: dict[_Key, _Count]) -> None:
        with self._lock:
            for key, one in self._counts.items():
                if (known := counts.get(key)) is None:
                    counts[key] = one
                else:
                    known.row["count"] += one.row["count"]
            self._counts = counts

    def _begin_timer(self) -> None:
        if self._timer is None:
            self._timer = threading.Timer(self._seconds, self._write_apart)
            self._timer.daemon = True
            self._timer.start()

    def _write_apart(self, *, is_last: bool = False) -> None:
        """In a thread and a connection of its own."""
        close_old_connections()
        try:
            self.write()
        except OPERATIONAL_ERRORS:
            logger.exception("Refusals could not be recorded yet")
            with self._lock:
                if not is_last:
                    self._begin_timer()
        finally:
            connection.close()

    def end(self) -> None:
        """The process ends: what is counted is written now."""
        if self._timer is not None:
            self._timer.cancel()
            self._write_apart(is_last=True)


def _row(principal: Principal, route: str, origin: Origin) -> Row:
    by = "" if route == OTHERS else principal.username
    return row(principal.tenant_id, by, principal.via, principal.token, REFUSED, route, place=origin)


here = Refusals()
atexit.register(here.end)
