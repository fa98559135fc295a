"""Steps by the ids that rochallor has for them: of each version once, since a version never changes."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from engine.dialects.rochallor import step_ids
from engine.graph import Node
from runs.kernel.graphs import shown
from workflows.models import WorkflowVersion

SERVICE_TASK: Final = "SERVICE_TASK"
USER_TASK: Final = "USER_TASK"
WAIT: Final = "WAIT"
_TYPES: Mapping[str, str] = {
    "job": SERVICE_TASK,
    "decision": "DECISION",
    "transform": "TRANSFORMATION",
    "signal": WAIT,
    "parallel": "PARALLEL_GATEWAY",
    "join": "JOIN_GATEWAY",
    "end": "END",
}


@dataclass(frozen=True, slots=True)
class Names:
    """Of a version: the id that rochallor has for each node that it knows, and of which type that is there."""

    workflow: str
    number: int
    step_of: Mapping[str, str]
    type_of: Mapping[str, str]

    def type_named(self, step_id: str) -> str | None:
        """The type of the step of this id; None where there is no such step."""
        return next((self.type_of[node] for node, name in self.step_of.items() if name == step_id), None)


@lru_cache(maxsize=2000)
def names_of(version_id: int) -> Names:
    """How rochallor calls the steps of the version with this id."""
    # It is of the tenant whose run or job names it.
    version = WorkflowVersion.unsafe_all_tenants.get(pk=version_id)
    graph = shown(version_id)
    steps = {node: name for node, name in step_ids(version.definition).items() if node in graph.graph.nodes}
    types = {node: rochallor_type(graph.graph.nodes[node]) for node in steps}
    return Names(graph.workflow, graph.number or 0, steps, types)


def rochallor_type(node: Node) -> str:
    """The type of rochallor that is nearest to that of a node: what we do by ourselves is a service, too."""
    return USER_TASK if node.spec.asks_people else _TYPES.get(node.type, SERVICE_TASK)
