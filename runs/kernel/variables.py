"""What steps set of their runs' variables, written in the transaction that ends them (docs/engine.md, "Variables").

Whoever does so has the runs alone: so the order in which steps set a variable is that in which they ended, and the
last one counts. Whom it overtook without coming behind it in the graph stands in history.
"""

from collections.abc import Iterable
from typing import NamedTuple

from engine.catalogue import Json
from engine.effects import Assigned
from runs.kernel.graphs import graph_of
from runs.limits import OVERWRITTEN_VALUES
from runs.store import variables
from runs.store.variables import AssignedRow, VariableRow, Writer


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
    near = {_place(one): _beside(one) for one in todo}
    for one in todo:
        node = one.assigned.node
        overlaps: dict[str, Json] = {}
        for name, value in one.assigned.values.items():
            others = before.setdefault((one.run, name), [])
            nodes = near[_place(one)]
            writer_nodes = [other.node for other in others if other.node in nodes and _is_another(one, other)]
            beside = [*dict.fromkeys(reversed(writer_nodes))][:OVERWRITTEN_VALUES]
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


def _place(one: Setting) -> tuple[int, str, bool]:
    """What those have in common that are beside the same nodes."""
    return one.version, one.assigned.node, one.child is None


def _beside(one: Setting) -> frozenset[str]:
    """The nodes of which neither comes before this step nor behind it; its own where it is an item of a map."""
    graph, node = graph_of(one.version), one.assigned.node
    is_item = one.child is not None and not graph.nodes[node].spec.conditions
    return graph.beside(node) | ({node} if is_item else set())


def _is_another(one: Setting, other: Writer) -> bool:
    return other.node != one.assigned.node or other.child not in (None, one.child)
