"""Limits of what the pages of dispatch read."""

START_WORKERS = (2, 4)
"""Worker processes for a queue to start with: one alone stops with its host, more than four mostly poll in vain."""
START_BATCH_JOBS = 10
"""Jobs in a batch to start with: a round trip is shared by ten, and a lease holds for all of them."""
START_PAUSE_MILLISECONDS = 250
"""A pause after an empty poll to start with: four polls a second cost nothing, and nobody waits for longer."""
QUEUE_ITEMS = 200
"""Items of a queue in one answer: `ready` counts all of them."""
LEASED_JOBS = 10_000
"""Leased jobs among which external workers are looked for."""
READY_STEPS = 10_000
"""Ready steps that are counted."""
SAMPLES = 100
"""Samples of dispatch that a page reads."""
QUEUE_ROWS = 1_000
"""Queues of all tenants that are read, in order of their names."""
CONTENDED_SHARE = 0.1
"""Of the polls that found steps: from this share of locked ones on there are too many pollers for the batches."""
CONTENDED_READY_STEPS = 100
"""With fewer ready steps polls find them locked because there are few, not because of how they are claimed."""
EMPTY_SHARE = 0.8
"""Of all polls: workers that find something in every fifth poll poll often enough."""
EMPTY_POLLS_A_SECOND = 10.0
"""Fewer empty polls cost the database next to nothing."""
