"""One tick of a kind at a time, however many beats and tick workers run."""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def alone(duty: str) -> Iterator[bool]:
    """Whether this process may do `duty` now: False while another does it. Holds an advisory lock, so be quick."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [zlib.crc32(duty.encode())])
        yield bool(cursor.fetchone()[0])
