"""What steps set of their runs' variables, written in the transaction that ends them (docs/engine.md, "Variables").

Whoever does so has the runs alone: so the order in which steps set a variable is that in which they ended, and the
last one counts. Whom it overtook without coming behind it in the graph stands in history.
"""

from collections.abc import Iterable
from typing import NamedTuple

from engine.catalogue import Json
from engine.effects import Assigned
from engine.graph import Graph
from runs.kernel.graphs import graph_of
from runs.store import variables
from runs.store.rows import AssignedRow, VariableRow
from runs.store.variables import Writer


class Setting(NamedTuple):
    """What a step sets, of a run on this version; `child`: of a container's child its place."""

    run: str
    version: int
    assigned: Assigned
    child: int | None = None


def write(settings: Iterable[Setting]) -> None:
    """Set what these steps set, one after another."""
    todo = [*settings]
    if not todo:
        return
    names = {(one.run, name) for one in todo for name in one.assigned.values}
    before: dict[tuple[str, str], list[Writer]] = {}
    for writer in variables.writers(names):
        before.setdefault((writer.run, writer.name), []).append(writer)
    rows: dict[tuple[str, str, str], VariableRow] = {}
    events: list[AssignedRow] = []
    for one in todo:
        graph, node = graph_of(one.version), one.assigned.node
        overlaps: dict[str, Json] = {}
        for name, value in one.assigned.values.items():
            others = before.setdefault((one.run, name), [])
            beside = sorted({other.node for other in others if _is_beside(graph, one, other)})
            place = others[-1].place + 1 if others else 1
            others.append(Writer(one.run, name, node, one.child, place))
            if beside:
                overlaps[name] = beside
            rows[one.run, name, node] = {
                "run_id": one.run,
                "node": node,
                "name": name,
                "value": value,
                "index": one.child,
                "place": place,
                "beside": beside,
            }
        events.append(
            {
                "ordinal": len(events),
                "run_id": one.run,
                "node": node,
                "index": one.child,
                "given": one.assigned.values,
                "beside": overlaps or None,
            }
        )
    variables.set_variables([*rows.values()], events)


def _is_beside(graph: Graph, one: Setting, other: Writer) -> bool:
    """Whether neither of the two comes before the other: steps, or items of a map."""
    node = one.assigned.node
    if node == other.node:
        is_loop = bool(graph.nodes[node].spec.conditions)
        return one.child is not None and other.child not in (None, one.child) and not is_loop
    return other.node in graph.nodes and graph.is_beside(node, other.node)
