"""Amazon SNS: messages signed with a private key, whose certificate Amazon serves.

Certificate and confirmation are asked for only at https://sns.<region of the topic>.amazonaws.com, through the egress
gate, and only for a message of the topic that the webhook names.
"""

import base64
import re
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from threading import Lock
from typing import Final
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA1, SHA256
from cryptography.x509.oid import NameOID

from engine.catalogue import Json
from lib.egress.errors import EgressError
from lib.refusals import Unavailable
from lib.standard_webhooks import NotSigned
from lib.strict_json import BadJson
from steps.outside import BadSetting, egress
from triggers.webhooks.limits import (
    CERTIFICATE_BYTES,
    CERTIFICATES,
    CONFIRMATION_BYTES,
    SNS_AGE_SECONDS,
    SNS_SECONDS,
    UNREACHED_SECONDS,
)
from triggers.webhooks.presets.base import (
    Content,
    Credentials,
    Incoming,
    Preset,
    Reply,
    SecretSource,
    id_of,
    json_of,
    without,
)

TOPIC: Final = re.compile(
    r"arn:aws:sns:([a-z]{2,4}(?:-[a-z]{2,12}){1,3}-[0-9]{1,2}):[0-9]{12}:[A-Za-z0-9_.-]{1,256}"
)
"""The name of a topic, with its region."""
_CERTIFICATE_PATH = re.compile(r"/SimpleNotificationService-[0-9A-Za-z]{1,64}\.pem")
_CONFIRMED = re.compile(r"/(\?.*)?")
_NAME = "sns.amazonaws.com"
_NOTIFICATION = ("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type")
_CONFIRMATION = ("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type")
_SIGNED = {
    "Notification": _NOTIFICATION,
    "SubscriptionConfirmation": _CONFIRMATION,
    "UnsubscribeConfirmation": _CONFIRMATION,
}
_HASHES = {"1": SHA1, "2": SHA256}
# Whoever has these may end the subscription, or repeat its confirmation.
_UNKEPT = ("Signature", "SignatureVersion", "SigningCertURL", "UnsubscribeURL", "SubscribeURL", "Token")

_certificates: dict[str, x509.Certificate] = {}
_unreached: dict[str, float] = {}
"""By address of a certificate when it could not be fetched last, in seconds of the monotonic clock."""
_lock = Lock()


def _accept(message: Incoming, credentials: Credentials) -> Content | Reply:
    body = json_of(message.raw)
    fields = body if isinstance(body, dict) else {}
    kind = fields.get("Type")
    if kind not in _SIGNED or not all(
        isinstance(fields.get(name), str) for name in ("Signature", "SigningCertURL")
    ):
        raise NotSigned(
            "not_signed", "The message needs Type, Signature and SigningCertURL; raw delivery has none."
        )
    topic = credentials.settings["topic_arn"]
    if fields.get("TopicArn") != topic:
        raise NotSigned("bad_signature", "TopicArn is not the topic of this webhook.")
    _require_recent(fields, credentials.now)
    _require_signed(fields, _SIGNED[kind], topic)
    if kind == "SubscriptionConfirmation":
        _confirm(fields, topic)
        return Reply("confirmed")
    if kind == "UnsubscribeConfirmation":
        return Reply("unsubscribed")
    rest = without(body, *_UNKEPT)
    return Content({**rest, "message": _message(fields.get("Message"))}, id_of(str(fields.get("MessageId"))))


def _message(text: Json) -> Json:
    """The message as JSON if it is JSON, else its text."""
    try:
        return json_of(text.encode()) if isinstance(text, str) else text
    except BadJson:
        return text


def _require_recent(fields: dict[str, Json], now: float) -> None:
    try:
        at = datetime.fromisoformat(str(fields.get("Timestamp")))
    except ValueError:
        raise NotSigned("bad_timestamp", "Timestamp is a time such as 2031-01-01T09:00:00.000Z.") from None
    if at.tzinfo is None or abs(now - at.timestamp()) > SNS_AGE_SECONDS:
        raise NotSigned("bad_timestamp", f"Timestamp is more than {SNS_AGE_SECONDS // 3600} hours off.")


