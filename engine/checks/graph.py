"""Rules about nodes and edges as a graph (R-013, R-023, H-6, H-7)."""

from collections.abc import Iterator, Mapping

from engine.approvals import COVERS
from engine.checks.flow import Flow
from engine.checks.outline import Outline, OutlineEdge, OutlineNode, did_you_mean
from engine.definition import NOf
from engine.ports import parts_by_outcome
from engine.problems import Problem, error, quoted, warning


def chains(outline: Outline, flow: Flow) -> Iterator[Problem]:
    """No longer chains than allowed."""
    limits, chain = outline.limits, flow.longest_chain()
    if len(chain) > limits.max_chain:
        message = (
            f"The longest chain, from {quoted(chain[0])} to {quoted(chain[-1])}, has {len(chain)} nodes; "
            f"{limits.max_chain} are allowed: split the workflow."
        )
        yield error("chain_too_long", "nodes", message, chain[0])


def apart(outline: Outline, flow: Flow) -> Iterator[Problem]:
    """What no edge connects with the first step starts at once, and nothing waits for it."""
    if len(outline.nodes) < 2 or not outline.edges or not flow.order:
        return
    links: dict[str, set[str]] = {name: set() for name in outline.by_id}
    for target, arrows in flow.into.items():
        for arrow in arrows:
            links[target].add(arrow.source)
            links[arrow.source].add(target)
    seen = _connected(links, outline.nodes[0].id)
    for item in outline.nodes:
        if item.id not in seen and not flow.into[item.id]:
            seen |= _connected(links, item.id)
            message = (
                f"No connection leads to {quoted(item.id)} or connects it with {quoted(outline.nodes[0].id)}: it "
                "starts at once. Add a connection to it, or remove it."
            )
            yield warning("starts_apart", item.field, message, item.id)


def _connected(links: Mapping[str, set[str]], name: str) -> set[str]:
    names, waiting = {name}, [name]
    while waiting:
        new = links[waiting.pop()] - names
        names |= new
        waiting.extend(new)
    return names


def cycles(flow: Flow) -> Iterator[Problem]:
    """Workflows are acyclic."""
    for cycle in flow.cycles():
        path = " → ".join(cycle if len(cycle) <= 12 else [*cycle[:10], "…", cycle[-1]])
        yield error("cycle", "edges", f"The connections form a cycle: {path}; remove one of them.", cycle[0])


def ends(outline: Outline) -> Iterator[Problem]:
    """Edges and boundary timers lead from and to nodes that exist; several nodes have edges."""
    if len(outline.nodes) > 1 and not outline.edges and not outline.document.get("edges"):
        message = "There are several nodes but no connections, so all of them start at once: add connections."
        yield warning("no_edges", "edges", message)
    for item in outline.edges:
        for key, name in (("from", item.edge.source), ("to", item.edge.target)):
            yield from _known(outline, name, f"{item.field}.{key}", None)
    for node in outline.nodes:
        for at, timer in enumerate(node.node.boundary_timers or ()):
            field = f"{node.field}.boundary_timers[{at}]"
            yield from _known(outline, timer.to, f"{field}.to", node.id)
            if (timer.after_seconds is None) == (timer.duration is None):
                message = "A boundary timer needs either after_seconds or duration: give one of the two."
                yield error("bad_value", field, message, node.id)


def conditions(outline: Outline) -> Iterator[Problem]:
    """One condition per edge, no edge twice, error edges only where they can be taken."""
    seen_before: set[tuple[object, ...]] = set()
    for item in outline.edges:
        edge = item.edge
        if len(edge.conditions) > 1:
            message = f"The connection has {' and '.join(edge.conditions)}: keep one of them."
            yield error("several_conditions", item.field, message, edge.source)
        if edge.on and not _takes_error_edges(outline.by_id.get(edge.source)):
            message = f'{quoted(edge.source)} never takes this connection: set its on_error to "branch".'
            yield error("error_edge_never_taken", f"{item.field}.on", message, edge.source)
        key = (edge.source, edge.target, edge.branch, edge.when, bool(edge.default), edge.on)
        if key in seen_before:
            message = "The same connection occurs twice, which has no effect: remove one."
            yield warning("duplicate_edge", item.field, message, edge.source)
        seen_before.add(key)


def ports(outline: Outline) -> Iterator[Problem]:
    """After a step in which people choose, each edge says which outcome takes it, and it is one of the step's."""
    for item in outline.nodes:
        if item.spec is None or not item.spec.asks_people:
            continue
        outcomes = item.outcomes or ()
        for edge in outline.leaving(item):
            branch, is_bare = edge.edge.branch, not edge.edge.is_conditional
            if branch and outcomes and branch not in outcomes:
                message = (
                    f"{quoted(item.id)} has no outcome {quoted(branch)}{did_you_mean(branch, outcomes)}: "
                )
                message += f"name one of {', '.join(outcomes)}."
                yield error("unknown_outcome", f"{edge.field}.branch", message, item.id)
            if is_bare and parts_by_outcome(item.spec, item.outcomes):
                names = f" ({', '.join(outcomes)})" if outcomes else ""
                message = (
                    f"{quoted(item.id)} leads to {quoted(edge.edge.target)} whatever its outcome{names}: let the "
                    "`branch` of the connection say which outcome takes it; an outcome without one ends its path."
                )
                yield error("edge_without_outcome", edge.field, message, item.id)


