"""The steps within a run's containers: how each stands over all its items, with one of these as an example."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from uuid import UUID

from engine.catalogue import BODY
from engine.graph import Graph, Node
from runs.kernel import graphs
from runs.limits import INNER_PARTS
from runs.reading.presentation import run_rows
from runs.reading.run_view import ExampleView, InnerStepView, StepView
from runs.reading.stored import LOOPS, Bounds
from runs.store import children
from runs.store.children import Inner

SHOWN = Bounds(0, 256 * 1024, 4 * 1024 * 1024)


@dataclass(frozen=True, slots=True)
class Example:
    """A step as it is shown, of the item at `places` (from the outermost container's on), which run `run` does."""

    run: str
    places: list[int]
    step: StepView

    def as_dict(self) -> ExampleView:
        """As the API gives it; `index` is the place of the item in its own container."""
        return {"run_id": self.run, "places": self.places, **self.step, "index": self.places[-1]}


@dataclass(frozen=True, slots=True)
class InnerStep:
    """A step within a container over all items: `first` that completed, and `failed`, the first that did."""

    counted: Inner
    first: Example | None
    failed: Example | None

    def as_dict(self) -> InnerStepView:
        """As the API gives it."""
        return {
            "node": self.counted.node,
            "container": self.counted.container,
            "counts": self.counted.counts,
            "total": self.counted.total,
            "cut": self.counted.cut,
            "undone": self.counted.undone,
            "first": self.first.as_dict() if self.first else None,
            "failed": self.failed.as_dict() if self.failed else None,
        }


def inner_steps(
    tenant: int, run_id: UUID | str, bounds: Bounds = SHOWN, *, most: int = INNER_PARTS, failed: bool = True
) -> list[InnerStep]:
    """The steps within the containers of a run that have begun for some item, by container and in the order of its
    graph; two statements, however many items there are. Of more than `most` parts those nearest to the run are counted.

    What its version hasn't as a step of a container is left out: the one step of a body that waits has no id of its
    own. `failed`: whether those that failed are read.
    """
    counted = children.inner_steps(tenant, str(run_id), loops=LOOPS, most=most)
    order = {one: at for at, one in enumerate(_own(counted))}
    counted = sorted((one for one in counted if _key(one) in order), key=lambda one: order[_key(one)])
    places = [one.first for one in counted] + [one.failed for one in counted if failed]
    runs = {place[0] for place in places if place is not None}
    steps = _steps(tenant, runs, bounds) if runs else {}
    return [
        InnerStep(
            one,
            _example(one.first, one.node, steps),
            _example(one.failed, one.node, steps) if failed else None,
        )
        for one in counted
    ]


def steps_of_items(graph: Graph) -> Iterator[tuple[str, Node]]:
    """The steps with ids that a graph's containers do for each item, and those of containers among them: each with its
    container."""
    for node in graph.nodes.values():
        container = node
        while (body := container.body) is not None:
            if body.part is not None and container.literal[BODY].get("steps") is not None:
                yield from ((node.id, step) for step in body.part.nodes.values())
                yield from steps_of_items(body.part)
            container = body


def _own(counted: list[Inner]) -> list[tuple[str, str]]:
    """Container and id of the steps that the run's version has within its containers, by container."""
    if not counted:
        return []
    steps = steps_of_items(graphs.shown(counted[0].version).graph)
    return [(container, step.id) for container, step in sorted(steps, key=lambda one: one[0])]


def _key(one: Inner) -> tuple[str, str]:
    return one.container, one.node


def _steps(tenant: int, runs: Iterable[str], bounds: Bounds) -> dict[tuple[str, str], StepView]:
    return {
        (row["id"], step["node"]): step
        for row in run_rows(tenant, sorted(runs), bounds)
        for step in row["steps"]
    }


def _example(
    place: tuple[str, list[int]] | None, node: str, steps: dict[tuple[str, str], StepView]
) -> Example | None:
    if place is None:
        return None
    run, places = place
    step = steps.get((run, node))
    return None if step is None else Example(run, places, step)
