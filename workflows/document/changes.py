"""Pure: a draft as a document with keys, changes to it as compare-and-set at a path, and what differs between two.

The document has four roots: `nodes` and `edges` (ordered, by key; with those of bodies, see `bodies.py`), `settings`
(all else of the definition) and `layout` (the canvas, beside the definition). A change goes through objects only; a
list is a value as a whole.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from engine.catalogue import Json
from lib.strict_json import same
from workflows.document.bodies import WITHIN, edge_key, face, folded, unfolded, why_no_id
from workflows.limits import CHANGED_ENTRIES, PATH_KEYS

Document = dict[str, Any]
Path = tuple[str, ...]

ROOTS = ("nodes", "edges", "settings", "layout")
ORDERED = ("nodes", "edges")


class Nothing(Enum):
    """What stands where nothing is; null is a value."""

    NOTHING = "nothing"


NOTHING: Final = Nothing.NOTHING


class NotKeyable(ValueError):
    """A definition whose nodes or edges can't be told apart by a key; `field` says which."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


@dataclass(frozen=True, slots=True)
class Change:
    """`before` is replaced by `after` at `path`; `at` is the key that an entry of nodes or edges then stands behind
    (None: it is the first), `was_at` the one that it stood behind.
    """

    path: Path
    before: Json = NOTHING
    after: Json = NOTHING
    at: str | Nothing | None = NOTHING
    was_at: str | Nothing | None = NOTHING

    @property
    def is_move(self) -> bool:
        """Whether an entry only changes its place."""
        return self.before is NOTHING and self.after is NOTHING

    def takes_out(self, *roots: str) -> bool:
        """Whether it takes out an entry of these roots."""
        is_entry = len(self.path) == 2 and self.path[0] in roots
        return is_entry and self.before is not NOTHING and self.after is NOTHING

    @property
    def puts_in_a_step(self) -> bool:
        """Whether it adds a step."""
        is_step = len(self.path) == 2 and self.path[0] == "nodes"
        return is_step and self.before is NOTHING and self.after is not NOTHING

    def as_dict(self) -> dict[str, Json]:
        """The change as the API writes it."""
        parts = {"from": self.before, "to": self.after, "at": self.at, "was_at": self.was_at}
        return {"path": list(self.path)} | {
            key: value for key, value in parts.items() if value is not NOTHING
        }


@dataclass(frozen=True, slots=True)
class Group:
    """What a person did in one go: applied whole or not at all."""

    id: str
    label: str
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Conflict:
    """A change of a group that did not find what it expected, and what it found; `cause` is the path at which others
    changed what it needs, where that is another one.
    """

    group: str
    path: Path
    yours: Json
    theirs: Json
    cause: Path | None = None


@dataclass(frozen=True, slots=True)
class Applied:
    """The document afterwards (the same object where nothing changed), which groups are in it, and what was refused."""

    document: Document
    groups: list[str]
    conflicts: list[Conflict]


def keyed(definition: Mapping[str, Json], layout: Mapping[str, Json]) -> Document:
    """The definition (in the native dialect) and its layout as a document. Raises NotKeyable.

    A definition without nodes or without edges has none of them.
    """
    settings = {key: value for key, value in definition.items() if key not in ORDERED}
    nodes, edges = unfolded(_keyed_nodes(definition), _keyed_edges(definition), CHANGED_ENTRIES)
    return {"nodes": nodes, "edges": edges, "settings": settings, "layout": dict(layout)}


def unkeyed(document: Document) -> tuple[dict[str, Json], dict[str, Json]]:
    """The definition and the layout that a document stands for."""
    nodes, edges = folded(document["nodes"], document["edges"].values())
    return {**document["settings"], "nodes": nodes, "edges": edges}, document["layout"]


def _objects(definition: Mapping[str, Json], root: str) -> Iterator[tuple[str, dict[str, Json]]]:
    entries = definition.get(root)
    if entries is not None and not isinstance(entries, list):
        raise NotKeyable(root, f"`{root}` is not a list.")
    if entries and len(entries) > CHANGED_ENTRIES:
        raise NotKeyable(root, f"There are more than {CHANGED_ENTRIES:,} {root}.")
    for place, item in enumerate(entries or ()):
        if not isinstance(item, dict):
            raise NotKeyable(f"{root}[{place}]", "This is not an object.")
        yield f"{root}[{place}]", item


