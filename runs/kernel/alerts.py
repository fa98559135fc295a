"""Alerts: what a person must learn of although they look at no page.

History has each as an event `ALERT`, written by whoever raises it. From here they go out: one line at ERROR each.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Alert:
    """`kind` says what happened, as the event's payload does; `facts` what else there is to know."""

    kind: str
    tenant: int
    run: str
    node: str
    facts: Mapping[str, Any]


def send(alerts: Sequence[Alert]) -> None:
    """Tell of these once the transaction that has caused them is committed (R-136, R-214)."""
    if alerts:
        transaction.on_commit(lambda: _write(alerts))


def _write(alerts: Sequence[Alert]) -> None:
    for one in alerts:
        facts = {"tenant": one.tenant, "run": one.run, "node": one.node, **one.facts}
        text = " ".join(f"{name}={value!r}" for name, value in facts.items())
        log.error("alert %s %s", one.kind, text, extra={"alert": one.kind, **facts})
