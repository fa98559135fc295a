"""Limits of bulk jobs."""

REASON_CHARACTERS = 1000
"""The reason that somebody types for a bulk job."""
JOB_RUNS = 100_000
"""Runs of one job: each is a row."""
REFUSAL_REASONS = 50
"""Different reasons of refusals that a job reports; the others are counted together."""
ITEM_ATTEMPTS = 10
"""Attempts on an item whose run is locked by others."""
