"""Each preset takes what its sender has signed, once, and refuses what anybody else has made (R-132)."""

import time
from dataclasses import replace
from urllib.parse import urlencode, urlsplit

import orjson
import pytest
from django.http.request import HttpHeaders
from django.test import Client

from runs.models import Run
from tests.triggers.webhooks import senders as sent
from tests.triggers.webhooks.doors import (
    MAPPING,
    SETTINGS,
    amazon,
    door,
    make_hook,
    make_hook_of_order,
    order,
)
from triggers.webhooks.models import InboundWebhook, WebhookSecret
from triggers.webhooks.presets import PRESETS
from triggers.webhooks.presets.base import Credentials, Incoming

__all__ = ["amazon", "door", "make_hook", "make_hook_of_order", "order"]
pytestmark = pytest.mark.django_db

PUSH = {"ref": "refs/heads/main", "repository": {"full_name": "ann/shop"}}
EVENT = {"token": "old", "type": "event_callback", "event_id": "Ev08MFMKH6", "event": {"type": "app_mention"}}
COMMAND = {
    "token": "old",
    "command": "/order",
    "text": "94070",
    "trigger_id": "13345224609.738474920.8088930838",
}
PRESS = {"type": "block_actions", "trigger_id": "1.2.3", "actions": [{"value": "yes"}], "token": "old"}
PAID = {"id": "evt_1NG8Du2eZvKYlo2C", "type": "invoice.paid", "pending_webhooks": 2}
SMS = {"MessageSid": "SM1", "From": "+14158675309", "To": "+18005551212", "Body": "Yes & no"}
CHANGE = {"subscriptionId": "7f105c7d", "changeType": "updated", "resource": "Users/1/messages/2"}
WHATSAPP = {"object": "whatsapp_business_account", "entry": [{"id": "0", "changes": []}]}


def genuine(name, door, **how):
    """A message of each sender, as it is signed for this webhook; `how`: with another secret or at another time."""
    return {
        "github": lambda: sent.github(PUSH, **how),
        "github form": lambda: sent.github(PUSH, form=True, **how),
        "gitlab": lambda: sent.gitlab(PUSH, **how),
        "gitlab signed": lambda: sent.gitlab_signed(PUSH, **how),
        "slack event": lambda: sent.slack(EVENT, **how),
        "slack command": lambda: sent.slack(COMMAND, form=True, **how),
        "slack button": lambda: sent.slack({"payload": orjson.dumps(PRESS).decode()}, form=True, **how),
        "stripe": lambda: sent.stripe(PAID, **how),
        "twilio": lambda: sent.twilio(SMS, door.public, **how),
        "twilio query": lambda: sent.twilio(SMS, door.public, query="?from=shop&x=%20", **how),
        "twilio json": lambda: sent.twilio_json(SMS, door.public, **how),
        "graph": lambda: sent.graph(CHANGE, CHANGE | {"id": "2"}, **how),
        "meta": lambda: sent.meta(WHATSAPP, **how),
        "sns": lambda: sent.sns('{"order": "o-1"}'),
        "sns sha1": lambda: sent.sns("plain text", version="1"),
    }[name]()


KINDS = {
    "github": PUSH,
    "github form": PUSH,
    "gitlab": PUSH,
    "gitlab signed": PUSH,
    "slack event": {key: value for key, value in EVENT.items() if key != "token"},
    "slack command": {key: value for key, value in COMMAND.items() if key != "token"},
    "slack button": {key: value for key, value in PRESS.items() if key != "token"},
    "stripe": PAID,
    "twilio": SMS,
    "twilio query": SMS,
    "twilio json": SMS,
    "graph": {"value": [CHANGE, CHANGE | {"id": "2"}]},
    "meta": WHATSAPP,
    "sns": None,
    "sns sha1": None,
}


def test_every_preset_has_a_sample():
    assert {name.split()[0] for name in KINDS} == set(PRESETS)


