"""What lists of tests of the API have of the routes of webhooks that come in (`tests/api/verbs.py`, `audited.py`)."""

from tests.api.playing import OFF, Settled, form

RECORDED = {
    "webhook.create": "api-webhooks settings-webhooks",
    "webhook.change": "api-webhook:PATCH settings-webhook-switch",
    "webhook.rotate": "api-webhook-rotate settings-webhook-rotate",
    "webhook.delete": "api-webhook:DELETE settings-webhook-delete",
}
NOT_RECORDED = {
    "starts or operates runs, which have a history": "hook",
}
SENT = {
    ("api-webhooks", "POST"): {"name": "two", "workflow": "ours", "action": "start"},
}
UNPLAYED = "settings-webhooks settings-webhook-rotate"
SETTLED = {
    ("api-webhook", "PATCH"): (OFF, Settled({"enabled": True}, (("api-webhook", {"enabled": False}),))),
    ("settings-webhook-switch", "POST"): (form(), form(on="1")),
    ("settings-webhook-delete", "POST"): (form(),),
}
ANEW = "api-webhook-rotate api-webhooks settings-webhook-rotate settings-webhooks hook"
EXAMPLES = {("hook", "token"): "A" * 22}
PUBLIC_PAGES = {"hook": {"POST"}}
WHOSE = {"hook": "who signs the message, at an address of 128 random bits"}