def _keyed_nodes(definition: Mapping[str, Json]) -> dict[str, Json]:
    nodes: dict[str, Json] = {}
    for field, node in _objects(definition, "nodes"):
        if reason := why_no_id(node.get("id")):
            raise NotKeyable(f"{field}.id", reason)
        if node["id"] in nodes:
            raise NotKeyable(f"{field}.id", f"Another node has the id {node['id']} too.")
        if WITHIN in node:
            raise NotKeyable(f"{field}.{WITHIN}", "A node has no such field.")
        nodes[node["id"]] = {key: value for key, value in node.items() if key != "id"}
    return nodes


def _keyed_edges(definition: Mapping[str, Json]) -> dict[str, Json]:
    edges: dict[str, Json] = {}
    counts: dict[str, int] = {}
    for field, edge in _objects(definition, "edges"):
        for end in ("from", "to"):
            if reason := why_no_id(edge.get(end)):
                raise NotKeyable(f"{field}.{end}", reason)
        edges[edge_key(edge["from"], edge["to"], counts)] = edge
    return edges


def apply(document: Document, groups: Iterable[Group]) -> Applied:
    """The document with those groups in it that meet no conflict, one after the other. `document` stays as it is."""
    group_ids: list[str] = []
    conflicts: list[Conflict] = []
    for group in groups:
        candidate, clashes = _apply_group(document, group)
        if clashes:
            conflicts += clashes
        else:
            document = candidate
            group_ids.append(group.id)
    return Applied(document, group_ids, conflicts)


class _Clash(Exception):
    """Something else stands there."""


def _apply_group(document: Document, group: Group) -> tuple[Document, list[Conflict]]:
    """What is taken out may be gone already; not so what a group takes out to put it in under another id: somebody else
    has given it another one, and it would be there twice.
    """
    conflicts = []
    gone = None
    is_put_in = False
    faces = {face(change.before) for change in group.changes if change.takes_out("nodes")} - {None}
    for change in group.changes:
        if at_path(document, change.path) is NOTHING:
            if gone is None and change.takes_out(*ORDERED):
                gone = change
            is_put_in = is_put_in or (change.puts_in_a_step and face(change.after) in faces)
        try:
            document = _apply_change(document, change)
        except _Clash:
            theirs = at_path(document, change.path)
            conflicts.append(Conflict(group.id, change.path, change.after, theirs))
    if gone and is_put_in and not conflicts:
        conflicts.append(Conflict(group.id, gone.path, gone.before, NOTHING))
    return document, conflicts


def at_path(document: Document, path: Path) -> Json:
    """What stands at a path, or NOTHING."""
    here: Json = document
    for key in path:
        if not isinstance(here, dict) or key not in here:
            return NOTHING
        here = here[key]
    return here


def _apply_change(document: Document, change: Change) -> Document:
    here = at_path(document, change.path)
    if change.is_move:
        if here is NOTHING:
            raise _Clash
        return _with_place(document, change)
    # Two people who push the same step about don't disagree on anything.
    wins = change.path[:2] == ("layout", "nodes")
    if same(here, change.after):
        return _with_place(document, change) if same(here, change.before) else document
    if not wins and not same(here, change.before):
        raise _Clash
    if change.after is NOTHING:
        return _without(document, change.path, entry_depth(change.path))
    return _with_place(_with(document, change.path, change.after, 0, wins), change)


def entry_depth(path: Path) -> int:
    """How long the path to the entry is that `path` is in: the object that is neither made nor removed by the way."""
    return 1 if path[0] == "settings" else 2


def _with(here: dict[str, Json], path: Path, value: Json, depth: int, wins: bool) -> dict[str, Json]:
    key = path[depth]
    if depth == len(path) - 1:
        return {**here, key: value}
    below = here.get(key, NOTHING)
    if below is NOTHING and not (depth == 1 and path[0] in ORDERED):
        below = {}
    if not isinstance(below, dict):
        if not wins:
            raise _Clash
        below = {}
    return {**here, key: _with(below, path, value, depth + 1, wins)}


def _without(here: dict[str, Json], path: Path, entry: int, depth: int = 0) -> dict[str, Json]:
    """Without what is at `path`, and without the objects below the entry that are left empty by that."""
    key = path[depth]
    below = {} if depth == len(path) - 1 else _without(here[key], path, entry, depth + 1)
    if below or (depth < entry and depth < len(path) - 1):
        return {**here, key: below}
    return {name: value for name, value in here.items() if name != key}