@pytest.mark.parametrize("name", KINDS)
def test_a_genuine_message_starts_a_run_and_its_repetition_none(door, name):
    here = door(name.split()[0])
    message = genuine(name, here)
    first = here.send(message)
    assert first.status_code in (200, 202), first.content
    again = here.send(message)
    assert again.status_code in (200, 202)
    (given,) = here.inputs()
    if KINDS[name] is not None:
        assert given["body"] == KINDS[name]
    # Nothing that proves who sent it is kept with the run, whoever may read that.
    kept = orjson.dumps(given).decode()
    assert sent.SECRET not in kept
    assert not [one for one in given["headers"] if "signature" in one or "token" in one]
    proofs = [value for header, value in message.headers.items() if "signature" in header.lower()]
    assert not [one for one in proofs if one in kept]


@pytest.mark.parametrize("name", [name for name in KINDS if not name.startswith("sns")])
def test_a_message_that_another_secret_signed_is_refused(door, name):
    here = door(name.split()[0])
    answer = here.send(genuine(name, here, secret="whsec_" + "QUJD" * 8))
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "bad_signature")
    assert here.inputs() == []


@pytest.mark.parametrize("name", [name for name in KINDS if name not in ("gitlab", "graph")])
def test_a_message_that_was_changed_on_its_way_is_refused(door, name):
    here = door(name.split()[0])
    message = genuine(name, here)
    at = message.raw.index(b"o" if b"o" in message.raw else b"e", 8)
    changed = message.raw[:at] + b"u" + message.raw[at + 1 :]
    answer = here.send(replace(message, raw=changed))
    assert answer.status_code == 401, answer.content
    assert here.inputs() == []


@pytest.mark.parametrize("name", [name for name in KINDS if not name.startswith(("graph", "sns"))])
def test_a_message_without_its_proof_is_refused(door, name):
    here = door(name.split()[0])
    message = genuine(name, here)
    proofs = [one for one in message.headers if "signature" in one.lower() or one == "X-Gitlab-Token"]
    assert proofs
    bare = replace(
        message, headers={key: value for key, value in message.headers.items() if key not in proofs}
    )
    answer = here.send(bare)
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "not_signed")
    assert here.inputs() == []


@pytest.mark.parametrize("name", ["slack event", "slack command", "stripe", "gitlab signed"])
@pytest.mark.parametrize("off", [-400, 400])
def test_a_message_of_another_time_is_refused(door, name, off):
    here = door(name.split()[0])
    answer = here.send(genuine(name, here, at=int(time.time()) + off))
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "bad_timestamp")
    assert here.inputs() == []


def test_no_message_passes_before_the_secret_of_the_sender_is_known(api, make_hook):
    hook = make_hook("start", MAPPING, preset="stripe")
    assert (hook["secret"], hook["secrets"], hook["preset"]) == (None, [], "stripe")
    path = urlsplit(hook["url"]).path
    answer = sent.stripe(PAID).sent_to(Client(), path)
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "no_secret")
    # An empty key would be one that everybody knows.
    assert sent.stripe(PAID, secret="").sent_to(Client(), path).status_code == 401
    rotated = api.post(f"/api/v1/webhooks/{hook['id']}/rotate", {"secret": sent.SECRET})
    assert (rotated.status_code, rotated.json()["secret"]) == (200, None)
    assert sent.stripe(PAID).sent_to(Client(), path).status_code == 202


def test_while_a_secret_is_exchanged_both_count(api, door):
    here = door("github")
    path = f"/api/v1/webhooks/{here.hook['id']}/rotate"
    assert api.post(path, {"secret": "another", "overlap_seconds": 60}).status_code == 200
    assert here.send(sent.github(PUSH, delivery="1")).status_code == 202
    assert here.send(sent.github(PUSH, delivery="2", secret="another")).status_code == 202
    assert api.post(path, {"secret": "third", "overlap_seconds": 0}).status_code == 200
    assert here.send(sent.github(PUSH, delivery="3", secret="another")).status_code == 401


