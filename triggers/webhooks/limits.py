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
FORM_FIELDS = 1_000
"""Fields of a message that is a form."""
HEADER_CHARACTERS = 2_000
"""A header of a message that a mapping reads; a longer one is left out."""
SECRET_CHARACTERS = 512
"""The secret of a sender; a sender's own limit may be lower."""
SETTING_CHARACTERS = 512
"""The name of a topic, or a verify token."""
CHALLENGE_CHARACTERS = 2_000
"""A challenge of a sender that is sent back."""
CLIENT_STATE_CHARACTERS = 128
"""The client state of a subscription of Microsoft Graph."""
SIGNATURE_PARTS = 20
"""Parts of the signature header of Stripe: each costs a comparison per secret."""
CERTIFICATE_BYTES = 16 * 1024
"""A certificate of Amazon SNS, of some 2 KiB."""
CERTIFICATES = 16
"""Certificates in memory; there is one for each region, and a new one each year."""
CONFIRMATION_BYTES = 64 * 1024
"""The answer of Amazon SNS to a confirmation."""
SNS_SECONDS = 10.0
"""How long Amazon SNS may take to answer; it waits 15 s itself."""
UNREACHED_SECONDS = 5.0
"""So long no certificate is asked for that could not be fetched: Amazon SNS sends the message again."""
SNS_AGE_SECONDS = 2 * 3600
"""How old a message of Amazon SNS may be: it tries for an hour at most."""
WORKFLOW_CHOICES = 500
"""Workflows that the form offers."""
