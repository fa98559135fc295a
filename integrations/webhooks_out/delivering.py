"""Serves webhooks: what is due of one is sent, and what came of it is written down.

A webhook is leased, so that one process serves it at a time; no transaction is open while a receiver is waited for. A
process that dies leaves its lease, and all that it had not written down is sent again, by the same ids.
"""

import logging
import time
from collections.abc import Sequence

from django.conf import settings

from integrations.webhooks_out import messages, retrying, secrets, store, switching
from integrations.webhooks_out.limits import ENDPOINT_PAUSE_SECONDS, MESSAGE_ATTEMPTS
from integrations.webhooks_out.sending import Attempt, Message, send_all
from integrations.webhooks_out.store import Due, Leased, OutcomeRow
from lib.sealing import CannotOpen
from steps import outside

log = logging.getLogger("handoff.webhooks")

SLICE_SECONDS = 5.0
"""After so long another webhook has its turn."""
BATCH = 32
OWN_SECONDS = 60.0
"""After so long a message is tried again that could not be sent because of something on our side."""
_GONE = 410


class _NothingSent(Exception):
    """Something on our side keeps every message of a webhook from being sent. The receiver did nothing wrong."""


def serve(leased: Leased, worker: str) -> int:
    """Send what is due of a leased webhook for about SLICE_SECONDS, then leave it; gives the number of attempts."""
    try:
        count = _served(leased, worker)
    except _NothingSent as problem:
        log.error("The webhook %s can't be served: %s", leased.webhook, problem)
        return 0
    # Not after an error: what can't be served is tried again when the lease is over, not at once and for ever.
    store.release(leased.webhook, worker)
    return count


def _served(leased: Leased, worker: str) -> int:
    until, count = time.monotonic() + SLICE_SECONDS, 0
    failing = leased.failures > 0
    while time.monotonic() < until:
        # One that failed is asked with a single message.
        batch = store.due(leased.webhook, 1 if failing else BATCH)
        if not batch:
            break
        attempts = _sent(leased, batch)
        count += len(attempts)
        if not _written_down(leased, worker, batch, attempts):
            break
        failing = False
    return count


def _sent(leased: Leased, batch: Sequence[Due]) -> list[Attempt]:
    """The attempts at the receiver. What could not be sent is noted here, and no attempt. Raises _NothingSent."""
    try:
        keys = secrets.valid(leased.tenant, leased.webhook)
        client = outside.egress()
    except (CannotOpen, outside.BadSetting) as error:
        store.note_unsent(leased.webhook, [batch[0].id], f"Not sent: {error}", OWN_SECONDS)
        raise _NothingSent(error) from error
    built, unsent = list[Message](), list[Attempt]()
    for one in batch:
        try:
            built.append(_message(one, keys))
        except Exception as error:
            # One that can't be built holds up its own run and no other.
            log.exception("The message %s of the webhook %s can't be built", one.message, leased.webhook)
            unsent.append(Attempt(one.id, None, f"Not sent: {type(error).__name__}", 0, is_ours=True))
    attempts = send_all(client, leased.url, built) + unsent
    for attempt in attempts:
        if attempt.is_ours:
            store.note_unsent(leased.webhook, [attempt.id], attempt.error, OWN_SECONDS)
    return [attempt for attempt in attempts if not attempt.is_ours]


def _message(due: Due, keys: Sequence[bytes]) -> Message:
    body = messages.body_of(due, settings.HANDOFF_URL)
    return Message(due.id, body, lambda at: messages.headers_of(due, body, keys, at))


def _written_down(leased: Leased, worker: str, batch: Sequence[Due], attempts: Sequence[Attempt]) -> bool:
    """Write down what came of the attempts; whether the webhook can be served on."""
    if not attempts:
        return False
    before = {one.id: one.attempts for one in batch}
    store.note([_outcome(one, before[one.id]) for one in attempts])
    delivered = any(one.arrived for one in attempts)
    failed = [one for one in attempts if not one.arrived]
    pause = max((retrying.retry_after(one.retry_after) for one in failed), default=0.0)
    if failed and not delivered:
        pause = max(pause, retrying.pause(leased.failures + 1, ENDPOINT_PAUSE_SECONDS))
    error = failed[-1].error if failed else ""
    standing = store.note_served(
        leased.webhook, worker, delivered=delivered, pause=pause, error="" if delivered else error
    )
    if any(one.status == _GONE for one in failed):
        switching.switch_off(leased.webhook, "gone", error)
        return False
    if standing and not delivered and standing.seconds >= retrying.FAILING_SECONDS:
        switching.switch_off(leased.webhook, "failing", error)
        return False
    return standing is not None and pause == 0


def _outcome(attempt: Attempt, attempts_before: int) -> OutcomeRow:
    attempts = attempts_before + 1
    state = "delivered" if attempt.arrived else "failed" if attempts >= MESSAGE_ATTEMPTS else "pending"
    pause = max(retrying.pause(attempts), retrying.retry_after(attempt.retry_after))
    return {
        "id": attempt.id,
        "state": state,
        "status": attempt.status,
        "error": attempt.error,
        "took_ms": attempt.took_ms,
        "pause": pause,
    }
