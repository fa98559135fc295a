"""A worker that starts what is due, and may die at it."""

from collections.abc import Sequence
from datetime import datetime

from lib.clock import set_now
from tests.crash.victim import drain
from triggers.schedules import firing, forgetting

STAGED = (
    "due_schedule buffered_schedule open_runs_of_schedule dealt_with insert_entries settle_entry move_schedule "
    "moment forget_entries"
)
"""The statements of schedules, which `test_crashes.py` dies at."""
HARMLESS = "orphaned_schedule stop_schedule"
"""Each is alone in its transaction, and looked for again by the next tick."""


def tick_schedules(at: Sequence[datetime]) -> None:
    """Do what is due at each of these times, and end the run that was started; then forget what is old."""
    for moment in at:
        set_now(moment)
        firing.fire(seconds=30)
        drain()
        firing.fire(seconds=30)
        drain()
    forgetting.forget()
