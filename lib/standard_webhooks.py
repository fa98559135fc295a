"""Standard Webhooks: how a message is signed, and whether one is (https://www.standardwebhooks.com).

`webhook-signature: v1,<base64 of HMAC-SHA256 over id.timestamp.body>`; several stand beside each other, divided by
blanks, while a secret is exchanged. A secret is written as `whsec_<base64>`.
"""

import base64
import hmac
import re
import secrets
from collections.abc import Iterable
from hashlib import sha256

SECRET_BYTES = 32
TOLERANCE_SECONDS = 300
MAX_ID = 200
_PREFIX = "whsec_"
_MOST_SIGNATURES = 20
# No full stop: with one, the same signature would stand for two different messages.
_ID = re.compile(rf"[!-\-/-~]{{1,{MAX_ID}}}")
_SECONDS = re.compile(r"[0-9]{1,12}")


class NotSigned(Exception):
    """The message was not signed by who has the secret, or not now; `code` says why."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def new_secret() -> bytes:
    """A secret of 256 random bits."""
    return secrets.token_bytes(SECRET_BYTES)


def written(secret: bytes) -> str:
    """A secret as senders are given it."""
    return _PREFIX + base64.b64encode(secret).decode()


def secret_bytes(text: str) -> bytes | None:
    """The key of a secret as senders are given it; None where it is not written as `whsec_<base64>`."""
    if not text.startswith(_PREFIX):
        return None
    try:
        return base64.b64decode(text.removeprefix(_PREFIX), validate=True) or None
    except ValueError:
        return None


def is_id(text: str) -> bool:
    """Whether this can be the id of a message: up to 200 printable ASCII characters but for blanks and full stops."""
    return _ID.fullmatch(text) is not None


def sign(secret: bytes, message_id: str, timestamp: str, body: bytes) -> str:
    """The signature of a message, as the header has it."""
    digest = hmac.new(secret, f"{message_id}.{timestamp}.".encode() + body, sha256).digest()
    return "v1," + base64.b64encode(digest).decode()


def verify(
    secrets: Iterable[bytes], *, message_id: str, timestamp: str, signatures: str, body: bytes, now: float
) -> None:
    """Return if one of the secrets signed the message within five minutes of `now`. Raises NotSigned.

    Only looks at bytes: nothing of the body is parsed before somebody vouches for it.
    """
    if not (message_id and timestamp and signatures):
        raise NotSigned(
            "not_signed", "The headers webhook-id, webhook-timestamp and webhook-signature are needed."
        )
    if not is_id(message_id):
        raise NotSigned("bad_signature", "webhook-id has up to 200 printable characters, and no full stop.")
    if not _SECONDS.fullmatch(timestamp):
        raise NotSigned("bad_timestamp", "webhook-timestamp is the time in whole seconds since 1970.")
    if abs(now - int(timestamp)) > TOLERANCE_SECONDS:
        raise NotSigned("bad_timestamp", "webhook-timestamp is more than five minutes off.")
    offered = [one.encode() for one in signatures.split(" ")[:_MOST_SIGNATURES]]
    good = 0
    for secret in secrets:
        expected = sign(secret, message_id, timestamp, body).encode()
        # All are compared, so that the time tells nothing of which one fits.
        good += sum(hmac.compare_digest(expected, one) for one in offered)
    if not good:
        raise NotSigned(
            "bad_signature", "No signature in webhook-signature was made with a secret of this webhook."
        )
