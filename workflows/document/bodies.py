"""Pure: steps within a container stand in a document beside all others, each with `in`: the id of its container.

So every step, at whatever depth, has one path, and changes, differences and comments know no depth. The container keeps
a body without steps; `edges: []` in it says that its definition names the edges. Else they are named as soon as they
are more than what leads from each step to the next.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, Final

from engine.catalogue import Json
from workflows.limits import BODY_LEVELS

WITHIN: Final = "in"
Entry = dict[str, Any]
Entries = dict[str, Entry]


def why_no_id(value: Json) -> str | None:
    """Why this can't be the id of a node in a document, or None."""
    if not isinstance(value, str) or not value:
        return "This must be the id of a node, a text."
    return "An id has neither > nor # in it." if ">" in value or "#" in value else None


def face(body: Json) -> tuple[str | None, str | None] | None:
    """What a step is known by where the rest of it has changed: its type and its title. None is like no other: it is no
    object, or these are no texts.
    """
    if not isinstance(body, dict):
        return None
    kind, title = body.get("type"), body.get("title")
    is_known = isinstance(kind, str | None) and isinstance(title, str | None)
    return (kind, title) if is_known else None


def edge_key(source: str, target: str, counts: dict[str, int]) -> str:
    """The next key of an edge between the two; `counts` knows how many there are."""
    between = f"{source}>{target}"
    counts[between] = counts.get(between, 0) + 1
    return between if counts[between] == 1 else f"{between}#{counts[between]}"


def unfolded(nodes: Entries, edges: Entries, most: int) -> tuple[Entries, Entries]:
    """The entries of a definition with those of its bodies behind them.

    A body whose steps can't be told apart from all others, or whose edges lead elsewhere, stays a value; so does one
    with which there would be more than `most` nodes or edges.
    """
    return _Unfolding(nodes, edges, most).result()


class _Unfolding:
    def __init__(self, nodes: Entries, edges: Entries, most: int) -> None:
        self.outer = nodes
        self.nodes: Entries = {}
        self.edges = dict(edges)
        self.taken = set(nodes)
        self.counts: dict[str, int] = {}
        for edge in edges.values():
            edge_key(edge["from"], edge["to"], self.counts)
        # An edge on the outside between two steps of one body would be taken for one of that.
        self.strays: dict[str, set[str]] = {}
        for edge in edges.values():
            if edge["from"] not in self.taken and edge["to"] not in self.taken:
                self.strays.setdefault(edge["from"], set()).add(edge["to"])
        self.most = most

    def result(self) -> tuple[Entries, Entries]:
        for key, node in self.outer.items():
            self._put(key, node)
        return self.nodes, self.edges

    def _put(self, key: str, node: Entry) -> None:
        body = body_of(node)
        steps = self._steps(body) if body is not None else None
        if body is None or steps is None:
            self.nodes[key] = node
            return
        edges = _edges(body, list(steps))
        if edges is None or len(self.edges) + len(edges) > self.most:
            self.nodes[key] = node
            return
        self.taken |= steps.keys()
        left = {**body, "steps": []} | ({"edges": []} if body.get("edges") is not None else {})
        self.nodes[key] = {**node, "params": {**node["params"], "body": left}}
        for edge in edges:
            self.edges[edge_key(edge["from"], edge["to"], self.counts)] = edge
        for name, step in steps.items():
            self._put(name, {**step, WITHIN: key})

    def _steps(self, body: Entry) -> Entries | None:
        steps = body.get("steps")
        if not isinstance(steps, list) or not steps or len(self.taken) + len(steps) > self.most:
            return None
        entries: Entries = {}
        for step in steps:
            if not isinstance(step, dict) or WITHIN in step or why_no_id(step.get("id")):
                return None
            if step["id"] in self.taken or step["id"] in entries:
                return None
            entries[step["id"]] = {name: value for name, value in step.items() if name != "id"}
        is_crossed = any(not self.strays.get(name, set()).isdisjoint(entries) for name in entries)
        return None if is_crossed else entries


def body_of(node: Mapping[str, Json]) -> Entry | None:
    """What a node does for its items, if it says so as an object."""
    params = node.get("params")
    body = params.get("body") if isinstance(params, dict) else None
    return body if isinstance(body, dict) else None


def _edges(body: Entry, ids: list[str]) -> list[Entry] | None:
    """The edges of a body that lead from one of its steps to another; None where some lead elsewhere."""
    edges = body.get("edges")
    if edges is None:
        return _chain(ids)
    nodes = set(ids)
    is_list = isinstance(edges, list) and all(isinstance(edge, dict) for edge in edges)
    if not is_list or any(not _is_among(edge, nodes) for edge in edges):
        return None
    return list(edges)


def _is_among(edge: Entry, ids: set[str]) -> bool:
    ends = (edge.get("from"), edge.get("to"))
    return all(isinstance(end, str) and end in ids for end in ends)


def _chain(ids: Iterable[str]) -> list[Entry]:
    return [{"from": source, "to": target} for source, target in pairwise(ids)]


def folded(nodes: Mapping[str, Entry], edges: Iterable[Entry]) -> tuple[list[Entry], list[Entry]]:
    """The nodes and the edges of the definition that entries stand for, those in a container in its body.

    What is in nothing that can hold it is on the outside: nothing is lost.
    """
    homes = homes_of(nodes)
    within: dict[str, list[str]] = {}
    for key, home in homes.items():
        if home is not None:
            within.setdefault(home, []).append(key)
    inner: dict[str, list[Entry]] = {}
    outer: list[Entry] = []
    for edge in edges:
        home = homes.get(edge["from"])
        is_within = home is not None and homes.get(edge["to"]) == home
        (inner.setdefault(home, []) if home is not None and is_within else outer).append(edge)

    def node_of(key: str) -> Entry:
        node = {"id": key} | {name: value for name, value in nodes[key].items() if name != WITHIN}
        return _holding(node, within[key], inner.get(key, []), node_of) if key in within else node

    return [node_of(key) for key, home in homes.items() if home is None], outer


def homes_of(nodes: Mapping[str, Entry]) -> dict[str, str | None]:
    """The container that each node is in; None for those on the outside.

    Of several in each other one is on the outside, and of very many around each other each `BODY_LEVELS` + 1st.
    """
    containers = {key: node[WITHIN] for key, node in nodes.items() if _can_be_in(nodes, node.get(WITHIN))}
    homes: dict[str, str | None] = {}
    depths: dict[str, int] = {}
    for key in nodes:
        for name in reversed(list(_way_out(key, containers, homes))):
            depth = depths.get(containers.get(name, ""), BODY_LEVELS) + 1
            homes[name], depths[name] = (containers[name], depth) if depth <= BODY_LEVELS else (None, 0)
    return {key: homes[key] for key in nodes}


def _way_out(key: str, containers: Mapping[str, str], homes: Mapping[str, Json]) -> Iterator[str]:
    """The node, its container, the container of that, up to what is known; in a circle each once."""
    seen: set[str] = set()
    at: str | None = key
    while at is not None and at not in homes and at not in seen:
        seen.add(at)
        yield at
        at = containers.get(at)


def _can_be_in(nodes: Mapping[str, Entry], container: Json) -> bool:
    return isinstance(container, str) and container in nodes and body_of(nodes[container]) is not None


def _holding(node: Entry, keys: list[str], edges: list[Entry], node_of: Callable[[str], Entry]) -> Entry:
    body = {**node["params"]["body"], "steps": [node_of(key) for key in keys]}
    if body.get("edges") is not None or edges != _chain(keys):
        body["edges"] = edges
    return {**node, "params": {**node["params"], "body": body}}
