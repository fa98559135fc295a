"""`Idempotency-Key`: a POST that is sent again with its key is not done again, but answered as it was (R-163).

What is done and its answer are committed together: whoever got no answer, because the server or the network was lost,
finds both when it asks again, or neither. Who asks meanwhile waits for the first one's answer. A refusal keeps nothing,
since it did nothing. Answers may have secrets in them (a new token), so they are sealed.
"""

import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import orjson
from django.db import connection, transaction
from psycopg.pq import TransactionStatus

from accounts import sealed
from accounts.principal import Principal
from lib.named_sql import Statements
from lib.refusals import Conflict, Invalid, Unprocessable
from lib.sealing import CannotOpen, Hidden, KeyRing, Place
from lib.uuid7 import uuid7

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
KEPT_HOURS = 24
LONGEST = 255
# What is asked may wait for others while it holds no lock but its key's: a scan of a file, the cases of a workflow.
_IDLE = "75s"
_NO_KEY = "Answers are kept sealed, and that is not possible: {}."
_SQL = Statements(Path(__file__).parent / "sql")


@dataclass(frozen=True, slots=True)
class Asked:
    """A request and its key, as one of a principal's; `digest` is the SHA-256 of what is asked."""

    principal: Principal
    key: str
    digest: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as it was sent."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def asked(principal: Principal, key: str, where: str, body: bytes) -> Asked:
    """What somebody asks by a POST to `where` (path and query) with this key. Raises Invalid for a bad key."""
    if len(key) > LONGEST or not re.fullmatch(r"[!-~]+", key):
        raise Invalid(f"A key has 1 to {LONGEST} visible characters of ASCII.", field=HEADER)
    return Asked(principal, key, sha256(where.encode() + b"\n" + body).digest())


class Once:
    """What is done once: `kept` is the answer that was given before; else `answer` is the one to keep."""

    def __init__(self, kept: Answer | None) -> None:
        self.kept = kept
        self.answer: Answer | None = None


@contextmanager
def once(wanted: Asked) -> Iterator[Once]:
    """A transaction in which the request is done, unless it was, and its answer is kept. What is done in it is undone
    where it ends without an answer that says so: by an error of the server (500 and above) or of the database.

    Raises Unprocessable `key_reused` where something else was asked with this key, and Conflict `master_key_missing`
    where no answer can be sealed or opened.
    """
    named = {"tenant": wanted.principal.tenant_id, "user": wanted.principal.user_id, "key": wanted.key}
    # Before the transaction: a tenant's first key, made in it, would keep all others waiting until its end.
    ring = _ring_of(wanted.principal.tenant_id)
    with transaction.atomic():
        _SQL.execute("hold_key", {**named, "idle": _IDLE})
        found = _SQL.execute("find_answer", {**named, "hours": KEPT_HOURS}).fetchone()
        if found and bytes(found[1]) != wanted.digest:
            message = f"Something else was asked with this key less than {KEPT_HOURS} hours ago."
            raise Unprocessable(message, code="key_reused", field=HEADER)
        doing = Once(_opened(ring, _place(wanted, str(found[0])), bytes(found[2])) if found else None)
        yield doing
        if doing.kept is None:
            _end(wanted, ring, doing.answer)


def _end(wanted: Asked, ring: KeyRing, answer: Answer | None) -> None:
    is_broken = connection.connection.info.transaction_status != TransactionStatus.INTRANS
    if is_broken or connection.needs_rollback or answer is None or answer.status >= 500:
        transaction.set_rollback(True)
    elif answer.status < 400:
        made = uuid7()
        _SQL.execute(
            "keep_answer",
            {
                "id": made,
                "tenant": wanted.principal.tenant_id,
                "user": wanted.principal.user_id,
                "key": wanted.key,
                "digest": wanted.digest,
                "answer": _sealed(ring, _place(wanted, made), answer),
            },
        )


def forget(limit: int) -> int:
    """Remove up to so many answers whose time is over; gives how many."""
    return _SQL.execute("forget_answers", {"limit": limit, "hours": KEPT_HOURS}).rowcount


def _ring_of(tenant: int) -> KeyRing:
    try:
        return sealed.ring_of(tenant)
    except CannotOpen as problem:
        raise Conflict(_NO_KEY.format(problem), code="master_key_missing", field=HEADER) from None


def _sealed(ring: KeyRing, place: Place, answer: Answer) -> bytes:
    head = orjson.dumps([answer.status, dict(answer.headers)])
    return ring.seal(Hidden(zlib.compress(head + b"\n" + answer.body, 1)), place)


def _opened(ring: KeyRing, place: Place, value: bytes) -> Answer:
    try:
        opened = ring.open(value, place).reveal()
    except CannotOpen as problem:
        raise Conflict(_NO_KEY.format(problem), code="master_key_missing", field=HEADER) from None
    head, _, body = zlib.decompress(opened).partition(b"\n")
    status, headers = orjson.loads(head)
    return Answer(status, headers, body)


def _place(wanted: Asked, made: str) -> Place:
    return Place(wanted.principal.tenant_id, f"kept_answer {made}", "answer")
