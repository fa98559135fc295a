"""Limits of the rochallor engine's API."""

REASON_CHARACTERS = 2_000
"""The reason of a cancellation."""
INSTANCE_ROWS = 100
"""Instances of a page."""
POLLED_JOBS = 100
"""Jobs of one poll."""
POLLED_TYPES = 500
"""Job types of one poll."""
PAGE_ROWS = 200
"""Rows of a page."""
COUNTED_ROWS = 10_000
"""The total of a longer list is this number, and later rows are on no page."""
COMPLETED_BY_CHARACTERS = 200
"""Who completed a task, as a caller names them."""
WORKER_CHARACTERS = 200
"""The id of a worker."""
JOB_TYPE_CHARACTERS = 256
"""The type of a job."""
