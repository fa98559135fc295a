"""How verbs for many runs are told."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """How a verb is told: on its button, what it means, and of runs with which it was done."""

    does: str
    means: str
    done: str


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
}
