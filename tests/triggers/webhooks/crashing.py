"""Messages that come to webhooks, for the crash points (`tests/crash/test_crash_points.py`)."""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

import orjson

from accounts.principal import EVERYWHERE, Principal
from accounts.roles import ADMIN, SCOPES
from lib.uuid7 import uuid7
from tests import factories as make
from tests.crash.victim import drain
from tests.triggers.webhooks.senders import incoming
from tests.webhooks import signed
from triggers.webhooks import deliveries
from triggers.webhooks.actions import deliver
from triggers.webhooks.service import WithSecret, create_webhook, rotate_secret, token_of

Work = tuple[Callable[..., None], tuple[Any, ...]]
SIGNALS = make.graph(
    [{"id": name, "type": "signal", "params": {"name": name}} for name in ("go", "later")], ["go>later"]
)


def post(token: str, messages: Sequence[tuple[dict[str, str], bytes]]) -> None:
    """Send a webhook these messages (headers, body), each twice; work after each."""
    for headers, raw in messages:
        deliver(token, incoming(raw, headers))
        drain()
        deliver(token, incoming(raw, headers))


def rotate(principal: Principal, webhook: UUID) -> None:
    """Exchange a webhook's secret, and forget old messages."""
    rotate_secret(principal, webhook)
    deliveries.forget()


def hooked(key: str) -> tuple[Principal, WithSecret]:
    """A webhook that starts the run of this key if it is missing, and sends it a signal."""
    version, user = make.a_version(SIGNALS), make.a_member("author", "admin")
    principal = Principal(
        version.tenant_id, "default", user.pk, "author", ADMIN, SCOPES, "command", reach=EVERYWHERE
    )
    mapping = {"business_key": key, "signal_name": "{{ body.name }}", "start_if_missing": True}
    made = create_webhook(
        principal, name=key, workflow=version.workflow.name, action="signal", mapping=mapping
    )
    return principal, made


def posted() -> Work:
    key = uuid7()
    _, made = hooked(key)
    bodies = [orjson.dumps({"name": name}) for name in ("go", "later")]
    return post, (token_of(made.webhook), [(signed(made.secret, raw), raw) for raw in bodies])


def exchanged() -> Work:
    principal, made = hooked(uuid7())
    return rotate, (principal, made.webhook.id)


SCENARIOS = {"messages": (posted, {"COMPLETED"}), "secret": (exchanged, set())}
ASKED_AGAIN = (post,)
HARMLESS = "refuse_delivery clear_refusals"
"""Statements that note why a message was refused."""
