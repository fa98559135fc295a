"""Rules about the variables of a run: which names somebody sets, and who sets the same one beside somebody else."""

from collections.abc import Iterator, Mapping, Sequence

from engine.bodies import bodies_of, every_step
from engine.catalogue import BODY, Catalogue, Json
from engine.checks.flow import Flow
from engine.checks.outline import Outline, OutlineNode
from engine.limits import VARIABLE_WORK
from engine.problems import Problem, quoted, warning

Names = frozenset[str]


def known_in(outline: Outline) -> Names | None:
    """The variables that a step sets, wherever it stands; None: workers outside may set any."""
    if outline.outer is not None:
        return outline.outer.variables
    return _set_in(outline.document.get("nodes"), outline.catalogue)


def overlaps(outline: Outline, flow: Flow) -> Iterator[Problem]:
    """Variables that two steps may set at the same time, or several items of a map."""
    if not flow.order or not flow.is_small:
        return
    writers: dict[str, list[OutlineNode]] = {}
    for item in map(outline.by_id.__getitem__, flow.order):
        inner = _set_inside(item, outline.catalogue)
        if item.spec and not item.spec.conditions:
            yield from (_among_items(item, name) for name in sorted(inner))
        for name in inner.union(_named(item.node.set_vars)):
            writers.setdefault(name, []).append(item)
    left = VARIABLE_WORK
    for name, items in sorted(writers.items()):
        for one, other in _beside(items, flow):
            left -= len(outline.by_id) + len(outline.edges)
            if left < 0:
                return
            if not _excludes(flow, outline, one, other):
                both = f"{quoted(one.id)} and {quoted(other.id)}"
                message = f"{both} may both set {quoted(name)}in parallel: the later one wins."
                yield warning("variables_overlap", f"{other.field}.set_vars", message, other.id)
                break


def _named(set_vars: Mapping[str, Json] | str | None) -> Names:
    """The variables that a node sets by name; which ones an expression gives is known only then."""
    return frozenset(set_vars) if isinstance(set_vars, Mapping) else frozenset()


def _beside(items: Sequence[OutlineNode], flow: Flow) -> Iterator[tuple[OutlineNode, OutlineNode]]:
    """Those of the nodes, in the order of the flow, of which neither comes before the other, two by two."""
    earlier = 0
    for place, other in enumerate(items):
        if beside := earlier & ~flow.before[other.id]:
            yield from ((one, other) for one in items[:place] if beside & flow.bits[one.id])
        earlier |= flow.bits[other.id]


def _among_items(item: OutlineNode, name: str) -> Problem:
    message = f"Items of {quoted(item.id)} set {quoted(name)} in parallel: the last one wins."
    return warning("variables_overlap", f"{item.field}.params.{BODY}", message, item.id)


def _excludes(flow: Flow, outline: Outline, one: OutlineNode, other: OutlineNode) -> bool:
    """Whether a step that comes before both of them on every path goes on to one of them only."""
    shared = flow.certain[one.id] & flow.certain[other.id]
    for item in outline.by_id.values():
        if not shared & flow.bits[item.id]:
            continue
        ways: dict[Json, set[str]] = {}
        for edge in outline.leaving(item):
            way = edge.edge.target if item.decides else edge.edge.on
            ways.setdefault(way, set()).add(edge.edge.target)
        leading = [
            {way for way, targets in ways.items() if any(_leads(flow, target, end) for target in targets)}
            for end in (one, other)
        ]
        if leading[0] and leading[1] and not leading[0] & leading[1]:
            return True
    return False


def _leads(flow: Flow, target: str, end: OutlineNode) -> bool:
    return target == end.id or bool(flow.before[end.id] & flow.bits.get(target, 0))


def _set_inside(item: OutlineNode, catalogue: Catalogue) -> Names:
    """The variables that the steps of a container set, as far as is known."""
    body = item.spec.body(item.node.params or {}) if item.spec else None
    steps = body.get("steps") if isinstance(body, Mapping) else None
    return _set_in(steps, catalogue) or frozenset()


def _set_in(nodes: Json, catalogue: Catalogue) -> Names | None:
    """The variables that these nodes set, and all within them; None: workers outside, or expressions, may set any."""
    names: set[str] = set()
    for _, step in every_step(nodes, catalogue):
        for node in (step, *(body for _, body in bodies_of(step, catalogue))):
            if not isinstance(node, Mapping):
                continue
            if isinstance(own := node.get("set_vars"), Mapping):
                names |= own.keys()
            elif own is not None:
                return None
            kind = node.get("type")
            spec = catalogue.get(kind) if isinstance(kind, str) else None
            if spec is not None and spec.kind == "external":
                return None
    return frozenset(names)
