"""What happens if somebody chooses an outcome, in words, from the graph of the run's own version. Pure."""

from collections.abc import Iterable, Mapping

from engine.catalogue import Json
from engine.graph import Graph, Node
from engine.links import Edge
from engine.ports import port_of

SHOWN = 4


def consequences(graph: Graph, node: str, outcomes: Iterable[Mapping[str, Json]]) -> dict[str, str]:
    """What follows each outcome of a node, in a sentence; nothing where the graph has no such node."""
    step = graph.nodes.get(node)
    return {} if step is None else {one["name"]: _sentence(graph, step, one["name"]) for one in outcomes}


def _sentence(graph: Graph, step: Node, outcome: str) -> str:
    port = port_of(step.edges, outcome)
    if port.takes:
        return f"Next: {_titles(graph, port.takes)}."
    if port.may_take:
        return f"Depends on what is filled in: {_titles(graph, port.may_take)}."
    if step.is_sink or step.may_end(outcome):
        return _end(graph)
    return "No step follows this: the step fails, and what its author wrote for that comes next."


def _end(graph: Graph) -> str:
    """Of an item of a container, whose run is a part of another, not the whole run ends."""
    end = "this part of the run is done" if graph.is_part else "the run ends"
    return f"T{end[1:]}." if len(graph.sinks) == 1 else f"This branch ends; {end} with the others."


def _titles(graph: Graph, edges: Iterable[Edge]) -> str:
    titles = list(dict.fromkeys(f"“{graph.nodes[edge.target].title}”" for edge in edges))
    words = titles if len(titles) <= SHOWN else [*titles[: SHOWN - 1], f"{len(titles) - SHOWN + 1} more"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
