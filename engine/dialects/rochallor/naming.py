"""What rochallor calls what Handoff has: steps by their ids, and failures in its words."""

from collections.abc import Mapping
from typing import Final

from engine.catalogue import Json
from engine.dialects.base import Document
from engine.dialects.rochallor.hints import hints_of, kept_in, of_steps

NO_BRANCH: Final = "DecisionNoBranchMatched"
WORKER_FAILED: Final = "JobFailed"
"""The code of a failure of which a worker gave nothing but a text: that is the reason."""
_REASONS: Mapping[str, str] = {"NoBranchMatched": NO_BRANCH, WORKER_FAILED: ""}


def step_ids(definition: Document) -> dict[str, str]:
    """Node to the id of its step, of those nodes of a definition of ours that rochallor knows; two may have the same.

    The decision that has the conditions behind a step of another type is no step of rochallor.
    """
    hints = of_steps(hints_of(definition.get("metadata")))
    choices = {hint.get("choice") for hint in hints.values()}
    own = {
        node: str(kept_in(hints.get(node, {})).get("id") or node)
        for node in (str(one.get("id")) for one in definition.get("nodes") or ())
        if node not in choices
    }
    return {node: own.get(str(hints.get(node, {}).get("copy_of")), name) for node, name in own.items()}


def failure_reason(error: Mapping[str, Json]) -> str:
    """Why a step or a run failed, as rochallor says it: a text, with its own word where no branch holds."""
    code, message = error.get("code"), error.get("message") or ""
    word = _REASONS.get(str(code), code)
    return f"{word}: {message}" if word else str(message)
