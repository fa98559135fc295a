"""What a run waits for, in one sentence."""

from collections.abc import Mapping, Sequence

from engine.catalogue import Json
from engine.statuses import RUN_CLOSING, RUN_OPEN, RUN_UNDOING, RunStatus, StepStatus
from runs.reading.leaves import NAMED, Below

_WHILE: Mapping[str, str] = {
    RunStatus.FAILING: "It fails once running steps have ended: ",
    RunStatus.CANCELLING: "It is cancelled once running steps have ended: ",
    RunStatus.COMPENSATING: "It undoes what was done: ",
}
_WHILE_CHILDREN_UNDO = "It completes when what failed below it is undone: "
_BESIDE_A_FAILURE = "The run fails when its other branches have ended: "


def in_words(
    status: str, rows: Sequence[Mapping[str, Json]], below: Below, *, has_failed: bool = False
) -> str | None:
    """One sentence on what a run of this status waits for, until it has ended: its first open step, or what the runs
    below it wait for, and how many more. `has_failed`: of an open run, whether a step has failed beside others.
    """
    if status == RunStatus.WAITING_FOR_MANUAL_ACTION:
        titles = [row["title"] for row in rows if row["undoes"] and row["status"] == StepStatus.FAILED]
        titles += [
            group.first.title or "a step of another workflow"
            for group in below.groups
            if group.first.is_failed
        ]
        return f"somebody to see to what could not be undone: {', '.join(titles)}" if titles else None
    if status not in RUN_OPEN | RUN_CLOSING | RUN_UNDOING:
        return None
    before = _BESIDE_A_FAILURE if has_failed else _WHILE.get(status, "")
    waiting = [row for row in rows if row["waiting_for"]]
    if waiting:
        more = f", and {len(waiting) - 1} more" if len(waiting) > 1 else ""
        return f"{before}{waiting[0]['title']} waits for {waiting[0]['waiting_for']}{more}"
    if below.groups:
        before = before or _WHILE_CHILDREN_UNDO
        more = f"; and {len(below.groups) - NAMED} more" if len(below.groups) > NAMED else ""
        return f"{before}{'; '.join(group.phrase for group in below.groups[:NAMED])}{more}"
    if status in RUN_CLOSING | RUN_UNDOING:
        return f"{before}what is still at work has to end"
    return "Nothing that it waits for is known: this should not happen, and is checked every minute"
