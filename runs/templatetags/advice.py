"""What somebody can do about an error of a step, in a sentence."""

from collections.abc import Mapping
from typing import Any

from django import template

from engine.errors import is_done
from steps.catalogue import EXECUTABLE

register = template.Library()

_NEW_INPUT = (
    "Another attempt with this input would fail in the same way: try the step again with another one, "
    "or run it all again."
)
_NEW_VERSION = (
    "Correct the step in the workflow and publish it; then resume this run on the new version, "
    "or run it again."
)
_LATER = "This is often temporary: resume the run, and it goes on at this step."
_LLM = "Have an admin configure a language model, then resume the run: it goes on at this step."
_NOT_ALLOWED = (
    "Have an admin allow the address if that is right, and resume the run; "
    "or correct the step in the workflow, publish it and run it again."
)
_DONE = (
    "The work was done: to resume the run or to try the step again does it once more. Skip the step to go on "
    "without its answer."
)
_FAULT = "This is a fault of the step type, not of the input: please report it with the error below."

_OF_CODE = {
    "BadInput": _NEW_INPUT,
    "BadParams": _NEW_VERSION,
    "ExpressionError": _NEW_VERSION,
    "TooMuchWork": _NEW_VERSION,
    "JoinNeverFired": "Leave `join` out or change the connections, publish, and run again.",
    "NoBranchMatched": "Add a default connection, publish, and run again; or run again with another input.",
    "BadOutput": _FAULT,
    "InternalError": _FAULT,
    "LlmNotConfigured": _LLM,
    "NotConfigured": "Have an admin set this up, then resume the run: it goes on at this step.",
    "HttpRefused": _NOT_ALLOWED,
    "BrokenVersion": "Install the step type that this version needs, then resume the run.",
    "Timeout": "It took longer than its time limit. Resume the run; if that recurs, raise its `timeout_seconds`.",
    "ScheduleToStartTimeout": "No worker took it in time. Check that one serves its queue, then resume the run.",
    "LeaseLost": "Its worker sent no heartbeat in time: see its log, or give it a longer lease. Then resume the run.",
}


@register.filter
def what_to_do(error: Mapping[str, Any]) -> str:
    """The advice that fits an error's code, or what it says was done."""
    if is_done(error):
        return _DONE
    if advice := _OF_CODE.get(error.get("code", "")):
        return advice
    return (
        _LATER
        if error.get("retryable")
        else "Once its cause is gone, resume the run: it goes on at this step."
    )


@register.filter
def step_notice(step: Mapping[str, Any]) -> str | None:
    """What a step that completed has to say beside its status."""
    step_type = EXECUTABLE.get(step["type"])
    return step_type.notice(step["output"]) if step_type and step["status"] == "COMPLETED" else None
