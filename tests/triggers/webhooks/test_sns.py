"""Amazon SNS: only what it signed for the webhook's topic counts, and only its own hosts are asked (R-132)."""

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from lib.egress import EgressUnreached
from tests.triggers.webhooks import senders as sent
from tests.triggers.webhooks.doors import amazon, door, make_hook, make_hook_of_order, order
from triggers.webhooks.presets import sns

__all__ = ["amazon", "door", "make_hook", "make_hook_of_order", "order"]
pytestmark = pytest.mark.django_db


def test_sns_gives_its_message_and_keeps_nothing_that_ends_the_subscription(door, amazon):
    here = door("sns")
    assert here.send(sent.sns('{"order": "o-1"}')).status_code == 200
    assert here.send(sent.sns("plain text", MessageId="2")).status_code == 200
    first, second = (one["body"] for one in here.inputs())
    assert (first["message"], first["Message"], second["message"]) == (
        {"order": "o-1"},
        '{"order": "o-1"}',
        "plain text",
    )
    assert not first.keys() & {"Signature", "SigningCertURL", "UnsubscribeURL"}
    # The certificate is fetched once.
    assert amazon.asked == [sent.CERTIFICATE_URL]


def test_a_subscription_is_confirmed_at_amazon_alone(door, amazon):
    here = door("sns")
    answer = here.send(sent.sns(kind="SubscriptionConfirmation"))
    assert (answer.status_code, answer.content) == (200, b"confirmed")
    assert amazon.asked[1:] == [
        "https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&Token=2336"
    ]
    assert here.send(sent.sns(kind="UnsubscribeConfirmation")).status_code == 200
    assert len(amazon.asked) == 2
    assert here.inputs() == []


ELSEWHERE = [
    "https://evil.example/a.pem",
    "http://sns.eu-central-1.amazonaws.com/SimpleNotificationService-1.pem",
    "https://sns.us-east-1.amazonaws.com/SimpleNotificationService-1.pem",
    "https://sns.eu-central-1.amazonaws.com.evil.example/SimpleNotificationService-1.pem",
    "https://sns.eu-central-1.amazonaws.com@evil.example/SimpleNotificationService-1.pem",
    "https://sns.eu-central-1.amazonaws.com:8443/SimpleNotificationService-1.pem",
    "https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-1.pem?x=1",
    "https://sns.eu-central-1.amazonaws.com/../SimpleNotificationService-1.pem",
    "https://sns.eu-central-1.amazonaws.com/other.pem",
    "https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-1.pem\r\nX: y",
    "",
]


@pytest.mark.parametrize("url", ELSEWHERE)
def test_a_certificate_from_elsewhere_is_not_even_asked_for(door, amazon, url):
    here = door("sns")
    answer = here.send(sent.sns(SigningCertURL=url))
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "bad_signature")
    assert (amazon.asked, here.inputs()) == ([], [])


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/?Action=ConfirmSubscription",
        "https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription",
        "http://169.254.169.254/latest",
    ],
)
def test_a_confirmation_elsewhere_is_not_asked_for(door, amazon, url):
    here = door("sns")
    assert here.send(sent.sns(kind="SubscriptionConfirmation", SubscribeURL=url)).status_code == 401
    assert amazon.asked == [sent.CERTIFICATE_URL]


FORGED = {
    "another topic": {"TopicArn": "arn:aws:sns:eu-central-1:999999999999:orders"},
    "another key": {"key": rsa.generate_private_key(65537, 2048)},
    "an old message": {"Timestamp": "2031-01-01T00:00:00.000Z"},
    "no time": {"Timestamp": "yesterday"},
    "no version": {"version": "3"},
    "another type": {"kind": "Other"},
    "a number as message": {"Message": 7},
}


@pytest.mark.parametrize("how", FORGED.values(), ids=FORGED.keys())
def test_a_forged_message_of_sns_is_refused(door, how):
    here = door("sns")
    assert here.send(sent.sns(**how)).status_code == 401
    assert here.inputs() == []


@pytest.mark.parametrize(
    "pem", [sent.certificate("evil.example"), sent.certificate(days=-1), b"no certificate", b""]
)
def test_a_certificate_that_is_not_amazon_s_or_is_over_proves_nothing(door, amazon, pem):
    amazon.answers[sent.CERTIFICATE_URL] = pem
    here = door("sns")
    assert here.send(sent.sns()).status_code == 401
    assert here.inputs() == []


def test_while_amazon_is_away_the_message_may_be_sent_again(api, door, amazon, monkeypatch):
    here = door("sns")
    amazon.answers[sent.CERTIFICATE_URL] = EgressUnreached("No connection.")
    answer = here.send(sent.sns())
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "sns_unreachable")
    refused = api.get(f"/api/v1/webhooks/{here.hook['id']}/deliveries").json()["refused"]
    assert [one["code"] for one in refused] == ["sns_unreachable"]
    amazon.answers[sent.CERTIFICATE_URL] = sent.certificate()
    # For a moment nobody waits for Amazon again.
    asked = len(amazon.asked)
    assert here.send(sent.sns()).status_code == 503
    assert len(amazon.asked) == asked
    monkeypatch.setattr(sns, "UNREACHED_SECONDS", 0)
    assert here.send(sent.sns()).status_code == 200
