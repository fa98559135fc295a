"""`Idempotency-Key`: a POST that is sent again with its key is not done again, but answered as it was (R-163).

What is done and its answer are committed together: whoever got no answer, because the server or the network was lost,
finds both when it asks again, or neither. Who asks meanwhile waits a moment for the first one's answer. A refusal keeps
nothing, since it did nothing. Answers may have secrets in them (a new token), so they are sealed, and shown again only
to the token that asked, or to sessions if a session did: another token of the same user may be a lesser one. And to who
would still get it only: the guards of what a body named are asked again, those of the address at every call.
"""

import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import orjson
from django.db import OperationalError, connection, transaction
from psycopg.pq import TransactionStatus

from accounts import guards, sealed
from accounts.limits import IDEMPOTENCY_KEY_CHARACTERS
from accounts.principal import Principal
from lib.database_errors import OPERATIONAL_ERRORS, is_lock_timeout
from lib.named_sql import Statements
from lib.refusals import Conflict, InProgress, Invalid, Unprocessable
from lib.sealing import CannotOpen, Hidden, KeyRing, Place
from lib.uuid7 import uuid7

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
KEPT_HOURS = 24
VISIBLE = "[!-~]+"
"""The characters that a key may have, as a regular expression."""

_PATIENCE = "3s"
# What waits for others while it holds no lock but its key's: a scan of a file, the cases of a workflow.
_IDLE = "75s"
_NO_KEY = "Answers are stored encrypted, and that is not possible: {}."
_SQL = Statements(Path(__file__).parent / "sql")


@dataclass(frozen=True, slots=True)
class KeyedCall:
    """A call with its key, as one of a principal's; `digest` is the SHA-256 of its path, query and body.

    `is_slow`: the call waits for others in between, outside of the database.
    """

    principal: Principal
    key: str
    digest: bytes
    is_slow: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as it was sent."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def keyed_call(
    principal: Principal, key: str, where: str, body: bytes, *, is_slow: bool = False
) -> KeyedCall:
    """A principal's POST to `where` (path and query) with this key. Raises Invalid for a bad key."""
    if len(key) > IDEMPOTENCY_KEY_CHARACTERS or not re.fullmatch(VISIBLE, key):
        raise Invalid(
            f"A key has 1 to {IDEMPOTENCY_KEY_CHARACTERS} visible characters of ASCII.", field=HEADER
        )
    return KeyedCall(principal, key, sha256(where.encode() + b"\n" + body).digest(), is_slow)


class Once:
    """What is done once: `kept` is the answer that was given before; else `answer` is the one to keep, for who may what
    is `noted`.
    """

    def __init__(self, earlier_answer: Answer | None) -> None:
        self.kept = earlier_answer
        self.answer: Answer | None = None
        self.noted: Sequence[guards.Noted] = ()


@contextmanager
def once(call: KeyedCall) -> Iterator[Once]:
    """A transaction in which the request is done, unless it was, and its answer is kept. What is done in it is undone
    where it ends without an answer that says so: by an error of the server (500 and above) or of the database.

    Raises Unprocessable `key_reused` where something else was asked with this key; InProgress where it is being done at
    the moment; Conflict `done_already` where it was done with another token, and `master_key_missing` where no answer
    can be sealed or opened; Missing and Forbidden for who would not get it any more; OperationalError where the
    transaction ended before its answer: nothing was done then.
    """
    key_params = {"tenant": call.principal.tenant_id, "user": call.principal.user_id, "key": call.key}
    # Before the transaction: a tenant's first key, made in it, would keep all others waiting until its end.
    ring = _ring_of(call.principal.tenant_id)
    with transaction.atomic():
        _hold(call, key_params)
        row = _SQL.execute("find_answer", {**key_params, "hours": KEPT_HOURS}).fetchone()
        if row and bytes(row[1]) != call.digest:
            message = f"This key was used for a different request less than {KEPT_HOURS} hours ago."
            raise Unprocessable(message, code="key_reused", field=HEADER)
        doing = Once(_opened(ring, call, str(row[0]), bytes(row[2])) if row else None)
        with guards.noting() as doing.noted:
            yield doing
        if doing.kept is None:
            _end(call, ring, doing)


def _hold(call: KeyedCall, key_params: Mapping[str, object]) -> None:
    """Be the only one who does what is asked with this key, until the end of the transaction."""
    if not _SQL.value("hold_key", key_params):
        try:
            _SQL.execute("await_key", {**key_params, "patience": _PATIENCE})
        except OPERATIONAL_ERRORS as error:
            if is_lock_timeout(error):
                raise InProgress(
                    "A request with this key is in progress; try again shortly.", field=HEADER
                ) from None
            raise
    if call.is_slow:
        _SQL.execute("allow_idling", {"idle": _IDLE})


def _end(call: KeyedCall, ring: KeyRing, doing: Once) -> None:
    answer = doing.answer
    if not _is_whole() or answer is None or answer.status >= 500:
        if answer is not None and answer.status < 400:
            raise OperationalError("the transaction ended before its answer")
        transaction.set_rollback(True)
    elif answer.status < 400:
        id_ = uuid7()
        _SQL.execute(
            "keep_answer",
            {
                "id": id_,
                "tenant": call.principal.tenant_id,
                "user": call.principal.user_id,
                "key": call.key,
                "digest": call.digest,
                "answer": _sealed(ring, call, str(id_), answer, doing.noted),
            },
        )


def _is_whole() -> bool:
    """Whether what was done can still be committed: no statement failed, and the connection is the same."""
    session = connection.connection
    is_alive = session is not None and session.info.transaction_status == TransactionStatus.INTRANS
    return is_alive and not connection.needs_rollback


def forget(limit: int) -> int:
    """Remove up to so many answers whose time is over; gives how many."""
    return _SQL.execute("forget_answers", {"limit": limit, "hours": KEPT_HOURS}).rowcount


def _ring_of(tenant: int) -> KeyRing:
    with _sealing():
        return sealed.ring_of(tenant)


@contextmanager
def _sealing() -> Iterator[None]:
    try:
        yield
    except CannotOpen as problem:
        raise Conflict(_NO_KEY.format(problem), code="master_key_missing", field=HEADER) from None


def _sealed(ring: KeyRing, call: KeyedCall, row: str, answer: Answer, noted: Sequence[guards.Noted]) -> bytes:
    head = orjson.dumps(
        [answer.status, dict(answer.headers), call.principal.token, list(dict.fromkeys(noted))]
    )
    return ring.seal(Hidden(zlib.compress(head + b"\n" + answer.body, 1)), _place(call, row))


def _opened(ring: KeyRing, call: KeyedCall, row: str, value: bytes) -> Answer:
    with _sealing():
        plain = ring.open(value, _place(call, row)).reveal()
    head, _, body = zlib.decompress(plain).partition(b"\n")
    # Releases before named no token with an answer, or nothing to ask for: those are shown as they were promised to be.
    status, headers, *rest = orjson.loads(head)
    if rest and rest[0] != call.principal.token:
        message = "This was done with another token of yours: its answer is shown to that one only."
        raise Conflict(message, code="done_already", field=HEADER)
    guards.require_noted(call.principal, [tuple(one) for one in rest[1]] if len(rest) > 1 else [])
    return Answer(status, headers, body)


def _place(call: KeyedCall, row: str) -> Place:
    return Place(call.principal.tenant_id, f"kept_answer {row}", "answer")
