"""Which steps of a version ask people: themselves, in what they do for each item, or in a workflow that they run."""

from collections import Counter
from collections.abc import Iterable, Mapping

from engine.graph import Graph, Node
from lib.refusals import Refusal
from runs.kernel.graphs import shown
from workflows.checking.references import Named, named_in
from workflows.models import WorkflowVersion
from workflows.queries import startable_version


def asks(node: Node) -> bool:
    """Whether a step asks people by itself, or for an item."""
    if node.spec.asks_people:
        return True
    return (node.body is not None and asks(node.body)) or (node.part is not None and _any_asks(node.part))


def asking_nodes(tenant: int, versions: Iterable[int]) -> dict[int, list[str]]:
    """The steps of each of these versions (their ids) that ask people, or begin a run that may.

    Of a workflow that a step names the version counts that would start now; what only a run knows may ask. The number
    of statements depends on the definitions alone.
    """
    return {version: sorted(_asking(tenant, version, frozenset())) for version in {*versions}}


def _asking(tenant: int, version: int, above: frozenset[int]) -> set[str]:
    graph = shown(version).graph
    nodes = {name for name, node in graph.nodes.items() if asks(node)}
    begun = {name: count for name, node in graph.nodes.items() if (count := _runs_in(node))}
    if not begun.keys() - nodes or version in above:
        return nodes
    native = WorkflowVersion.with_tests.for_tenant(tenant).get(pk=version).definition
    quiet = Counter(
        _outermost(native, one) for one in named_in(native) if not _may_ask(tenant, one, above | {version})
    )
    return nodes | {name for name, count in begun.items() if quiet[name] < count}


def _may_ask(tenant: int, named: Named, above: frozenset[int]) -> bool:
    try:
        version = startable_version(tenant, named.workflow, named.version, may_pin=lambda: True)
    except Refusal:
        # None can begin.
        return False
    return bool(_asking(tenant, version, above))


def _runs_in(node: Node) -> int:
    """How many steps in it, itself too, begin runs of other workflows."""
    inner = [
        *([] if node.body is None else [node.body]),
        *([] if node.part is None else node.part.nodes.values()),
    ]
    return int(node.spec.begins_run and node.part is None) + sum(map(_runs_in, inner))


def _any_asks(graph: Graph) -> bool:
    return any(map(asks, graph.nodes.values()))


def _outermost(native: Mapping[str, object], named: Named) -> str | None:
    """The step of the definition in which a workflow is named."""
    place = named.field.removeprefix("nodes[").partition("]")[0]
    nodes = native["nodes"]
    return str(nodes[int(place)]["id"]) if place.isdigit() and isinstance(nodes, list) else None
