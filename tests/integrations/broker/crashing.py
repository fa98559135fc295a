"""Statements of brokers at which no crash is staged: each is alone in its transaction. Relays are killed elsewhere."""

HARMLESS = "lead_outbox leave_outbox settle_events resend_events add_missing_events empty_outbox retry_aside"
