"""Senders of webhook messages: they sign by the book, and with their own code."""

import base64
import hashlib
import hmac
import time
from itertools import count
from urllib.parse import urlsplit

import orjson

MASTER_KEY = hashlib.sha256(b"for tests").digest()
"""What wraps the keys of tests."""

_numbers = count(1)


def signature(secret: str, message_id: str, at: int | str, raw: bytes) -> str:
    """What a sender puts into `webhook-signature`."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.digest(key, b".".join([message_id.encode(), str(at).encode(), raw]), hashlib.sha256)
    return f"v1,{base64.b64encode(digest).decode()}"


def signed(
    secret: str, raw: bytes, *, message_id: str | None = None, at: int | None = None
) -> dict[str, str]:
    """The headers of a message that is sent now, or at `at`."""
    message_id = message_id or f"msg_{next(_numbers)}"
    stamp = int(time.time()) if at is None else at
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(stamp),
        "webhook-signature": signature(secret, message_id, stamp, raw),
    }


class Sender:
    """Sends to one webhook through Django's client; `hook` is what the API gave when it was made."""

    def __init__(self, client, hook: dict, secret: str | None = None) -> None:
        self.client, self.path = client, urlsplit(hook["url"]).path
        self.secret = secret or hook["secret"]

    def send(self, body, *, headers: dict | None = None, **how):
        """Send a body, as JSON or as bytes, signed as it should be unless other `headers` are given."""
        raw = body if isinstance(body, bytes) else orjson.dumps(body)
        headers = signed(self.secret, raw, **how) if headers is None else headers
        return self.client.generic(
            "POST", self.path, raw, content_type="application/json; charset=utf-8", headers=headers
        )
