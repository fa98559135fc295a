"""A worker that raises alerts and sends messages of them, and may die at it."""

import os

from operations.alerts import evaluating, sending
from operations.alerts.models import AlertRule

STAGED = (
    "make_alert_rules alerts_of_queues alerts_of_failures alerts_of_steps alerts_of_compensations alerts_of_timers "
    "alerts_of_repairs alerts_of_history alerts_of_webhooks alerts_of_mails alerts_of_versions alerts_of_disk "
    "alerts_of_deadlines open_alerts former_alerts rules_of_alerts "
    "raise_alerts see_alerts resolve_alerts note_alerts_told write_alert_deliveries "
    "lease_alert_deliveries read_alert_messages note_alert_deliveries forget_alerts"
)
"""The statements of alerts, which `test_crashes.py` dies at."""


def watch(allowed: str) -> None:
    """Look until an alert is raised and seen again, send, then end its condition and tell that it is over."""
    os.environ["HANDOFF_EGRESS_ALLOW"] = allowed
    evaluating.look()
    evaluating.look()
    sending.send_due()
    AlertRule.unsafe_all_tenants.filter(kind="queue_depth").update(enabled=False)
    evaluating.look()
    sending.send_due()
    evaluating.forget()
