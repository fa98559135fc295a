"""Limits of outgoing webhooks: what tenants set, how long messages are tried, what pages count."""

MESSAGE_BYTES = 1_000_000
"""A message with its event, as JSON."""
PENDING_MESSAGES = 100_000
"""Messages that may wait for a webhook; with more it is switched off. Switching it on again allows as many on top."""
RETRY_SECONDS = 12 * 3600.0
"""The longest pause between two attempts of a message."""
MESSAGE_ATTEMPTS = 13
"""Attempts to deliver one message."""
ENDPOINT_PAUSE_SECONDS = 300.0
"""The longest pause of a webhook after failures in a row; its other messages may fare better."""
RETRY_AFTER_SECONDS = 24 * 3600.0
"""The longest pause that a receiver may ask for."""
ANSWER_BYTES = 1_000_000
"""What is read of a receiver's answer."""
ERROR_CHARACTERS = 500
"""The error of an attempt that is kept."""
OVERLAP_SECONDS = 30 * 24 * 3600
"""How long an old secret stays valid beside its successor."""
VALID_SECRETS = 5
"""Valid secrets of a webhook: each costs a signature per message."""
TENANT_WEBHOOKS = 50
"""Webhooks of a tenant: each is examined for each event."""
URL_CHARACTERS = 2_000
"""The address of a webhook."""
DESCRIPTION_CHARACTERS = 200
"""The description of a webhook."""
REPLAY_DAYS = 30
"""How far back messages are sent again."""
CALLED_CHARACTERS = 150
"""The name of a webhook in a mail, as wide as its column."""
WORKFLOW_CHOICES = 500
"""Workflows that the form offers."""
WAITING_MESSAGES = 1_000
"""Waiting messages that the list counts for each webhook."""
COUNTED_MESSAGES = 100_000
"""Waiting messages that the page of one webhook counts."""
