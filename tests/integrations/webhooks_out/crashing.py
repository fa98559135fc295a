"""A worker that sends events to webhooks, and may die at it."""

import os

from integrations.webhooks_out import store, switching
from tests.integrations.webhooks_out.receiving import deliver

STAGED = (
    "lease_outgoing due_outgoing outgoing_secrets note_outgoing note_served release_outgoing drop_outgoing "
    "overfull_outgoing forget_outgoing page_outgoing_replay"
)
"""The statements of webhooks that go out, which `test_crashes.py` dies at."""

HARMLESS = (
    "ask_outgoing_replay discard_outgoing wake_outgoing replay_outgoing retire_outgoing_secrets "
    "switch_outgoing_off"
)
"""Statements that can be asked for again."""


def send(allowed: str) -> None:
    """Send what is due to webhooks at this place, and do what is done every minute."""
    os.environ["HANDOFF_EGRESS_ALLOW"] = allowed
    deliver("victim")
    store.page_replay(5_000)
    deliver("victim")
    switching.keep_bounds()
    store.forget(10)
