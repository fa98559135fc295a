"""In which order what was done is undone where branches are undone at the same time (R-139). Pure."""

from collections.abc import Collection

from engine.graph import Graph


def free_to_undo(graph: Graph, left: Collection[str], undoing: Collection[str]) -> list[str]:
    """Of the nodes `left` to undo those behind which nothing is left and nothing is being undone, in their order.

    `undoing`: nodes whose compensations have begun and are not settled.
    """
    before: set[str] = set()
    free: list[str] = []
    for node in reversed(list(graph.nodes.values())):
        if before.isdisjoint(node.targets) and node.id in left:
            free.append(node.id)
        if node.id in left or node.id in undoing or not before.isdisjoint(node.targets):
            before.add(node.id)
    return free[::-1]
