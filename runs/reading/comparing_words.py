"""What is different between two runs, in plain words: the left one is called A, the right one B; pure."""

from collections.abc import Mapping
from typing import Any

from engine.catalogue import Json
from engine.statuses import StepStatus

Row = Mapping[str, Any]

_SHORT = 60
_OF_STEP = {
    "input": "got different input",
    "status": "ended differently",
    "output": "gave different output",
    "error": "failed with a different error",
    "attempts": "took a different number of attempts",
}


def said(compared: Row) -> str:
    """In what two runs first differ, in one or two sentences. `compared`: what `comparing.compare` gives."""
    first = compared["first_difference"]
    if first is None:
        return _nothing(compared)
    if first["node"] is not None:
        parts = compared["ways_part"]
        then = f" {_then(compared)}" if parts is not None and parts["node"] != first["node"] else ""
        return f"The first difference: {_of_step(compared, first)}.{then}"
    before = {
        "workflow": "These are runs of different workflows.",
        "version": f"They used different versions, A {_version(compared, 0)} and B {_version(compared, 1)}.",
        "input": f"They were started with different input{_where(compared['input'])}.",
    }.get(first["what"])
    if before is not None:
        return f"{before} {_then(compared)}"
    if first["what"] == "output":
        return f"All steps are the same; the output of the runs is not{_where(compared['output'])}."
    one, other = (_words(run["status"]) for run in compared["runs"])
    return f"All steps are the same; A is {one}, B {other}."


def differences(step: Row) -> str:
    """In what a step differs, in a few words; empty where it doesn't."""
    if step["path"] in ("left", "right"):
        side, other = ("A", "B") if step["path"] == "left" else ("B", "A")
        return f"Only {side} reached this" + ("" if step["differs"] else f"; {other} may still")
    words = [_OF_STEP[what] for what in step["differs"]]
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def _nothing(compared: Row) -> str:
    if _is_open(compared):
        return "So far there is no difference; they have not both ended yet."
    if _unknown(compared):
        return "There is no difference in what can be compared: some values can't be, and are marked below."
    return "There is no difference: the same steps, with the same input and output."


def _unknown(compared: Row) -> bool:
    values = any(compared[of]["same"] is None for of in ("input", "output"))
    return values or any(step["not_told"] for step in compared["steps"])


def _then(compared: Row) -> str:
    """Where the ways of both part."""
    if compared["ways_part"] is not None:
        return f"The paths diverge where {_of_step(compared, compared['ways_part'])}."
    if _is_open(compared):
        return "So far they took the same path."
    return "They took the same path nevertheless."


def _is_open(compared: Row) -> bool:
    return any(run["duration_seconds"] is None for run in compared["runs"])


def _of_step(compared: Row, difference: Row) -> str:
    """“Title” and what is different of it."""
    step = next(one for one in compared["steps"] if one["node"] == difference["node"])
    title, what = f"“{step['title'] or step['node']}”", difference["what"]
    if what == "path":
        side, other = ("A", "B") if step["path"] == "left" else ("B", "A")
        return f"only {side} reached {title}, {other} did not"
    if what == "status":
        return f"{title} {_became(step['left'])} in A and {_became(step['right'])} in B"
    if what == "attempts":
        return f"{title} took {_attempts(step['left'])} in A and {_attempts(step['right'])} in B"
    if what == "error":
        return f"{title} failed in both, with different errors"
    if what == "input":
        return f"{title} got different input{_where_of(step['input_changes'])}"
    same = "from the same input " if step["input_same"] else ""
    return f"{title} gave different output {same}".rstrip() + _where_of(step["output_changes"])


def _where(values: Row) -> str:
    return _where_of(values["changes"])


def _where_of(changes: list[dict[str, Json]]) -> str:
    """Where the first change is, in brackets."""
    path = changes[0]["path"] if changes else ""
    return f" (`{path}`)" if 0 < len(path) <= _SHORT and "`" not in path else ""


def _version(compared: Row, place: int) -> str:
    version = compared["runs"][place]["version"]
    return "a draft" if version is None else f"v{version}"


def _became(side: Row) -> str:
    """“failed” and “completed” by itself, “was skipped” and “was cancelled” by others."""
    by_itself = side["status"] in (StepStatus.FAILED, StepStatus.COMPLETED)
    return _words(side["status"]) if by_itself else f"was {_words(side['status'])}"


def _attempts(side: Row) -> str:
    count = side["attempts"]
    return f"{count} attempt{'' if count == 1 else 's'}"


def _words(status: str) -> str:
    return status.replace("_", " ").lower()
