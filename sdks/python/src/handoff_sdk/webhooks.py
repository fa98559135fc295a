"""Verifies webhooks that Handoff sends (https://www.standardwebhooks.com)."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any, TypedDict

from handoff_sdk.errors import HandoffError

TOLERANCE_SECONDS = 300
_MOST_SIGNATURES = 20
_LONGEST_TIME = 12


class Event(TypedDict):
    """A CloudEvent. `id` is the same whenever the message comes again; `data` has `run_id`, `workflow`, `business_key`
    and `details` of what happened.
    """

    id: str
    type: str
    source: str
    subject: str
    time: str
    sequence: str
    data: dict[str, Any]


class InvalidSignature(HandoffError):
    """The message is not from Handoff, or too old: answer 401 and ignore it."""


def verify(secret: str, headers: Mapping[str, str], body: bytes) -> Event:
    """The event of a message, after its signature is checked. `secret` is the webhook's, as `whsec_…`; `headers` any
    mapping that knows them in lower case; `body` the raw bytes, not parsed by anybody yet.

    Raises InvalidSignature, and ValueError for a secret that is none.
    """
    key = _key(secret)
    message_id, timestamp = headers.get("webhook-id") or "", headers.get("webhook-timestamp") or ""
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= _LONGEST_TIME):
        raise InvalidSignature("webhook-timestamp is missing, or no time.")
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        raise InvalidSignature("webhook-timestamp is more than five minutes off.")
    digest = hmac.digest(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256)
    own = b"v1," + base64.b64encode(digest)
    offered = (headers.get("webhook-signature") or "").split(" ")[:_MOST_SIGNATURES]
    # All are compared, so that the time tells nothing of which one fits.
    if not sum(hmac.compare_digest(own, one.encode(errors="replace")) for one in offered):
        raise InvalidSignature("No signature in webhook-signature is by this secret.")
    event: Event = json.loads(body)
    return event


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except ValueError:
        key = b""
    if not key:
        raise ValueError("The secret of a webhook is whsec_ and base64.")
    return key
