"""Limits of incoming webhooks: messages, mappings, what is kept and shown."""

BODY_BYTES = 1024 * 1024
"""The body of a message, from senders who have no token."""
MAPPING_BYTES = 64 * 1024
"""The mapping of a webhook, as JSON."""
SIGNAL_ID_CHARACTERS = 200
"""The id of a signal that a mapping produces."""
OVERVIEW_ROWS = 20
"""Webhooks on the page of a workflow."""
RECEIVED_ROWS = 20
"""Received messages on the page of a webhook."""
REFUSAL_CHARACTERS = 300
"""The reason of a refused message that is kept."""
OVERLAP_SECONDS = 30 * 24 * 3600
"""How long an old secret stays valid beside its successor."""
VALID_SECRETS = 5
"""Valid secrets of a webhook: each costs a signature per message."""
FORMER_NAMES = 20
"""Former names of a webhook that are kept, so that what it did under them is found."""
WORKFLOW_CHOICES = 500
"""Workflows that the form offers."""
