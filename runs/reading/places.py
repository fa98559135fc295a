"""Places in the tree of a run: the steps that lead from the root down."""

from collections.abc import Iterable, Mapping

from engine.catalogue import Json
from engine.graph import Graph


def in_words(place: Iterable[Mapping[str, Json]]) -> str:
    """A place as people read it: `For each order, item 2 › step ask`, where the `title` of the last step is None."""
    return " › ".join(
        step_in_words(
            one.get("title") or (f"step {one['node']}" if "title" in one else one["node"]), one["index"]
        )
        for one in place
    )


def step_in_words(title: str, index: int | None) -> str:
    """A step, or one of its items or rounds, which has everywhere the number that programs take as its `index`."""
    return title if index is None else f"{title}, item {index}"


def titled(graph: Graph, place: Iterable[Mapping[str, Json]]) -> list[dict[str, Json]]:
    """A place below a run of this graph, with the titles of its steps; within another workflow they are not known."""
    steps: list[dict[str, Json]] = []
    inner: Graph | None = graph
    for one in place:
        node = None if inner is None else inner.steps.get(one["node"])
        steps.append({**one, "title": node.title if node else None})
        body = None if node is None else node.body
        inner = None if body is None else body.part
    return steps
