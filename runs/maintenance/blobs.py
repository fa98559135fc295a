"""Payloads beside the database that nothing refers to: what they were kept for was never committed.

A payload goes into the folder of the day on which it is written, and each day is looked through once, when no
transaction can be open any more that was begun on it: so nothing is removed that somebody is about to refer to.
"""

import logging
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice

from lib.blobs import BlobAway, Blobs
from runs.store import blobs as statements
from runs.store import payloads
from runs.store.references import parsed

log = logging.getLogger(__name__)

BATCH = 500
TICK_SECONDS = 2.0
DAYS = 2

# How far this process has come with a day: it goes on there with the next tick.
_begun: dict[str, Iterator[str]] = {}


def sweep(seconds: float = TICK_SECONDS) -> int:
    """Look through days that are over, for about so many seconds; gives how many payloads were removed."""
    store = payloads.store()
    if store is None:
        return 0
    try:
        return _sweep(store, time.monotonic() + seconds)
    except BlobAway as error:
        log.warning("Payloads that nothing refers to are looked for later: %s", error.message)
        return 0


def _sweep(store: Blobs, until: float) -> int:
    removed = 0
    for day in _days(store):
        keys = _begun.pop(day, None) or store.keys(day)
        while batch := [*islice(keys, BATCH)]:
            removed += _remove_unused(store, batch)
            if time.monotonic() > until:
                _begun[day] = keys
                return removed
        statements.note_swept(day)
    return removed


def _days(store: Blobs) -> list[str]:
    last = (datetime.now(UTC) - timedelta(days=DAYS)).strftime("%Y%m%d")
    there = [day for day in store.prefixes() if len(day) == len(last) and day.isdecimal() and day <= last]
    swept = statements.swept_days() if there else set()
    return [day for day in there if day not in swept]


def _remove_unused(store: Blobs, keys: list[str]) -> int:
    """Remove those that no row refers to, and what an interrupted write has left."""
    references = [reference for reference in map(parsed, keys) if reference is not None]
    unused = {*keys} - statements.used_blobs(references)
    if unused:
        store.delete(sorted(unused))
    return len(unused)
