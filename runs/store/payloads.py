"""Values too large for a row: kept beside the database when they are written, read whole where somebody computes with
them (R-073, docs/decisions/0021-large-payloads.md).
"""

import json
import logging
import os
import time
from dataclasses import replace
from functools import cache
from hashlib import sha256
from uuid import UUID

import orjson
from django.conf import settings

from engine.catalogue import Json
from lib import crash_points
from lib.blobs import CHANGED, BadBlobStore, BlobAway, BlobChanged, BlobError, BlobMissing, Blobs, opened
from lib.stored_json import stored_loads
from runs.limits import WHOLE_VALUE_BYTES
from runs.store.attempts import AttemptResult, ClaimedStep, Errored, SkippedByOperator, Succeeded
from runs.store.references import MARK, Reference, reference_of, references_in
from runs.store.rows import StepRow

log = logging.getLogger(__name__)


def store() -> Blobs | None:
    """Where large values are kept; None where nobody said so: then they stay in their rows."""
    return _opened(settings.HANDOFF_BLOBS, os.getpid()) if settings.HANDOFF_BLOBS else None


@cache
def _opened(url: str, _pid: int) -> Blobs:
    # A client of a forked process is not the parent's.
    return opened(url)


def fitted(tenant: int, run: str, encoded: bytes) -> bytes:
    """A strict JSON text as it goes into a row of a run: itself, or a reference to where it is kept.

    Where the store is away the value stays in its row: that is dearer, and nothing waits. A text in which somebody has
    written what a reference looks like is kept beside whatever its size, so that all references in rows are ours.
    """
    if not _is_large(encoded) or (blobs := store()) is None:
        return encoded
    text = _canonical(encoded)
    reference = Reference(_today(), tenant, run, sha256(text).hexdigest(), len(text))
    crash_points.hit("before_blob")
    try:
        blobs.put(reference.key, text)
    except BlobError as error:
        log.warning("A payload of %d bytes stays in the database: %s", len(encoded), error.message)
        return encoded
    crash_points.hit("after_blob")
    return orjson.dumps(reference.as_json())


def _today() -> str:
    return time.strftime("%Y%m%d", time.gmtime())


def digest_of(encoded: bytes) -> str | None:
    """By what a reference to this text would be known, to compare it with one; None for what stays in its row."""
    return sha256(_canonical(encoded)).hexdigest() if _is_large(encoded) else None


def _is_large(encoded: bytes) -> bool:
    return len(encoded) > settings.HANDOFF_BLOB_BYTES or MARK in encoded


def _canonical(encoded: bytes) -> bytes:
    """The same value in one spelling, for an object says the same in any order."""
    return orjson.dumps(orjson.loads(encoded), option=orjson.OPT_SORT_KEYS)


def fitted_value(tenant: int, run: str, value: Json) -> Json:
    """The same of a value, for a document; what can't be written as one is left to whoever writes it."""
    if not isinstance(value, dict | list | str):
        return value
    try:
        encoded = orjson.dumps(value)
    except TypeError:
        return value
    fitting = fitted(tenant, run, encoded)
    return value if fitting is encoded else orjson.Fragment(fitting)


def fit_step(tenant: int, run: str, row: StepRow) -> None:
    """Have a new step's input and output fit into its row."""
    if "input" in row:
        row["input"] = fitted_value(tenant, run, row["input"])
    if "output" in row:
        row["output"] = fitted_value(tenant, run, row["output"])


def fitted_result(step: ClaimedStep, result: AttemptResult) -> AttemptResult:
    """An attempt's result, whose output goes into the row of its step as it fits there.

    Where a step goes on may depend on what can't be read: then it has failed. Raises BlobAway.
    """
    if step.unreadable is not None and isinstance(result, Succeeded):
        return replace(lost(step.unreadable), timer=result.timer)
    if not isinstance(result, Succeeded | SkippedByOperator):
        return result
    encoded = result.encoded
    if encoded is None:
        if not isinstance(result.output, dict | list | str):
            return result
        try:
            encoded = orjson.dumps(result.output)
        except TypeError:
            # Writing it will say so.
            return result
    fitting = fitted(step.tenant_id, step.run_id, encoded)
    return result if fitting is result.encoded else replace(result, encoded=fitting)


def unread(error: BlobError) -> Errored:
    """How an attempt ends that needs what can't be had; where only the store is away it makes sense to try again."""
    is_away = isinstance(error, BlobAway)
    details: dict[str, Json] = {"reason": error.code}
    attempt_error = {
        "code": "PayloadUnreadable",
        "message": error.message,
        "details": details,
        "retryable": is_away,
    }
    return Errored(attempt_error, retryable=is_away)


def lost(error: BlobError) -> Errored:
    """How a wait ends that was to bring what can't be had. Raises BlobAway where it may be had later."""
    if isinstance(error, BlobAway):
        raise error
    return unread(error)


def whole(tenant: int, value: Json) -> Json:
    """A value of a tenant's row with all that is kept beside it in its places.

    Raises BlobMissing and BlobChanged where it is not what was written, BlobAway where the store is.
    """
    if not has_references(value):
        return value
    if size_of(value) > WHOLE_VALUE_BYTES:
        raise BlobError(f"These payloads come to more than {WHOLE_VALUE_BYTES:,} bytes together.")
    return _filled(tenant, value)


def trouble() -> str | None:
    """What keeps payloads from being written, read and removed in the store that there is; None where nothing does."""
    raw = orjson.dumps("Handoff looks whether payloads can be kept here.")
    probe = Reference(_today(), 0, str(UUID(int=0)), sha256(raw).hexdigest(), len(raw))
    try:
        blobs = store()
        if blobs is not None:
            blobs.put(probe.key, raw)
            blobs.get(probe.key, len(raw))
            blobs.delete([probe.key])
    except (BlobError, BadBlobStore) as error:
        return str(error)
    return None


def has_references(value: Json) -> bool:
    """Whether something of a value is kept beside the database."""
    if not isinstance(value, dict | list):
        return False
    try:
        return MARK in orjson.dumps(value)
    except TypeError:
        # What PostgreSQL gives back may have integers that no text of ours can have.
        return any(True for _ in references_in(value))


def is_larger(value: Json, most: int) -> bool:
    """Whether a value comes to more than so many bytes with what is kept beside the database; one of which nothing is
    was measured by who read it.
    """
    return has_references(value) and size_of(value) > most


def size_of(value: Json) -> int:
    """How many bytes of JSON a value takes, with all that is kept beside it."""
    beside = sum(one.size - len(orjson.dumps(one.as_json())) for one in references_in(value))
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()) + beside


def _filled(tenant: int, value: Json) -> Json:
    if (reference := reference_of(value)) is not None:
        return _read(tenant, reference)
    if isinstance(value, dict):
        return {name: _filled(tenant, part) for name, part in value.items()}
    if isinstance(value, list):
        return [_filled(tenant, part) for part in value]
    return value


def _read(tenant: int, reference: Reference) -> Json:
    blobs = store()
    if blobs is None:
        raise BlobAway("This payload is kept outside the database, and HANDOFF_BLOBS doesn't say where.")
    if reference.tenant != tenant:
        raise BlobMissing("This payload is another tenant's.")
    raw = blobs.get(reference.key, reference.size)
    if len(raw) != reference.size or sha256(raw).hexdigest() != reference.sha256:
        raise BlobChanged(CHANGED.format(key=reference.key))
    return stored_loads(raw.decode())
