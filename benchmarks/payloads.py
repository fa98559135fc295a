"""What large payloads cost that steps hand on, kept beside the database, or with `HANDOFF_BLOBS=off` in their rows."""

import secrets
import time
from itertools import pairwise
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.db import connection

from benchmarks.scenarios import publish_definition, started, wait_for

MIB: Final = 1024 * 1024
STEPS: Final = 5


def handed_on(runs: int, size: int) -> dict[str, Any]:
    """So many runs of a chain that is started with a text of `size` bytes which can't be packed."""
    names = [f"s{place}" for place in range(STEPS)]
    edges = [{"from": one, "to": two} for one, two in pairwise(names)]
    version = publish_definition([{"id": name, "type": "noop"} for name in names], edges)
    wal = _wal_bytes()
    began = time.monotonic()
    started(version, runs, lambda _: {"text": secrets.token_hex(size // 2)})
    wait_for(version, runs)
    took = time.monotonic() - began
    return {
        "runs": runs,
        "MiB a run": round(size / MIB, 2),
        "seconds": round(took, 2),
        "steps/s": round(runs * STEPS / took),
        "MiB of write-ahead log a run": round((_wal_bytes() - wal) / runs / MIB, 2),
        "MiB of files in all": round(_bytes_of_files() / MIB, 1),
    }


def _wal_bytes() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn")
        return int(cursor.fetchone()[0])


def _bytes_of_files() -> int:
    """Those of the folder of payloads; 0 where there is none."""
    if not settings.HANDOFF_BLOBS:
        return 0
    folder = Path(unquote(urlsplit(settings.HANDOFF_BLOBS).path))
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