@pytest.mark.parametrize("preset", ["github", "gitlab", "graph"])
def test_a_secret_that_the_sender_takes_from_us_is_made_and_shown_once(api, make_hook, preset):
    hook = make_hook("start", MAPPING, preset=preset)
    assert len(hook["secret"]) >= 43
    message = getattr(sent, preset)(CHANGE, secret=hook["secret"])
    assert message.sent_to(Client(), urlsplit(hook["url"]).path).status_code == 202
    rotated = api.post(f"/api/v1/webhooks/{hook['id']}/rotate", {}).json()
    assert rotated["secret"] not in (None, hook["secret"])
    assert hook["secret"] not in str(api.get(f"/api/v1/webhooks/{hook['id']}").json())


def test_stripe_repeats_an_event_with_other_details(door):
    here = door("stripe")
    assert here.send(sent.stripe(PAID)).status_code == 202
    again = here.send(sent.stripe(PAID | {"pending_webhooks": 1}))
    assert (again.status_code, again.json()) == (200, {"duplicate": True})
    assert len(here.inputs()) == 1


def test_a_challenge_is_answered_and_starts_nothing(door, amazon):
    github = door("github").send(sent.github({"zen": "Speak"}, event="ping"))
    assert (github.status_code, github.content) == (200, b"pong")
    challenge = {
        "type": "url_verification",
        "challenge": "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P",
    }
    slack = door("slack").send(sent.slack(challenge))
    assert (slack.status_code, slack.content.decode()) == (200, challenge["challenge"])
    assert Run.unsafe_all_tenants.count() == 0


def test_a_challenge_of_slack_needs_its_signature(make_hook):
    path = urlsplit(make_hook("start", {}, preset="slack", secret=sent.SECRET)["url"]).path
    forged = sent.slack({"type": "url_verification", "challenge": "x"}, secret="other")
    assert forged.sent_to(Client(), path).status_code == 401


def test_the_validation_of_graph_is_text_that_no_browser_takes_for_a_page(door):
    here = door("graph")
    token = "Validation: <script>alert(1)</script> & +é"
    request = sent.Request(b"", query="?" + urlencode({"validationToken": token}))
    answer = here.send(request)
    assert (answer.status_code, answer.content.decode()) == (200, token)
    assert answer.headers["Content-Type"].startswith("text/plain")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_each_notification_of_graph_must_prove_itself(door):
    here = door("graph")
    mixed = sent.graph(CHANGE, CHANGE | {"clientState": "guessed"})
    bare = sent.Request(orjson.dumps({"value": [CHANGE]}))
    empty = sent.Request(orjson.dumps({"value": []}))
    for forged in (mixed, bare, empty):
        assert here.send(forged).status_code == 401
    tokens = orjson.loads(sent.graph(CHANGE).raw) | {"validationTokens": ["eyJhbGciOi"]}
    assert here.send(sent.Request(orjson.dumps(tokens))).status_code == 202
    assert [one["body"] for one in here.inputs()] == [{"value": [CHANGE]}]


def test_meta_asks_for_the_verify_token_with_get(door):
    here = door("meta")
    asked = {"hub.mode": "subscribe", "hub.challenge": "1158201444", "hub.verify_token": sent.VERIFY_TOKEN}
    answer = here.send(sent.Request(b"", query="?" + urlencode(asked), method="GET"))
    assert (answer.status_code, answer.content) == (200, b"1158201444")
    for change in ({"hub.verify_token": "guessed"}, {"hub.verify_token": ""}, {"hub.mode": "other"}):
        forged = here.send(sent.Request(b"", query="?" + urlencode(asked | change), method="GET"))
        assert forged.status_code == 401
    stored = InboundWebhook.unsafe_all_tenants.get().settings
    assert sent.VERIFY_TOKEN not in str(stored)


@pytest.mark.parametrize("preset", [None, *(name for name in PRESETS if name != "meta")])
def test_only_meta_is_asked_with_get(make_hook, preset):
    given = SETTINGS.get(preset, {}) | ({"preset": preset} if preset else {})
    path = urlsplit(make_hook("start", {}, **given)["url"]).path
    answer = Client().get(path)
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")


def test_twilio_signs_the_public_address(door):
    here = door("twilio")
    local = sent.twilio(SMS, "http://testserver" + here.path)
    assert here.send(local).status_code == 401
    answer = here.send(sent.twilio(SMS, here.public))
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "text/xml; charset=utf-8")
    assert answer.content.endswith(b"<Response/>")