def covered(outline: Outline, flow: Flow) -> Iterator[Problem]:
    """What a decision covers are steps that follow it."""
    for item in outline.nodes:
        names = (item.node.params or {}).get(COVERS)
        if item.spec is None or not item.spec.asks_people or not isinstance(names, list) or not flow.order:
            continue
        behind = [name for name in flow.order if flow.before[name] & flow.bits[item.id] and name != item.id]
        for at, name in enumerate(names):
            if isinstance(name, str) and name not in behind:
                hint = did_you_mean(name, behind)
                message = f"{quoted(name)} does not follow {quoted(item.id)}{hint}: name a step that does."
                yield error("not_covered", f"{item.field}.params.{COVERS}[{at}]", message, item.id)


def joins(outline: Outline, flow: Flow) -> Iterator[Problem]:
    """`n_of` can be reached."""
    for item in outline.nodes:
        join, count = item.node.join, len(flow.into[item.id])
        if isinstance(join, NOf) and join.n_of > count:
            message = f"{quoted(item.id)} waits for {join.n_of} of its {count} predecessors: lower n_of."
            yield error("join_never_fires", f"{item.field}.join.n_of", message, item.id)
        elif join is not None and count < 2:
            message = (
                f"{quoted(item.id)} has a join, but fewer than two connections lead to it: leave it out."
            )
            yield warning("without_effect", f"{item.field}.join", message, item.id)


def partings(outline: Outline, flow: Flow) -> Iterator[Problem]:
    """The paths into which a step parts a run meet again (R-023)."""
    for item in outline.nodes:
        if item.spec is None or not item.spec.parts or not flow.order:
            continue
        targets = [flow.bits[name] for name in flow.after[item.id]]
        meets = any(
            all(bit & (flow.before[name] | flow.bits[name]) for bit in targets) for name in flow.order
        )
        if len(targets) > 1 and not meets:
            message = (
                f"The paths from {quoted(item.id)} never meet, so no step waits for all of them: let them lead to one "
                "step, such as a join, or leave it so if each path ends by itself."
            )
            yield warning("parallel_without_join", item.field, message, item.id)


def branches(outline: Outline) -> Iterator[Problem]:
    """Whatever a step decides, an edge is there for it (H-7)."""
    for item in outline.nodes:
        edges = [edge for edge in outline.leaving(item) if not edge.edge.on]
        yield from _default(item, edges)
        if item.spec is not None and item.spec.fails and item.on_error != "continue":
            for edge in edges:
                message = f"{quoted(item.id)} always fails, so this connection is never taken: remove it."
                yield warning("edge_never_taken", edge.field, message, item.id)
        if item.decides:
            yield from _never_first(item, edges)
            if not outline.leaving(item):
                message = f"{quoted(item.id)} decides nothing, no connection leads on from it: add some, or remove it."
                yield warning("decision_without_edge", item.field, message, item.id)
        if item.on_error == "branch" and len(edges) == len(outline.leaving(item)):
            message = (
                f"{quoted(item.id)} has no connection for its failure, so the run would go on as if nothing had "
                'happened: add a connection with "on": "error", or leave on_error out.'
            )
            yield warning("no_error_edge", f"{item.field}.on_error", message, item.id)


def _default(item: OutlineNode, edges: list[OutlineEdge]) -> Iterator[Problem]:
    decides = item.decides or any(edge.edge.branch for edge in edges)
    asks = item.spec is not None and item.spec.asks_people
    if asks and decides:
        # An outcome without an edge ends its path, and pages say so.
        return
    conditional = [edge for edge in edges if edge.edge.branch or edge.edge.when]
    has_default = any(edge.edge.default for edge in edges)
    if item.decides or not decides:
        has_default = has_default or any(not edge.edge.is_conditional for edge in edges)
    covered = bool(item.outcomes) and {edge.edge.branch for edge in edges}.issuperset(item.outcomes or ())
    if conditional and not (has_default or item.node.allow_no_match or covered):
        happens = "the step fails" if decides else "the run ends here"
        message = f"If no condition after {quoted(item.id)} holds, {happens}: add a default connection."
        yield warning("no_default_edge", conditional[0].field, message, item.id)


def _never_first(item: OutlineNode, edges: list[OutlineEdge]) -> Iterator[Problem]:
    """A decision takes the first edge that holds, and at most one default."""
    plain = [edge for edge in edges if not edge.edge.is_conditional]
    behind = [edge for edge in edges if plain and edge.index > plain[0].index]
    defaults = [edge for edge in edges if edge.edge.default]
    for edge in dict.fromkeys([*behind, *(defaults if plain else defaults[1:])]):
        message = f"{quoted(item.id)} never takes this connection, since another one always matches first: remove it."
        yield warning("edge_never_taken", edge.field, message, item.id)


def _known(outline: Outline, name: str, field: str, node: str | None) -> Iterator[Problem]:
    if name not in outline.by_id:
        message = f"There is no node {quoted(name)}{did_you_mean(name, outline.by_id)}."
        yield error("unknown_node", field, message, node)


def _takes_error_edges(item: OutlineNode | None) -> bool:
    if item is None or item.on_error == "branch":
        return True
    # Its params may say so beside what it says itself, as a signal's on_timeout.
    return item.spec is not None and item.spec.with_params(item.node.params or {}).on_error == "branch"
