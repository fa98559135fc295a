"""Limits of figures."""

from datetime import timedelta

FIGURE_GROUPS = 200
"""Workflows with the most runs, and kinds of steps with the longest duration, that are listed."""
FIGURES_PERIOD = timedelta(days=1100)
"""The period of figures: as long as counts are kept for three years."""
VERSION_NUMBER = 2_147_483_647
"""The largest number of an integer column of PostgreSQL."""