def _with_place(document: Document, change: Change) -> Document:
    """With the entry of nodes or edges where the change wants it."""
    if change.at is NOTHING or len(change.path) != 2 or change.path[0] not in ORDERED:
        return document
    root, key = change.path
    entries = document[root]
    order = list(entries)
    order.remove(key)
    place = len(order)
    if change.at is None:
        place = 0
    elif change.at in entries and change.at != key:
        place = order.index(change.at) + 1
    order.insert(place, key)
    if order == list(entries):
        return document
    return {**document, root: {name: entries[name] for name in order}}


def diff(before: Document, after: Document) -> list[Change]:
    """What makes `after` of `before`, the order of nodes and edges included, each value by itself."""
    changes: list[Change] = []
    for root in ORDERED:
        changes += _diff_entries(root, before[root], after[root])
        changes += _diff_order(root, before[root], after[root])
    for root in ("settings", "layout"):
        changes += _diff_objects((root,), before[root], after[root])
    return changes


def _diff_entries(root: str, before: Mapping[str, Json], after: Mapping[str, Json]) -> Iterator[Change]:
    for key in before:
        if key in after:
            yield from _diff_values((root, key), before[key], after[key])


def _diff_order(root: str, before: Mapping[str, Json], after: Mapping[str, Json]) -> Iterator[Change]:
    row = _Row(before)
    for key in list(before)[::-1]:
        if key not in after:
            yield Change((root, key), before=before[key], was_at=row.take(key))
    places = {key: place for place, key in enumerate(before)}
    unmoved = _in_order([key for key in after if key in before], places)
    ahead: str | None = None
    for key in after:
        if key not in before:
            yield Change((root, key), after=after[key], at=ahead)
            row.put(key, ahead)
        elif key not in unmoved:
            yield Change((root, key), at=ahead, was_at=row.take(key))
            row.put(key, ahead)
        ahead = key


class _Row:
    """The order of entries, in which one is moved without a look at the others. None is before the first."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._ahead: dict[str | None, str | None] = {}
        self._behind: dict[str | None, str | None] = {}
        last: str | None = None
        for key in keys:
            self.put(key, last)
            last = key

    def put(self, key: str, ahead: str | None) -> None:
        behind = self._behind.get(ahead)
        self._ahead[key], self._behind[key] = ahead, behind
        self._behind[ahead], self._ahead[behind] = key, key

    def take(self, key: str) -> str | None:
        ahead, behind = self._ahead.pop(key), self._behind.pop(key)
        self._behind[ahead], self._ahead[behind] = behind, ahead
        return ahead


def _in_order(keys: Sequence[str], places: Mapping[str, int]) -> set[str]:
    """The most keys whose places rise: these stay while the others move."""
    ends: list[int] = []
    last: list[str] = []
    ahead: dict[str, str | None] = {}
    for key in keys:
        length = bisect_left(ends, places[key])
        ahead[key] = last[length - 1] if length else None
        ends[length:] = [places[key], *ends[length + 1 :]]
        last[length:] = [key, *last[length + 1 :]]
    longest: set[str] = set()
    at: str | None = last[-1] if last else None
    while at is not None:
        longest.add(at)
        at = ahead[at]
    return longest


def _diff_values(path: Path, before: Json, after: Json) -> Iterator[Change]:
    if same(before, after):
        return
    objects = {} if before is NOTHING and after else before, {} if after is NOTHING and before else after
    if all(isinstance(value, dict) for value in objects) and len(path) < PATH_KEYS:
        yield from _diff_objects(path, *objects)
        is_below = len(path) > entry_depth(path)
        if is_below and before and after == {}:
            yield Change(path, after={})
        elif not is_below and after is NOTHING:
            yield Change(path, before={})
    else:
        yield Change(path, before, after)


def _diff_objects(path: Path, before: Mapping[str, Json], after: Mapping[str, Json]) -> Iterator[Change]:
    # First what is new: an object that is emptied on the way would be removed.
    for key, value in after.items():
        yield from _diff_values((*path, key), before.get(key, NOTHING), value)
    for key, value in before.items():
        if key not in after:
            yield from _diff_values((*path, key), value, NOTHING)
