"""A worker that sends events to webhooks, and may die at it."""

import os

from runs.outgoing import switching
from runs.store import outgoing
from tests.outgoing import deliver

OF_OUTGOING = (
    "lease_outgoing due_outgoing outgoing_secrets note_outgoing note_served release_outgoing drop_outgoing "
    "overfull_outgoing forget_outgoing page_outgoing_replay"
)
"""The statements of webhooks that go out, which `test_outgoing_crashes.py` dies at."""


def send(allowed: str) -> None:
    """Send what is due to webhooks at this place, and do what is done every minute."""
    os.environ["HANDOFF_EGRESS_ALLOW"] = allowed
    deliver("victim")
    outgoing.page_replay(5_000)
    deliver("victim")
    switching.keep_bounds()
    outgoing.forget(10)
