"""Which external workers there are: each tells of itself when it polls, and that is written down every few seconds."""

import logging
import time
from collections.abc import Sequence

from lib.database_errors import OPERATIONAL_ERRORS, log_database_error
from runs.limits import KNOWN_CONTACTS
from runs.store import jobs

log = logging.getLogger(__name__)

SECONDS = 5.0
"""So old the last contact that is written down may be."""
_written: dict[tuple[int, str], float] = {}

Contact = tuple[str, str | None, int | None]
"""A worker's id, and what it said of itself: its version, and how many jobs it does at once."""


def note(tenant: int, queues: Sequence[str], contacts: Sequence[Contact]) -> None:
    """Write down that these workers have polled for these queues, those of which that was done just before apart.

    One statement. A poll never fails by it.
    """
    now = time.monotonic()
    due = {one[0]: one for one in contacts if now - _written.get((tenant, one[0]), -SECONDS) >= SECONDS}
    if not due:
        return
    if len(_written) > KNOWN_CONTACTS:
        _written.clear()
    _written.update(dict.fromkeys(((tenant, worker) for worker in due), now))
    rows: list[jobs.ContactRow] = [
        {"worker": worker, "version": version, "slots": slots} for worker, version, slots in due.values()
    ]
    try:
        jobs.workers_polled(tenant, queues, rows)
    except OPERATIONAL_ERRORS as error:
        log_database_error(log, "The list of workers", error)