def test_twilio_s_json_body_must_have_the_hash_that_was_signed(door):
    here = door("twilio")
    message = sent.twilio_json({"a": 1}, here.public)
    assert here.send(replace(message, raw=b'{"a": 2}')).status_code == 401
    assert here.send(message).status_code == 200


def test_the_documented_samples_of_github_slack_and_twilio_are_accepted():
    """Secret, content and signature as the documentation of GitHub, Slack and Twilio prints them."""
    from_github = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert sent._hex(b"Hello, World!", "It's a Secret to Everybody") == from_github.removeprefix("sha256=")
    body = (
        b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar"
        b"&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com"
        b"%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN"
        b"&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
    )
    stamp = "1531420618"
    signature = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"
    incoming = _incoming(
        body, {"X-Slack-Signature": signature, "X-Slack-Request-Timestamp": stamp}, sent.FORM
    )
    accepted = PRESETS["slack"].accept(
        incoming, _credentials("8f742231b10e8888abcd99yyyzzz85a5", float(stamp))
    )
    assert accepted.body["command"] == "/webhook-collect"
    call = {"From": "+14158675309", "To": "+18005551212", "CallSid": "CA1234567890ABCDE"}
    call |= {"Caller": "+14158675309", "Digits": "1234"}
    url = "https://mycompany.com/myapp.php?foo=1&bar=2"
    header = {"X-Twilio-Signature": "RSOYDt4T1cUTdK1PDd93/VVr8B8="}
    incoming = _incoming(urlencode(call).encode(), header, sent.FORM, url)
    assert PRESETS["twilio"].accept(incoming, _credentials("12345", 0.0)).body == call


def _incoming(raw, headers, content_type, url="https://handoff.example/hooks/x"):
    meta = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()}
    return Incoming("POST", HttpHeaders(meta | {"CONTENT_TYPE": content_type}), {}, url, raw)


def _credentials(secret, now):
    return Credentials([secret.encode()], {}, now)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"preset": "bitbucket"}, "preset"),
        ({"preset": "sns"}, "topic_arn"),
        ({"preset": "sns", "topic_arn": "arn:aws:sqs:eu-central-1:123456789012:orders"}, "topic_arn"),
        ({"preset": "sns", "topic_arn": sent.TOPIC + "\n"}, "topic_arn"),
        ({"preset": "sns", "topic_arn": sent.TOPIC, "secret": "x"}, "secret"),
        ({"preset": "meta", "secret": "x"}, "verify_token"),
        ({"preset": "github", "verify_token": "x"}, "verify_token"),
        ({"preset": "github", "topic_arn": sent.TOPIC}, "topic_arn"),
        ({"preset": "github", "secret": "with blank"}, "secret"),
        ({"preset": "github", "secret": "é"}, "secret"),
        ({"preset": "graph", "secret": "x" * 129}, "secret"),
        ({"preset": "github", "allow_unsigned": True}, "allow_unsigned"),
        ({"secret": "x"}, "secret"),
        ({"topic_arn": sent.TOPIC}, "topic_arn"),
    ],
)
def test_what_does_not_fit_a_preset_is_refused_at_its_field(api, order, given, field):
    body = {"name": "shop", "workflow": "order", "action": "start", **given}
    answer = api.post("/api/v1/webhooks", body)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)
    assert not InboundWebhook.unsafe_all_tenants.exists()
    assert not WebhookSecret.unsafe_all_tenants.exists()


def test_settings_of_a_preset_are_changed_and_no_unsigned_message_is_let_in(api, door):
    here = door("sns")
    path = f"/api/v1/webhooks/{here.hook['id']}"
    other = "arn:aws:sns:us-east-1:123456789012:orders"
    assert api.patch(path, {"topic_arn": other}).json()["topic_arn"] == other
    assert here.send(sent.sns()).status_code == 401
    refused = api.patch(path, {"allow_unsigned": True})
    assert (refused.status_code, refused.json()["error"]["field"]) == (400, "allow_unsigned")
    assert api.patch(path, {"verify_token": "x"}).json()["error"]["field"] == "verify_token"
