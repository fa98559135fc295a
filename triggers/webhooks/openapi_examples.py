"""What the OpenAPI document shows as examples of webhooks, by the names of the schemas."""

from typing import Any, Final

_WEBHOOK: Final[dict[str, Any]] = {
    "id": "01a22e0c-a3c5-77c6-8c3e-92e1ffe1ef3c",
    "name": "claims",
    "workflow": "expense_claim",
    "action": "start",
    "mapping": {"business_key": "{{ body.claim }}", "input": {"amount": "{{ body.amount }}"}},
    "preset": None,
    "topic_arn": None,
    "url": "https://handoff.example.com/hooks/IloaCvNVzd8Lh_aJhlNr-w",
    "allow_unsigned": False,
    "enabled": True,
    "acts_for": "ann",
    "last_refusal": None,
    "secrets": [{"number": 1, "created_at": "2026-06-07T11:26:00Z", "expires_at": None}],
    "created_at": "2026-06-07T11:26:00Z",
}
EXAMPLES: Final[dict[str, Any]] = {
    "CreateWebhookRequest": {
        "name": "claims",
        "workflow": "expense_claim",
        "action": "start",
        "mapping": _WEBHOOK["mapping"],
    },
    "Webhook": _WEBHOOK,
    "WebhookWithSecret": _WEBHOOK | {"secret": "whsec_xTaflJV88FzJ66z6vm/v39FK9NorDqyewm6L5vGhz28="},
}
