"""Which workflows the steps of a run may start whose names come out of expressions (docs/security.md, "Child runs").

A name that is written in the definition was checked when that was published, for its publisher.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from runs.kernel.graphs import graph_of
from runs.kernel.wait_kinds import Wait
from runs.store.attempts import ClaimedStep
from runs.store.child_runs import Beginner
from workflows.starters import ComputedStart, allowed_starts

NOT_ALLOWED: Final = "not_allowed"
"""Why a child is not started whose workflow is unknown, or not allowed: nobody learns which of both."""


def forbidden(steps: Sequence[tuple[ClaimedStep, Wait]], parents: Mapping[str, Beginner]) -> set[str]:
    """The ids of those steps that may not start the workflow that they computed; in one statement, if there is any."""
    computed = {
        step.id: _starts_of(parents[step.run_id], wait["workflow"])
        for step, wait in steps
        if "input" in wait and wait.get("workflow") is not None and not _is_written(step, wait["workflow"])
    }
    if not computed:
        return set()
    allowed = allowed_starts([start for starts in computed.values() for start in starts])
    return {step for step, starts in computed.items() if not allowed.issuperset(starts)}


def computed_pin(step: ClaimedStep, wait: Wait, parent: Beginner) -> tuple[ComputedStart, ...]:
    """Who wants a version that an expression named, or of a workflow that one named; nobody for what is written."""
    if wait.get("version") is None or wait.get("workflow") is None:
        return ()
    params = graph_of(step.version_id).step(step.node, step.index).params
    is_written = params.constant("version") == wait["version"] and _is_written(step, wait["workflow"])
    return () if is_written else _starts_of(parent, wait["workflow"])


def message_of(wait: Wait) -> str:
    """What the step is told, whether there is such a workflow or not."""
    return f"There is no workflow {wait['workflow']} that this run may start."


def _starts_of(parent: Beginner, workflow: str) -> tuple[ComputedStart, ...]:
    """The start by each person whose rights it has at most: all of them must be allowed."""
    return tuple(ComputedStart(parent.tenant, name, parent.workflow, workflow) for name in parent.people)


def _is_written(step: ClaimedStep, workflow: str) -> bool:
    """Whether the definition itself says the name."""
    params = graph_of(step.version_id).step(step.node, step.index).params
    return bool(params.constant("workflow") == workflow)
