"""Every way past a human step: doors × states × people as one table, which `docs/security.md` shows.

`python -m tests.inbox.doors` writes it there; `test_doors.py` plays each cell, and finds a route that is in no row.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

DOC: Final = Path(__file__).resolve().parents[2] / "docs" / "security.md"
BEGIN, END = "<!-- doors: begin, written by `python -m tests.inbox.doors` -->", "<!-- doors: end -->"

DECIDES, OUTSIDE, MAY = "decides", "for others", "may"
BARRED, NO_RIGHT, NOT_NOW = "403", "–", "409"

PEOPLE: Final[Mapping[str, tuple[str, str]]] = {
    "olga": ("operator", "who started the run"),
    "paul": ("operator", "for whom it was started"),
    "dora": ("operator", "who decided above it"),
    "eve": ("operator", "who is excluded by name"),
    "anna": ("operator", "asked, operates"),
    "ann": ("approver", "asked"),
    "bert": ("operator", "not asked, operates"),
    "carl": ("approver", "not asked"),
}
"""Name → role, and who they are to the step. The first four it bars."""


@dataclass(frozen=True)
class Door:
    """One way: `title`, the `routes` by which people come, `states` of the step with what each of `PEOPLE` gets."""

    title: str
    routes: tuple[str, ...]
    states: Mapping[str, tuple[str, ...]]
    others: str = ""
    """Doors that call the same function and are played in tests of their own."""


def _cells(barred: str, asked: str, decider: str, operator: str, other: str) -> tuple[str, ...]:
    """Of the four who are barred, asked and operating, asked, operating, and of no concern."""
    return (*(barred,) * 4, asked, decider, operator, other)


_DECIDING = {
    "open": _cells(BARRED, DECIDES, DECIDES, BARRED, BARRED),
    "decided": (NOT_NOW,) * 8,
}
_SKIPPING = {
    "open": _cells(BARRED, DECIDES, NO_RIGHT, OUTSIDE, NO_RIGHT),
    "not asked yet": _cells(NOT_NOW, NOT_NOW, NO_RIGHT, NOT_NOW, NO_RIGHT),
    "failed": _cells(BARRED, OUTSIDE, NO_RIGHT, OUTSIDE, NO_RIGHT),
    "decided": _cells(NOT_NOW, NOT_NOW, NO_RIGHT, NOT_NOW, NO_RIGHT),
}
_INSIDE = {
    "open": _cells(BARRED, OUTSIDE, NO_RIGHT, OUTSIDE, NO_RIGHT),
    "not asked yet": _cells(BARRED, OUTSIDE, NO_RIGHT, OUTSIDE, NO_RIGHT),
    "decided": _cells(MAY, MAY, NO_RIGHT, MAY, NO_RIGHT),
}
_CANCELLING = {
    "open": _cells(BARRED, MAY, NO_RIGHT, MAY, NO_RIGHT),
    "not asked yet": _cells(BARRED, MAY, NO_RIGHT, MAY, NO_RIGHT),
    "decided": _cells(MAY, MAY, NO_RIGHT, MAY, NO_RIGHT),
}
_OPERATING = _cells(MAY, MAY, NO_RIGHT, MAY, NO_RIGHT)

DOORS: Final[Mapping[str, Door]] = {
    "decide": Door(
        "decide the task",
        ("api-task-complete",),
        _DECIDING,
        "`CompleteUserTask` of gRPC, `/v1/user-tasks`, mails",
    ),
    "decide page": Door("decide on its page", ("task-decide",), _DECIDING),
    "decide together": Door("decide many", ("api-tasks-bulk", "inbox-bulk-do"), {"open": _DECIDING["open"]}),
    "skip": Door("skip the step", ("api-step-skip",), _SKIPPING, "SDK"),
    "skip page": Door("skip on its page", ("step-skip",), _SKIPPING),
    "skip only step": Door("skip an item that is the step", ("api-step-skip",), {"open": _SKIPPING["open"]}),
    "skip item": Door("skip an item with steps", ("api-step-skip",), _INSIDE),
    "skip items page": Door("skip items on their page", ("run-items-act",), {"open": _INSIDE["open"]}),
    "skip container": Door("skip the container", ("api-step-skip", "step-skip"), _INSIDE),
    "cancel item": Door("cancel an item", ("api-step-cancel", "run-items-act"), _CANCELLING),
    "cancel child": Door(
        "cancel the run of an item",
        ("api-run-cancel", "run-cancel", "s4-cancel"),
        _CANCELLING,
        "`CancelRun`, `CancelInstance`",
    ),
    "cancel children": Door(
        "cancel runs together",
        ("runs-together", "api-runs-bulk", "api-bulk-jobs"),
        {"open": _CANCELLING["open"]},
    ),
    "cancel": Door("cancel the topmost run", ("api-run-cancel",), {"open": _OPERATING}),
    "migrate": Door(
        "move to a version without it",
        ("api-run-migrate", "run-migrate", "api-workflow-migrate", "workflow-move-runs"),
        {
            "not asked yet": _cells(BARRED, MAY, NO_RIGHT, MAY, NO_RIGHT),
            "open": _cells(NOT_NOW, NOT_NOW, NO_RIGHT, NOT_NOW, NO_RIGHT),
        },
    ),
    "resume": Door(
        "resume with a version without it",
        ("api-run-resume", "run-resume-on"),
        {"failed": _cells(BARRED, MAY, NO_RIGHT, MAY, NO_RIGHT)},
    ),
    "retry": Door(
        "try it again, which asks", ("api-step-retry", "step-retry", "run-resume"), {"failed": _OPERATING}
    ),
}

NO_DOORS: Final[Mapping[str, str]] = {
    "reads, notes or says something": (
        "api-task-comments task-comment api-task-snooze task-snooze api-task-watch task-watch "
        "api-task-unwatch api-task-draft task-draft api-task-files api-task-file task-attach "
        "task-take-back task-form api-inbox-views api-inbox-view inbox-view-add inbox-view-change "
        "inbox-view-delete run-seen-to api-files"
    ),
    "asks or answers, and decides nothing": (
        "api-task-ask api-task-answer task-answer api-task-return task-return api-task-resubmit task-resubmit"
    ),
    "changes who decides: exclusion beats it": (
        "api-task-claim task-claim api-task-unclaim task-unclaim api-task-assign api-task-delegate "
        "task-delegate api-task-escalate task-escalate api-away-rules api-away-rule settings-away-add "
        "settings-away-end"
    ),
    "takes back what does not count yet": "api-task-undo task-undo",
    "is about what asks operators": (
        "api-task-resolve task-resolve step-leave api-dead-letters-redrive api-dead-letter-redrive "
        "api-dead-letter-discard operations-letter-redrive api-dead-letters-discard"
    ),
    "lets the run stand still or go on as it is": (
        "api-run-pause run-pause api-run-unpause run-unpause api-step-pause api-step-unpause api-step-resume"
    ),
    "ends the topmost run": "request-withdraw api-request-withdraw",
    "reminds people and changes no task": "request-remind api-request-remind",
    "begins a run, which asks": (
        "api-workflow-trials api-runs api-runs-batch run-again workflow-start workflow-start-form workflow-test-form "
        "workflow-start-draft api-run-rerun step-rerun"
    ),
    "ends a wait for a signal, or a job: no human step is one": (
        "api-run-signals api-signals api-signals-broadcast run-signal api-jobs-claim api-jobs-poll "
        "api-job-complete api-job-fail api-job-heartbeat api-job-release api-jobs-complete "
        "api-jobs-fail api-jobs-heartbeat"
    ),
    "is of whoever asks alone": "settings-me settings-notifications settings-password api-me api-me-notifications",
}
"""Why a route gets nobody past a human step; features have theirs in `routes.py` of their tests."""


def lines() -> Iterator[str]:
    """The lines of the table in `docs/security.md`."""
    yield f"| door | the step is | {' | '.join(who for _, who in PEOPLE.values())} |"
    yield f"| {' | '.join(['---'] * (2 + len(PEOPLE)))} |"
    for door in DOORS.values():
        for state, cells in door.states.items():
            yield f"| {door.title} | {state} | {' | '.join(cells)} |"


def page(text: str) -> str:
    """A page with the table between its markers as it is here."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return "\n".join([f"{before}{BEGIN}", *lines(), f"{END}{after}"])


if __name__ == "__main__":
    DOC.write_text(page(DOC.read_text()))
