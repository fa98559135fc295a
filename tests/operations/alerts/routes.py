"""What lists of tests of the API have of the routes of alerts (`tests/api/verbs.py`, `audited.py`)."""

from tests.api.playing import OFF, ON, Settled, form

RECORDED = {
    "alert_channel.create": "api-alert-channels operations-alert-channels",
    "alert_channel.change": "api-alert-channel:PATCH operations-alert-channel operations-alert-channel-switch",
    "alert_channel.delete": "api-alert-channel:DELETE operations-alert-channel-delete",
    "alert_rule.create": "api-alert-rules operations-alert-rule-new",
    "alert_rule.change": "api-alert-rule:PATCH operations-alert-rule",
    "alert_rule.delete": "api-alert-rule:DELETE operations-alert-rule-delete",
}
NOT_RECORDED = {
    "is about one alert, which says who did it": (
        "api-alert-acknowledge api-alert-mute api-alert-resolve operations-alert-acknowledge "
        "operations-alert-mute operations-alert-resolve"
    ),
    "sends something once more, and changes no setting": "api-alert-channel-test operations-alert-channel-test",
}
SENT = {
    ("api-alert-channels", "POST"): {"name": "two", "kind": "mail", "address": "ann@shop.example"},
}
UNPLAYED = (
    "operations-alert-channels operations-alert-channel operations-alert-rule operations-alert-rule-new"
)
BODIES = {
    ("api-alert-mute", "POST"): {"seconds": 60},
    ("api-alert-rules", "POST"): {"kind": "disk", "name": "ours"},
    ("api-alert-channels", "POST"): {"kind": "mail", "name": "ours", "address": "ann@shop.example"},
}
SETTLED = {
    ("api-alert-acknowledge", "POST"): (Settled(),),
    ("api-alert-resolve", "POST"): (Settled(),),
    ("api-alert-channel", "PATCH"): (OFF, ON),
    ("api-alert-rule", "PATCH"): (OFF, ON),
    ("operations-alert-acknowledge", "POST"): (form(),),
    ("operations-alert-channel-switch", "POST"): (form(), form(on="1")),
    ("operations-alert-resolve", "POST"): (form(),),
    ("operations-alert-channel-delete", "POST"): (form(),),
}
ANEW = (
    "api-alert-channels api-alert-rules operations-alert-channels operations-alert-rule-new "
    "api-alert-channel-test operations-alert-channel-test api-alert-mute operations-alert-mute"
)
ELSEWHERE = "operations-alert-channel operations-alert-rule operations-alert-rule-delete"
NO_DOORS = {
    "is about what asks operators": (
        "api-alert-acknowledge api-alert-resolve api-alert-mute operations-alert-acknowledge "
        "operations-alert-resolve operations-alert-mute"
    ),
}
QUERIES = {"operations-alert-rule-new": "?kind=disk"}
