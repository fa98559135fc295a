"""Statements at which no crash is staged."""

import re

_WRITES = re.compile(
    r"(?i)\b(INSERT|UPDATE|DELETE|LOCK|SHARE|NOTIFY|pg_notify|set_config|pg_\w*advisory\w*)\b"
)


def writes(statement: str) -> bool:
    """Whether it writes or locks. To die before one that only reads is to die before the next that writes."""
    return _WRITES.search(re.sub(r"--.*", "", statement)) is not None


HARMLESS = frozenset(
    {
        # Each is alone in its transaction.
        "receive_jobs",
        "receive_done_jobs",
        "note_swept",
        # What a pass found and where it came to are one statement; a pass that ends before it is done again.
        "begin_history_check",
        "hold_calendars",
        "note_history_check",
        "take_duty",
        "end_duty",
        "limit_statements",
        # Each writes a message in the transaction that found nothing else to do.
        "close_later",
        "resume_later",
        # A part that can't be moved yet is told again in the transaction that deletes its message.
        "tell_part_again",
        "note_not_migrated",
        # A signal whose step waits no more goes back in the transaction that deletes its message.
        "return_signals",
        "release_signals",
        "pass_on_messages",
        "postpone_message",
        "note_unsent",
        "installation",
        "forecast_cursor",
        "runs_changed",
        "learn_rest_times",
        "next_to_forecast",
        "keep_forecasts",
        "forget_rest_times",
        "keep_log",
    }
)
"""Statements that note that something is over, lease a duty, which others take over, count what happened, or keep what
a step says: no half is left. Features have theirs in `HARMLESS` of `crashing.py` of their tests.
"""
