"""The steps within the containers of a run, as its graph shows them: how each stands over all items."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from engine.statuses import STEP_OPEN, StepStatus
from runs.kernel import graphs
from runs.limits import INNER_PARTS
from runs.reading.inner_steps import steps_of_items
from runs.reading.run_view import PENDING
from runs.reading.stored import LOOPS
from runs.store import children
from runs.store.children import Inner

_FIRST_SEEN = (StepStatus.FAILED, StepStatus.RUNNING, StepStatus.WAITING, StepStatus.QUEUED)
"""Of items that stand differently what matters most comes first."""


@dataclass(frozen=True, slots=True)
class InnerShown:
    """A step within a container; `counts`: of how many items it stands how, `total`: how many items there are.

    `run`: that of the first item of which it failed, else of the first of which it completed. `is_cut`: there are more
    items than were counted. `undone`: of how many items it was undone.
    """

    node: str
    container: str
    title: str
    type: str
    counts: Mapping[str, int] = field(default_factory=dict)
    total: int | None = None
    run: str | None = None
    is_cut: bool = False
    undone: int = 0

    @property
    def failed(self) -> int:
        """Of how many items it failed."""
        return self.counts.get(StepStatus.FAILED, 0)

    @property
    def over(self) -> int:
        """Of how many items it was done, or failed; of those that took another branch it was not."""
        return sum(
            count
            for status, count in self.counts.items()
            if status not in STEP_OPEN and status != StepStatus.SKIPPED
        )

    @property
    def status(self) -> str:
        """How it stands, taken together."""
        first = next((str(status) for status in _FIRST_SEEN if self.counts.get(status)), None)
        if first is not None:
            return first
        skipped = self.counts.get(StepStatus.SKIPPED, 0)
        is_decided = bool(self.counts) and (self.total is None or self.over + skipped >= self.total)
        if not is_decided:
            return PENDING
        return str(StepStatus.COMPLETED if self.over else StepStatus.SKIPPED)


def inner_shown(tenant: int, run_id: UUID, version: int, *, is_past: bool) -> list[InnerShown]:
    """The steps within the containers of a run in the order of its version, one statement for all of them; of how
    they stood in the past nothing is known. Those whose id another step has are left out.
    """
    one = graphs.shown_or_none(version)
    if one is None or not (steps := [*steps_of_items(one.graph)]):
        return []
    counted: dict[tuple[str, str], Inner] = {}
    if not is_past:
        rows = children.inner_steps(tenant, str(run_id), loops=LOOPS, most=INNER_PARTS)
        counted = {(one.container, one.node): one for one in rows}
    by_id = {}
    for container, step in steps:
        if step.id not in one.graph.nodes and step.id not in by_id:
            by_id[step.id] = _shown(
                container, step.id, step.title, step.type, counted.get((container, step.id))
            )
    return [*by_id.values()]


def _shown(container: str, node: str, title: str, kind: str, counted: Inner | None) -> InnerShown:
    if counted is None:
        return InnerShown(node, container, title, kind)
    place = counted.failed or counted.first
    run = place[0] if place else None
    return InnerShown(
        node, container, title, kind, counted.counts, counted.total, run, counted.cut, counted.undone
    )
