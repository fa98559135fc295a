"""One attempt to send a message, through the egress gate; and some of them beside one another."""

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from integrations.webhooks_out.limits import ANSWER_BYTES, ERROR_CHARACTERS
from lib.egress import Egress, EgressError, EgressRefused

log = logging.getLogger("handoff.webhooks")

TIMEOUT_SECONDS = 10.0
"""How long a receiver has for its whole answer."""
BESIDE = 4
"""So many messages of one webhook are under way at once, each of another run."""
NO_LONGER_SECONDS = 10.0
"""After so long no more attempts of a batch are begun."""


@dataclass(frozen=True, slots=True)
class Message:
    """What is sent: a body, and headers that sign it at the moment of the attempt."""

    id: int
    body: bytes
    headers: Callable[[int], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Attempt:
    """What came of an attempt: the status of the answer, if there was one, and what went wrong, if anything did.

    `is_ours`: what went wrong did so on our side, so it was no attempt.
    """

    id: int
    status: int | None
    error: str
    took_ms: int
    retry_after: str | None = None
    is_ours: bool = False

    @property
    def arrived(self) -> bool:
        """Whether the receiver has taken the message."""
        return not self.error


def send_all(client: Egress, url: str, messages: Sequence[Message]) -> list[Attempt]:
    """Send the messages, some beside one another; without those that were not begun in time, or behind one that failed.

    None of them may have to wait for another one of these.
    """
    left, attempts, lock = iter(messages), list[Attempt](), threading.Lock()
    until = time.monotonic() + NO_LONGER_SECONDS

    def next_message() -> Message | None:
        with lock:
            stops = time.monotonic() >= until or any(_is_lost(one) for one in attempts)
            return None if stops else next(left, None)

    def work() -> None:
        while message := next_message():
            attempt = _attempted(client, url, message)
            with lock:
                attempts.append(attempt)

    others = [
        threading.Thread(target=work, name="webhook-sender", daemon=True)
        for _ in range(min(BESIDE, len(messages)) - 1)
    ]
    for other in others:
        other.start()
    work()
    for other in others:
        other.join()
    return attempts


def _is_lost(attempt: Attempt) -> bool:
    """Whether nobody answered, or who did wants to be left alone: what befell this one befalls the next."""
    return attempt.status is None or attempt.status in (410, 429, 503)


def _attempted(client: Egress, url: str, message: Message) -> Attempt:
    began = time.monotonic()

    def attempt(status: int | None, error: str, retry_after: str | None = None) -> Attempt:
        took = round((time.monotonic() - began) * 1000)
        return Attempt(message.id, status, error[:ERROR_CHARACTERS], took, retry_after)

    try:
        answer = client.request(
            "POST",
            url,
            headers=message.headers(int(time.time())),
            content=message.body,
            timeout_seconds=TIMEOUT_SECONDS,
            max_bytes=ANSWER_BYTES,
        )
    except EgressRefused as error:
        allow = f" HANDOFF_EGRESS_ALLOW={error.allowance} would let it pass." if error.allowance else ""
        return attempt(None, f"Not sent: {error.message}{allow}")
    except EgressError as error:
        return attempt(None, error.message)
    except Exception as error:
        # What others have sent must be written down.
        log.exception("A message could not be sent")
        return replace(attempt(None, f"Not sent: {type(error).__name__}"), is_ours=True)
    if 200 <= answer.status < 300:
        return attempt(answer.status, "")
    return attempt(
        answer.status, f"The receiver answered {answer.status}.", answer.headers.get("retry-after")
    )
