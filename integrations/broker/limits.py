"""Limits of the outbox and its broker."""

RECONCILED_QUEUES = 50
"""Queues that one pass examines."""
STREAM_ENTRIES = 1_000_000
"""Entries of a stream that nobody reads, approximately; the outbox sends what is cut off again."""
PUBLISHED_BYTES = 16 * 1024 * 1024
"""Events that are published together; for a single one the broker decides."""
COUNTED_EVENTS = 10_000
"""Events of the outbox that are counted."""
RETRIED_EVENTS = COUNTED_EVENTS
"""Events that one call tries again."""
SEARCHES = 100
"""How often one call looks for the next parked events; each search takes some 40 ms."""
RESEND_SECONDS = 3600.0
"""The longest pause before an event is sent again."""
COUNTED_QUEUES = 10_000
"""Queues whose events are counted."""
RETRY_SECONDS = 60.0
"""The longest pause before the broker is tried again."""
PARKED_SECONDS = 3600.0
"""The longest pause before a parked event is tried again."""
FAILING_EVENTS = 1_000
"""Events that cannot be published and are counted."""
SEARCHED_EVENTS = 5_000
"""Parked events and others among which these are looked for; a thousand cost a few milliseconds."""
