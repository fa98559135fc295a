"""Pure: groups that were made from an older draft, put into what others have made of it meanwhile.

A change says what it expects at its own path. A connection expects more: that its two steps are there. So none comes in
that would lead to a step which others took out meanwhile, and none that others drew meanwhile is left behind by a step
that gets another id.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from engine.catalogue import Json
from workflows.document.bodies import edge_key
from workflows.document.changes import (
    NOTHING,
    ORDERED,
    Applied,
    Change,
    Conflict,
    Document,
    Group,
    apply,
    at_path,
)
from workflows.document.renames import renamed

Ends = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Meanwhile:
    """What others did since the sender of groups last heard of the draft: which steps they took out, which of them are
    there under another id, and between which steps they drew connections. Not `is_known`: that may be anything.
    """

    gone: frozenset[str] = frozenset()
    ids: Mapping[str, str] = field(default_factory=dict)
    drawn: frozenset[Ends] = frozenset()
    is_known: bool = True

    def took_out(self, node: str) -> bool:
        """Whether the sender may take this step, which is not there, for one that is."""
        return node in self.gone or not self.is_known

    def drew(self, ends: Ends) -> bool:
        """Whether the sender may not know of a connection between these."""
        return ends in self.drawn or not self.is_known


NOBODY = Meanwhile()


def meanwhile(all_changes: Iterable[Sequence[Change] | None]) -> Meanwhile:
    """What these changes come to, group by group, the oldest first; None for a group of which nothing is known."""
    gone: set[str] = set()
    ids: dict[str, str] = {}
    edges: set[Ends] = set()
    is_known = True
    for changes in all_changes:
        is_known = is_known and changes is not None
        changes = changes or ()
        gone.update(change.path[1] for change in changes if change.takes_out("nodes"))
        edges.update(_ends(change.after) for change in changes if _draws(change))
        again = renamed(changes)
        ids = {old: again.get(new, new) for old, new in ids.items()} | again
    return Meanwhile(frozenset(gone), ids, frozenset(edges), is_known)


def _draws(change: Change) -> bool:
    is_edge = len(change.path) == 2 and change.path[0] == "edges"
    return is_edge and change.before is NOTHING and isinstance(change.after, dict)


def _ends(edge: Json) -> Ends:
    return edge["from"], edge["to"]


def apply_late(
    document: Document, groups: Iterable[Group], others: Meanwhile = NOBODY
) -> tuple[Applied, dict[str, Group]]:
    """As `apply` does, beside what others did meanwhile; and the groups that are applied, as they were applied."""
    by_id: dict[str, Group] = {}
    conflicts: list[Conflict] = []
    for group in groups:
        result = apply(document, [group])
        after, whole = _with_ways(document, result.document, group, others)
        clashes = [*result.conflicts] or [*_clashes(document, after, group, others)]
        if clashes:
            conflicts += clashes
        else:
            document, by_id[group.id] = after, whole
    return Applied(document, list(by_id), conflicts), by_id


def _with_ways(
    before: Document, document: Document, group: Group, others: Meanwhile
) -> tuple[Document, Group]:
    """The document after a group, and the group, with the connections that lead to where its steps were until now."""
    if others == NOBODY or before["nodes"].keys() <= document["nodes"].keys():
        return document, group
    renames = renamed(group.changes)
    ids = {old: new for old, new in renames.items() if old not in document["nodes"]}
    there = document["nodes"].keys() | ids.keys()
    edges: dict[str, Json] = {}
    changes: list[Change] = []
    numbers: dict[str, int] = {}
    last: str | None = None
    # Each where it stood, in one go: there may be thousands.
    for key, edge in document["edges"].items():
        ends = set(_ends(edge))
        name = key
        if others.drew(_ends(edge)) and not ids.keys().isdisjoint(ends) and ends <= there:
            source, target = (ids.get(end, end) for end in _ends(edge))
            while (name := edge_key(source, target, numbers)) in document["edges"]:
                pass
            changes.append(Change(("edges", key), before=edge, was_at=last))
            edge = {**edge, "from": source, "to": target}
            changes.append(Change(("edges", name), after=edge, at=last))
        edges[name] = edge
        last = name
    if not changes:
        return document, group
    return {**document, "edges": edges}, replace(group, changes=(*group.changes, *changes))


def _clashes(before: Document, after: Document, group: Group, others: Meanwhile) -> Iterable[Conflict]:
    """Where a group would have a connection lead nowhere, or loses what it takes for something else, as its sender did
    not know what others did: the connections that it draws to a step which is gone, what it takes out that is there
    under another id, and the steps it takes out to which others drew a connection.
    """
    if others == NOBODY:
        return
    lost = {old for old, new in others.ids.items() if old not in after["nodes"] and new in before["nodes"]}
    taken_out: set[str] = set()
    for change in group.changes:
        if missing := [end for end in _needed(before, after, change, lost) if others.took_out(end)]:
            yield Conflict(group.id, change.path, change.after, NOTHING, cause=("nodes", missing[0]))
        if change.takes_out("nodes") and change.path[1] not in after["nodes"]:
            taken_out.add(change.path[1])
    for key, edge in after["edges"].items() if taken_out else ():
        if others.drew(_ends(edge)) and (
            ends := taken_out.intersection(_ends(edge)) & before["nodes"].keys()
        ):
            step = ("nodes", min(ends))
            yield Conflict(group.id, step, NOTHING, at_path(before, step), cause=("edges", key))


def _needed(before: Document, after: Document, change: Change, lost: Set[str]) -> list[str]:
    """The steps that a change is about and that are not there, if it makes no sense without them."""
    if _draws(change) and at_path(after, change.path) is not NOTHING:
        return [end for end in _ends(change.after) if end not in after["nodes"]]
    if not change.takes_out(*ORDERED) or at_path(before, change.path) is not NOTHING:
        return []
    if change.path[0] == "nodes":
        return [change.path[1]] if change.path[1] in lost else []
    return [end for end in change.path[1].split("#")[0].split(">") if end in lost]
