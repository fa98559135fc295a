"""The words of verbs for many runs, dead letters or tasks."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a verb: on its button, what it means, and of what it was done to; `noun`: of one of these."""

    does: str
    means: str
    done: str
    noun: str = "run"


WORDS = {
    "cancel": Words(
        "Cancel",
        "Waiting steps are cancelled at once, running ones are awaited, and nothing new starts. A cancelled run "
        "can't be resumed.",
        "cancelled",
    ),
    "pause": Words("Pause", "Running steps finish, nothing new starts.", "paused"),
    "unpause": Words("Continue", "Paused runs go on where they stopped.", "continued"),
    "resume": Words(
        "Resume", "Completed steps are kept; the failed one and those after it run again.", "resumed"
    ),
    "reassign": Words(
        "Reassign tasks of",
        "The open tasks of each run are given to whom you chose, if all of them ask it; otherwise none of "
        "that run is.",
        "reassigned",
    ),
    "retry": Words(
        "Retry",
        "Each run goes on at the step that failed. Steps that completed are kept.",
        "retried",
        "dead letter",
    ),
    "discard": Words(
        "Discard",
        "They leave the list of open dead letters, and their runs stay as they are and can still be resumed. A step "
        "that waits for an operator fails its run.",
        "discarded",
        "dead letter",
    ),
    "claim": Words("Claim", "Nobody else decides them from then on.", "claimed", "task"),
    "assign": Words("Assign", "Only whom you chose can decide them from then on.", "assigned", "task"),
    "snooze": Words("Snooze", "They leave your lists until then. Others still see them.", "snoozed", "task"),
    "decide": Words(
        "Decide",
        "Each is decided separately and has its own evidence. The decisions count at once and can't be undone.",
        "decided",
        "task",
    ),
    "undo": Words("Undo", "The decisions do not count.", "undone", "task"),
}

SHARED = {
    "resolved": "These dead letters were already resolved.",
    "decided_already": "Others already decided these.",
    "being_decided": "Others are deciding these right now.",
    "claimed": "Others have claimed these.",
    "returned": "These were returned for changes.",
    "not_a_candidate": "These tasks ask others.",
    "excluded": "You are excluded from deciding these.",
}
"""What refusals of one code share whose messages name people and times."""
