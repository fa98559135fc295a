"""Which steps of a version ask people: themselves, in what they do for each item, or in a workflow that they run."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from engine.bodies import all_it_does, body_of
from engine.catalogue import Json
from engine.graph import Graph, Node
from engine.holes import has_holes
from lib.refusals import Refusal
from runs.kernel.graphs import shown
from steps.catalogue import EXECUTABLE
from tasks_inbox.design.deciders import asking_steps
from tasks_inbox.eligibility import policies
from workflows.checking.references import Named, named_in
from workflows.models import WorkflowVersion
from workflows.queries import startable_version


class Barring(NamedTuple):
    """Whom steps bar that have not asked: those who have decided, or asked for the run; and the keys of others."""

    deciders: bool
    requesters: bool
    keys: frozenset[str]


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


def no_longer_asked(tenant: int, before: int, after: int) -> set[str]:
    """The steps of a version (its id) in which people are asked what another version of the workflow does not ask."""
    asking = {version: {*names} for version, names in asking_nodes(tenant, (before, after)).items()}
    inner = {version: _asked_in(tenant, version) for version in (before, after)}
    return {
        name
        for name in asking[before]
        if name not in asking[after] or inner[before][name] - inner[after].get(name, set())
    }


@lru_cache(maxsize=500)
def _asked_in(tenant: int, version: int) -> Mapping[str, set[str]]:
    """The human steps in each step of a version, which never changes."""
    nodes = _native(tenant, version)["nodes"]
    return {one["id"]: {activity.id for activity in asking_steps({"nodes": [one]})} for one in nodes}


def barring(tenant: int, versions: Iterable[int], node: tuple[int, str] | None = None) -> Barring:
    """Whom the human steps of these versions (their ids), and of one `node` of a version, bar by their definitions.

    Workflows that they name count as in `asking_nodes`; one that only a run knows bars who asked for the run.
    """
    natives = [_native(tenant, version) for version in {*versions}]
    if node is not None:
        whole = _native(tenant, node[0])
        natives.append({"nodes": [one for one in whole["nodes"] if one["id"] == node[1]]})
    keys: set[str] = set()
    bars_deciders = bars_requesters = False
    others = {*versions}
    while natives:
        native = natives.pop()
        for activity in asking_steps(native):
            params = activity.step.get("params") or {}
            names = params.get("exclude")
            keys |= (
                {*policies.excluded(name for name in names if not has_holes(name))}
                if isinstance(names, list)
                else set()
            )
            bars_deciders |= params.get("exclude_deciders") is True
            bars_requesters |= params.get("exclude_requester") is True
        bars_requesters |= _computes_names(native)
        new = {
            version for one in named_in(native) if (version := _version_of(tenant, one)) is not None
        } - others
        natives += [_native(tenant, version) for version in new]
        others |= new
    return Barring(bars_deciders, bars_requesters, frozenset(keys))


def _computes_names(native: Mapping[str, Json]) -> bool:
    """Whether an expression says which workflow a step runs."""
    steps = [activity.step for activity in all_it_does(native, EXECUTABLE)]
    return any(
        has_holes((where or {}).get("workflow"))
        for step in steps
        for where in (step.get("params"), body_of(step, EXECUTABLE))
    )


def _asking(tenant: int, version: int, above: frozenset[int]) -> set[str]:
    graph = shown(version).graph
    nodes = {name for name, node in graph.nodes.items() if asks(node)}
    begun = {name: count for name, node in graph.nodes.items() if (count := _runs_in(node))}
    if not begun.keys() - nodes or version in above:
        return nodes
    native = _native(tenant, version)
    quiet = Counter(
        _outermost(native, one) for one in named_in(native) if not _may_ask(tenant, one, above | {version})
    )
    return nodes | {name for name, count in begun.items() if quiet[name] < count}


def _native(tenant: int, version: int) -> Mapping[str, Json]:
    definition: Mapping[str, Json] = WorkflowVersion.with_tests.for_tenant(tenant).get(pk=version).definition
    return definition


def _may_ask(tenant: int, named: Named, above: frozenset[int]) -> bool:
    version = _version_of(tenant, named)
    return version is not None and bool(_asking(tenant, version, above))


def _version_of(tenant: int, named: Named) -> int | None:
    """The version that would start; None where none can."""
    try:
        return startable_version(tenant, named.workflow, named.version, may_pin=lambda: True)
    except Refusal:
        return None


def _runs_in(node: Node) -> int:
    """How many steps in it, itself too, begin runs of other workflows."""
    inner = [
        *([] if node.body is None else [node.body]),
        *([] if node.part is None else node.part.nodes.values()),
    ]
    return int(node.spec.begins_run and node.part is None) + sum(map(_runs_in, inner))


def _any_asks(graph: Graph) -> bool:
    return any(map(asks, graph.nodes.values()))


def _outermost(native: Mapping[str, Json], named: Named) -> str | None:
    """The step of the definition in which a workflow is named."""
    place = named.field.removeprefix("nodes[").partition("]")[0]
    return str(native["nodes"][int(place)]["id"]) if place.isdigit() else None