def _require_signed(fields: dict[str, Json], names: Iterable[str], topic: str) -> None:
    present = [(name, fields[name]) for name in names if name in fields]
    algorithm = _HASHES.get(str(fields.get("SignatureVersion")))
    if algorithm is None or not all(isinstance(value, str) for _, value in present):
        raise NotSigned("bad_signature", "SignatureVersion must be 1 or 2, and the signed fields texts.")
    signed = "".join(f"{name}\n{value}\n" for name, value in present).encode()
    key = _certificate(fields["SigningCertURL"], topic).public_key()
    try:
        if not isinstance(key, RSAPublicKey):
            raise InvalidSignature
        key.verify(base64.b64decode(fields["Signature"], validate=True), signed, PKCS1v15(), algorithm())
    except (InvalidSignature, ValueError):
        raise NotSigned(
            "bad_signature", "Signature was not made with the certificate of Amazon SNS."
        ) from None


def _certificate(url: str, topic: str) -> x509.Certificate:
    """The certificate at this address of Amazon's, which is valid now. Raises NotSigned, Unavailable."""
    parts = urlsplit(_own_url(url, topic, "SigningCertURL"))
    if not _CERTIFICATE_PATH.fullmatch(parts.path) or parts.query:
        raise NotSigned("bad_signature", "SigningCertURL names no certificate of Amazon SNS.")
    with _lock:
        certificate = _certificates.get(url)
    if certificate is None:
        certificate = _fetched(url)
        with _lock:
            if len(_certificates) >= CERTIFICATES:
                _certificates.clear()
            _certificates[url] = certificate
    if not certificate.not_valid_before_utc <= datetime.now(UTC) <= certificate.not_valid_after_utc:
        raise NotSigned("bad_signature", "The certificate at SigningCertURL is not valid now.")
    return certificate


def _fetched(url: str) -> x509.Certificate:
    if time.monotonic() - _unreached.get(url, -UNREACHED_SECONDS) < UNREACHED_SECONDS:
        # Each message would hold a thread until the answer is late.
        raise Unavailable("Amazon SNS was not reached a moment ago.", code="sns_unreachable")
    try:
        certificate = x509.load_pem_x509_certificate(_answer(url, CERTIFICATE_BYTES))
    except Unavailable:
        with _lock:
            if len(_unreached) >= CERTIFICATES:
                _unreached.clear()
            _unreached[url] = time.monotonic()
        raise
    except ValueError:
        raise NotSigned("bad_signature", "There is no certificate at SigningCertURL.") from None
    names = [one.value for one in certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)]
    if names != [_NAME]:
        raise NotSigned("bad_signature", f"The certificate at SigningCertURL is not one of {_NAME}.")
    return certificate


def _confirm(fields: dict[str, Json], topic: str) -> None:
    """Tell Amazon that the topic may send to this webhook. Raises NotSigned, Unavailable."""
    url = _own_url(fields["SubscribeURL"], topic, "SubscribeURL")
    parts = urlsplit(url)
    if not _CONFIRMED.fullmatch(parts.path):
        raise NotSigned("bad_signature", "SubscribeURL is not an address of Amazon SNS.")
    _answer(url, CONFIRMATION_BYTES)


def _own_url(url: str, topic: str, name: str) -> str:
    """The address, if it is one of Amazon SNS in the region of the topic. Raises NotSigned."""
    region = TOPIC.fullmatch(topic)
    host = f"sns.{region[1]}.amazonaws.com" if region else None
    if not url.isascii() or not url.isprintable() or host is None or not url.startswith(f"https://{host}/"):
        raise NotSigned(
            "bad_signature", f"{name} is not an https address of Amazon SNS in the topic's region."
        )
    return url


def _answer(url: str, max_bytes: int) -> bytes:
    try:
        answer = egress().request(
            "GET", url, headers={}, content=None, timeout_seconds=SNS_SECONDS, max_bytes=max_bytes
        )
    except BadSetting as error:
        raise Unavailable(f"{error}", code="sns_unreachable") from None
    except EgressError as error:
        raise Unavailable(f"Amazon SNS was not reached: {error.message}", code="sns_unreachable") from None
    if answer.status != 200:
        raise Unavailable(f"Amazon SNS answered with {answer.status}.", code="sns_unreachable")
    return answer.body


SNS: Final = Preset(
    name="sns",
    title="Amazon SNS",
    accept=_accept,
    secret=SecretSource.NONE,
    secret_help="",
    setup=(
        "In the AWS console: SNS, Topics, Create subscription. Choose HTTPS, enter the address as endpoint, and leave "
        "raw message delivery off. The subscription is confirmed by itself."
    ),
    examples=(
        ("{{ body.message }}", "the message; an object if it is JSON"),
        ("{{ body.Subject }}", "the subject, if it has one"),
        ("{{ body.MessageAttributes.kind.Value }}", "an attribute named kind"),
    ),
    settings=("topic_arn",),
    reply=Reply(),
)
