"""Limits of schedules: their fields, what one tick handles, what pages show."""

TICK_FIRINGS = 100
"""Due times of one schedule that one tick handles; the next tick handles the others."""
MISSED_FIRINGS = 10_000
"""Consecutive missed due times that are counted."""
OVERVIEW_ROWS = 20
"""Schedules on the page of a workflow."""
NAME_CHARACTERS = 128
"""The name of a schedule, as wide as its column."""
NOTE_CHARACTERS = 500
"""The note that says why a schedule is off."""
CATCHUP_PERIOD_SECONDS = 30 * 86_400
"""How far back missed due times may be caught up."""
UPCOMING_FIRINGS = 100
"""Future due times that one call asks for."""
CRON_CHARACTERS = 200
"""A cron expression, before it is parsed."""
INTERVAL_SECONDS = 366 * 86_400
"""The interval of a schedule."""
JITTER_SECONDS = 86_400
"""The random delay of a schedule."""
SKIPPED_FIRINGS = 400
"""Consecutive due times on days off; after these nothing is due any more."""
WORKFLOW_CHOICES = 500
"""Workflows that the form offers."""
