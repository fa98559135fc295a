"""Limits of what the pages of dispatch read."""

LEASED_JOBS = 10_000
"""Leased jobs among which external workers are looked for."""
READY_STEPS = 10_000
"""Ready steps that are counted."""
SAMPLES = 100
"""Samples of dispatch that a page reads."""
QUEUE_ROWS = 1_000
"""Queues of all tenants that are read, in order of their names."""
