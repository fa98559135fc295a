"""What a run does now, and what tells it from others of its workflow, in a few words each: a row of a list. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.catalogue import Json
from engine.statuses import RunStatus, StepStatus
from runs.kernel import wait_kinds

SHORT = 160
"""So many characters of a value are enough to tell it by."""
DEEP = 4
"""So far into a value that holds others it is looked for what tells it."""
A_NAME = 60
"""So many characters a name, a number or an address has at most; a longer text is somebody's words."""
TELLING = ("title", "name", "subject", "summary", "result", "message", "text", "decision", "status")
"""Fields that tell a value by themselves; of others one does, with its name: the first one in its author's order, and
where that is not known what reads like a name or a number of something ("Lea Vogt", "A-1007") rather than a choice
among a few ("administrator"), a text rather than an amount.
"""
_FIRST = (StepStatus.RUNNING, StepStatus.WAITING, StepStatus.QUEUED)
_SAID = {
    RunStatus.CANCELLED: "Cancelled",
    RunStatus.CONTINUED: "Went on as a new run",
    RunStatus.COMPENSATED: "What it did was undone",
}


def now_of(run: Mapping[str, Any]) -> str:
    """What a run as it is shown does now: the step at work, whom or what it waits for, why it failed, or its result."""
    if run["status"] == RunStatus.FAILED:
        return _failure(run)
    if run["completed_at"] is not None:
        if run["status"] == RunStatus.COMPLETED:
            return peek(run["output"])
        return _SAID.get(run["status"], "")
    if run["status"] == RunStatus.WAITING_FOR_MANUAL_ACTION:
        return _on_one_line(run["waiting_for"] or "")
    open_steps = [step for step in run["steps"] if step["status"] in _FIRST]
    if not open_steps:
        return _on_one_line(run["waiting_for"] or "")
    first = min(open_steps, key=lambda step: _FIRST.index(step["status"]))
    more = f", and {len(open_steps) - 1} more" if len(open_steps) > 1 else ""
    return _on_one_line(f"{_of_step(first)}{more}")


def _of_step(step: Mapping[str, Any]) -> str:
    if step["status"] == StepStatus.RUNNING:
        return f"{step['title']}, attempt {step['attempt']}" if step["attempt"] > 1 else step["title"]
    if step["waiting_for"] is None:
        return str(step["title"])
    if step["next_attempt_at"] is not None:
        return f"{step['title']}, {step['waiting_for']}"
    if wait_kinds.names_step(step["waiting"] or {}):
        return f"Waits for {step['waiting_for']}"
    return f"{step['title']} waits for {step['waiting_for']}"


def _failure(run: Mapping[str, Any]) -> str:
    """The step that failed and why, as far as its error is at hand."""
    error = run["error"] or {}
    failed = [step for step in run["steps"] if step["status"] == StepStatus.FAILED]
    titles = {step["node"]: step["title"] for step in run["steps"]}
    title = titles.get(error.get("node") or "") or (failed[0]["title"] if failed else "")
    message = _on_one_line(str(error.get("message") or ""))
    return ": ".join(part for part in (title, message) if part)


def peek(value: Json, order: Sequence[str] = ()) -> str:
    """What tells a value from others, on one line: itself where it is a text or a number, else one of its fields.

    `order`: names of its fields as its author has them.
    """
    return _peek(value, DEEP, order)


def _peek(value: Json, depth: int, order: Sequence[str] = ()) -> str:
    if isinstance(value, str):
        return _on_one_line(value)
    if isinstance(value, bool) or value is None:
        return "" if value is None else ("yes" if value else "no")
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list):
        return f"{len(value)} item{'' if len(value) == 1 else 's'}"
    if depth == 0:
        return ""
    if len(value) == 1:
        return _peek(next(iter(value.values())), depth - 1)
    for name in TELLING:
        if isinstance(value.get(name), str) and value[name].strip():
            return _on_one_line(value[name])
    fields_in_order = [(name, value[name]) for name in order if not isinstance(value.get(name), bool | None)]
    for name, field in [*fields_in_order, *sorted(value.items(), key=lambda item: _rank(item[1]))]:
        if isinstance(field, str | int | float) and (text := _peek(field, 0)):
            return _on_one_line(f"{name[:1].upper()}{name[1:].replace('_', ' ')} {text}")
    return ""


def _rank(field: Json) -> int:
    if not isinstance(field, str):
        return 2
    is_name = len(field) <= A_NAME and any(letter.isupper() or letter.isdigit() for letter in field)
    return 0 if is_name else 1


def _on_one_line(text: str) -> str:
    """The beginning of a text with each run of blanks as one."""
    words = " ".join(text[: SHORT * 2].split())
    return words if len(words) <= SHORT else f"{words[: SHORT - 1]}…"
