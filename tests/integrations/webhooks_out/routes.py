"""What lists of tests of the API have of the routes of webhooks that go out (`tests/api/verbs.py`, `audited.py`)."""

from datetime import UTC, datetime

from tests.api.playing import OFF, Settled, form

RECORDED = {
    "webhook_out.create": "api-outgoing-webhooks settings-outgoing-webhooks",
    "webhook_out.change": "api-outgoing-webhook:PATCH settings-outgoing-webhook-edit settings-outgoing-webhook-switch",
    "webhook_out.enable": "api-outgoing-webhook-enable",
    "webhook_out.discard": "api-outgoing-webhook-discard settings-outgoing-webhook-discard",
    "webhook_out.replay_since": "api-outgoing-webhook-replay-since settings-outgoing-webhook-replay-since",
    "webhook_out.rotate": "api-outgoing-webhook-rotate settings-outgoing-webhook-rotate",
    "webhook_out.delete": "api-outgoing-webhook:DELETE settings-outgoing-webhook-delete",
}
NOT_RECORDED = {
    "sends something once more, and changes no setting": (
        "api-outgoing-webhook-test settings-outgoing-webhook-test api-outgoing-webhook-replay "
        "settings-outgoing-webhook-replay"
    ),
}
SENT = {
    ("api-outgoing-webhooks", "POST"): {"workflow": "ours", "url": "https://hooks.example/two"},
}
UNPLAYED = (
    "settings-outgoing-webhook-edit settings-outgoing-webhooks settings-outgoing-webhook-replay-since "
    "settings-outgoing-webhook-rotate api-outgoing-webhook-enable"
)
BODIES = {
    ("api-outgoing-webhook-replay-since", "POST"): {"since": datetime.now(UTC).isoformat()},
    ("api-outgoing-webhook-discard", "POST"): {"confirm": True},
}
SETTLED = {
    ("api-outgoing-webhook", "PATCH"): (
        OFF,
        Settled({"enabled": True}, (("api-outgoing-webhook", {"enabled": False}),)),
    ),
    ("api-outgoing-webhook-discard", "POST"): (Settled({"confirm": True}),),
    ("api-outgoing-webhook-enable", "POST"): (
        Settled(),
        Settled(None, (("api-outgoing-webhook", {"enabled": False}),)),
    ),
    ("api-outgoing-webhook-replay", "POST"): (Settled(),),
    ("api-outgoing-webhook-replay-since", "POST"): (Settled({"since": datetime.now(UTC).isoformat()}),),
    ("settings-outgoing-webhook-discard", "POST"): (form(confirm="yes"),),
    ("settings-outgoing-webhook-switch", "POST"): (form(), form(on="1")),
    ("settings-outgoing-webhook-delete", "POST"): (form(),),
    ("settings-outgoing-webhook-replay", "POST"): (form(),),
}
ANEW = (
    "api-outgoing-webhook-rotate api-outgoing-webhooks settings-outgoing-webhook-rotate "
    "settings-outgoing-webhooks api-outgoing-webhook-test settings-outgoing-webhook-test"
)
ELSEWHERE = "settings-outgoing-webhook-edit settings-outgoing-webhook-replay-since"
