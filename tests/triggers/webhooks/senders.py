"""Messages as GitHub, GitLab, Slack and others sign them, made with code of our own (`triggers.webhooks.presets`)."""

import base64
import hashlib
import hmac
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from urllib.parse import urlencode

import orjson
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.hashes import SHA1, SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from triggers.webhooks.presets.base import Incoming

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
TOPIC = "arn:aws:sns:eu-central-1:123456789012:orders"
VERIFY_TOKEN = "a token that we have chosen"
CERTIFICATE_URL = (
    "https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-60eadc530605d63b8e62a523676ef735.pem"
)
JSON, FORM = "application/json", "application/x-www-form-urlencoded"


@dataclass(frozen=True)
class Request:
    """A request as a sender makes it."""

    raw: bytes
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = JSON
    query: str = ""
    method: str = "POST"

    def but(self, **headers: str | None) -> "Request":
        """The request with other headers; None: without the header."""
        changed = {name.replace("_", "-"): value for name, value in headers.items()}
        kept = {name: value for name, value in self.headers.items() if name.lower() not in changed}
        return replace(
            self, headers=kept | {name: value for name, value in changed.items() if value is not None}
        )

    def sent_to(self, client, url_path: str):
        """The answer of a webhook."""
        return client.generic(
            self.method, url_path + self.query, self.raw, content_type=self.content_type, headers=self.headers
        )


def incoming(raw: bytes, headers: Mapping[str, str]) -> Incoming:
    """A message as the door of webhooks takes it in."""
    return Incoming("POST", headers, {}, "", raw)


def _hex(signed: bytes, secret: str) -> str:
    return hmac.digest(secret.encode(), signed, hashlib.sha256).hex()


def github(body, *, event="push", delivery="72d3162e-cc78-11e3-81ab-4c9367dc0958", secret=SECRET, form=False):
    """An event of GitHub."""
    raw = urlencode({"payload": orjson.dumps(body)}).encode() if form else orjson.dumps(body)
    headers = {
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": delivery,
        "X-Hub-Signature": "sha1=" + hmac.digest(secret.encode(), raw, hashlib.sha1).hex(),
        "X-Hub-Signature-256": "sha256=" + _hex(raw, secret),
    }
    return Request(raw, headers, FORM if form else JSON)


def gitlab(body, *, delivery="f5e5f430-f57b-4e6e-9fac-d9128cd7232f", secret=SECRET):
    """An event of GitLab with a secret token."""
    headers = {"X-Gitlab-Event": "Push Hook", "X-Gitlab-Token": secret, "Idempotency-Key": delivery}
    return Request(orjson.dumps(body), headers)


def gitlab_signed(body, *, delivery="f5e5f430", secret=SECRET, at=None):
    """An event of GitLab with a signing token."""
    raw, stamp = orjson.dumps(body), str(int(time.time()) if at is None else at)
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.digest(key, f"{delivery}.{stamp}.".encode() + raw, hashlib.sha256)
    signature = f"v1,{base64.b64encode(digest).decode()}"
    headers = {"webhook-id": delivery, "webhook-timestamp": stamp, "webhook-signature": signature}
    return Request(raw, headers | {"X-Gitlab-Event": "Push Hook"})


def slack(body, *, secret=SECRET, at=None, form=False):
    """An event of Slack; a command or an interaction as `form`."""
    raw = urlencode(body).encode() if form else orjson.dumps(body)
    stamp = str(int(time.time()) if at is None else at)
    signature = "v0=" + _hex(f"v0:{stamp}:".encode() + raw, secret)
    headers = {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": signature}
    return Request(raw, headers, FORM if form else JSON)


def stripe(body, *, secret=SECRET, at=None):
    """An event of Stripe; a second signature is an older scheme."""
    raw, stamp = orjson.dumps(body), int(time.time()) if at is None else at
    signature = _hex(f"{stamp}.".encode() + raw, secret)
    return Request(raw, {"Stripe-Signature": f"t={stamp},v1={signature},v0={'6' * 64}"})


def twilio(fields, url, *, secret=SECRET, query=""):
    """A message that came to a number of Twilio's; `url`: the public address of the webhook."""
    signed = url + query + "".join(name + fields[name] for name in sorted(fields))
    signature = base64.b64encode(hmac.digest(secret.encode(), signed.encode(), hashlib.sha1)).decode()
    return Request(urlencode(fields).encode(), {"X-Twilio-Signature": signature}, FORM, query)


def twilio_json(body, url, *, secret=SECRET):
    """An event of Twilio with a JSON body, whose hash is in the query."""
    raw = orjson.dumps(body)
    query = f"?bodySHA256={hashlib.sha256(raw).hexdigest()}"
    signature = base64.b64encode(hmac.digest(secret.encode(), (url + query).encode(), hashlib.sha1)).decode()
    return Request(raw, {"X-Twilio-Signature": signature}, JSON, query)


def graph(*notifications, secret=SECRET):
    """Change notifications of Microsoft Graph."""
    return Request(orjson.dumps({"value": [{"clientState": secret, **one} for one in notifications]}))


def meta(body, *, secret=SECRET):
    """A change at Meta."""
    raw = orjson.dumps(body)
    return Request(raw, {"X-Hub-Signature-256": "sha256=" + _hex(raw, secret)})


@cache
def amazon_key() -> rsa.RSAPrivateKey:
    """The private key of Amazon SNS here."""
    return rsa.generate_private_key(65537, 2048)


def certificate(name="sns.amazonaws.com", *, days=30) -> bytes:
    """A certificate of that key, as PEM; one that is over where `days` is negative."""
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(amazon_key().public_key())
        .serial_number(7)
        .not_valid_before(now - timedelta(days=90))
        .not_valid_after(now + timedelta(days=days))
        .sign(amazon_key(), SHA256())
    )
    return made.public_bytes(Encoding.PEM)


def sns(message="{}", *, kind="Notification", version="2", key=None, **fields):
    """A message of Amazon SNS; `fields` replace those that it has, before it is signed."""
    body = {
        "Type": kind,
        "MessageId": "165545c9-2a5c-472c-8df2-7ff2be2b3b1b",
        "TopicArn": TOPIC,
        "Message": message,
        "Timestamp": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "SignatureVersion": version,
        "SigningCertURL": CERTIFICATE_URL,
    }
    own = "https://sns.eu-central-1.amazonaws.com/?Action="
    if kind == "Notification":
        body |= {"Subject": "An order", "UnsubscribeURL": f"{own}Unsubscribe"}
    else:
        body |= {
            "Token": "2336412f37fb687f5d51e6e241d",
            "SubscribeURL": f"{own}ConfirmSubscription&Token=2336",
        }
    body |= fields
    names = ["Message", "MessageId", "Subject", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]
    signed = "".join(f"{name}\n{body[name]}\n" for name in names if name in body).encode()
    algorithm = SHA1() if version == "1" else SHA256()
    signature = (key or amazon_key()).sign(signed, padding.PKCS1v15(), algorithm)
    raw = orjson.dumps(body | {"Signature": base64.b64encode(signature).decode()})
    return Request(raw, {"x-amz-sns-message-type": kind}, "text/plain; charset=UTF-8")
