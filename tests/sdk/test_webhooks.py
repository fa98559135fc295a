"""What Handoff sends is told from what others send."""

import json
import time
from email.message import Message

import pytest

from handoff_sdk.webhooks import InvalidSignature, verify
from lib.standard_webhooks import new_secret, sign, written

SECRET = new_secret()
BODY = json.dumps({"id": "msg_1", "type": "run.completed", "data": {"business_key": "Grüße"}}).encode()


def headers(*secrets, sent=None, body=BODY, **other):
    at = str(int(time.time()) if sent is None else sent)
    signatures = " ".join(sign(secret, "msg_1", at, body) for secret in secrets)
    return {"webhook-id": "msg_1", "webhook-timestamp": at, "webhook-signature": signatures} | other


@pytest.mark.parametrize("secrets", [(SECRET,), (new_secret(), SECRET)], ids=["one", "while it is exchanged"])
def test_a_message_that_is_signed_tells_its_event(secrets):
    event = verify(written(SECRET), headers(*secrets), BODY)
    assert (event["type"], event["data"]) == ("run.completed", {"business_key": "Grüße"})


def test_the_headers_of_the_standard_library_will_do():
    sent = Message()
    for name, value in headers(SECRET).items():
        sent[name.title()] = value
    assert verify(written(SECRET), sent, BODY)["id"] == "msg_1"


FORGED = {
    "no headers": dict,
    "another secret": lambda: headers(new_secret()),
    "old": lambda: headers(SECRET, sent=int(time.time()) - 302),
    "of the future": lambda: headers(SECRET, sent=int(time.time()) + 302),
    "another id": lambda: headers(SECRET, **{"webhook-id": "msg_2"}),
    "no ASCII": lambda: headers(SECRET, **{"webhook-signature": "v1,ü"}),
    "behind too many": lambda: headers(*[new_secret()] * 20, SECRET),
    "a long time": lambda: headers(SECRET, **{"webhook-timestamp": "9" * 5000}),
    "no time": lambda: headers(SECRET, **{"webhook-timestamp": "now"}),
    "another body": lambda: headers(SECRET, body=BODY + b" "),
}


@pytest.mark.parametrize("forged", FORGED)
def test_what_is_not_from_handoff_is_refused(forged):
    with pytest.raises(InvalidSignature):
        verify(written(SECRET), FORGED[forged](), BODY)


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_ü", "whsec_a"])
def test_a_secret_that_is_none_is_said_to_be_none(secret):
    with pytest.raises(ValueError, match="whsec_"):
        verify(secret, headers(SECRET), BODY)
