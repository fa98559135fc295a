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
        # Each of the outbox is alone in its transaction; relays are killed between them in tests/integrations/broker.
        "lead_outbox",
        "leave_outbox",
        "settle_events",
        "receive_jobs",
        "receive_done_jobs",
        "resend_events",
        "add_missing_events",
        "empty_outbox",
        "retry_aside",
        "note_swept",
        "refuse_delivery",
        "clear_refusals",
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
        "put_bulk_item_off",
        "stop_bulk_job",
        "ask_outgoing_replay",
        "discard_outgoing",
        "wake_outgoing",
        "note_unsent",
        "installation",
        "replay_outgoing",
        "retire_outgoing_secrets",
        "switch_outgoing_off",
        "settle_telemetry",
        "lock_telemetry",
        "count_telemetry",
        "forget_telemetry",
        "forecast_cursor",
        "runs_changed",
        "learn_rest_times",
        "next_to_forecast",
        "keep_forecasts",
        "forget_rest_times",
        "keep_log",
        "keep_dispatch_sample",
        "forget_dispatch_samples",
        # Each is alone in its transaction, and looked for again by the next tick.
        "orphaned_schedule",
        "stop_schedule",
    }
)
"""Statements that note why a message was refused, is over or can't be delivered, stop a job,
which can be asked for again, lease a duty, which others take over, count what happened, or keep what a step says: no
half is left.
"""
