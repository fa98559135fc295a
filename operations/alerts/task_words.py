"""What alerts say of tasks and schedules."""

from collections.abc import Mapping

from engine.catalogue import Json
from operations.alerts.words import Words, capitalized, counted, many_of, seconds_in_words

Facts = Mapping[str, Json]


def task_undecidable(facts: Facts, _: str | None) -> Words:
    """Open tasks of a workflow that nobody can decide."""
    tasks = counted(facts, "task")
    return Words(
        f"{facts['workflow']}: nobody can decide {tasks}",
        f"{capitalized(tasks)} of {facts['workflow']} can be decided by nobody, or by too few, the first since "
        f"{seconds_in_words(facts['seconds'])}.",
        "Open the list: each says why, and what to do about it, such as to give it to somebody else.",
        "/inbox/?view=undecidable",
    )


def task_overdue(facts: Facts, _: str | None) -> Words:
    """Open tasks of a workflow that are past their due time."""
    tasks = counted(facts, "task")
    verb = "is" if facts["many"] == 1 else "are"
    return Words(
        f"{facts['workflow']}: {tasks} {verb} overdue",
        f"{capitalized(tasks)} of {facts['workflow']} {verb} overdue; the first was due "
        f"{seconds_in_words(facts['seconds'])} ago.",
        "See who has them, remind them, or give them to somebody else.",
        "/inbox/?view=open",
    )


def schedule_stopped(facts: Facts, _: str | None) -> Words:
    """A schedule that is on and starts nothing."""
    name, workflow = facts["name"], facts["workflow"]
    if facts["skips"]:
        times = many_of(facts["skips"], "time")
        why = f" {facts['why']}" if facts["why"] else ""
        message = f"It started nothing of {workflow} the last {times} that it was due.{why}"
    else:
        message = f"It should have started a run of {workflow} {seconds_in_words(facts['late'])} ago."
    return Words(
        f"The schedule {name} starts nothing",
        message,
        "Open it to see what was in its way.",
        f"/schedules/{facts['id']}",
    )
