"""Limits of bulk jobs."""

REASON_CHARACTERS = 1000
"""The reason that somebody types for a bulk job."""
JOB_RUNS = 100_000
"""Runs of one job: each is a row."""
REFUSAL_REASONS = 50
"""Different reasons of refusals that a job reports; the others are counted together."""
ITEM_ATTEMPTS = 10
"""Attempts on an item whose run is locked by others."""
MESSAGE_CHARACTERS = 2000
"""The message of one result: of a longer one the beginning is kept."""
WAITED_SECONDS = 1.5
"""Time for which a request does the items of the job that it has begun: small selections are done in it."""
LOCK_SECONDS = 0.25
"""Time for which a request waits for each lock of an item: one that others have longer is left to the workers."""
CHOSEN_ITEMS = 1000
"""Runs, dead letters or tasks of one job that are named one by one."""
CSV_ITEMS = 1000
"""Items of a CSV file that are read at once."""
