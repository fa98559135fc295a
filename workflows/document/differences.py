"""Pure: what is different between two definitions, field by field, as people and the canvas want to know it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from engine.catalogue import Json
from workflows.document.changes import NOTHING, ORDERED, Change, diff, keyed

Kind = Literal["added", "removed", "changed", "moved"]
Where = Literal["nodes", "edges", "settings"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One field. `node` is the id of the node or the key of the edge; an empty `field` is the whole of it."""

    where: Where
    node: str | None
    field: str
    kind: Kind
    before: Json = NOTHING
    after: Json = NOTHING

    def as_dict(self) -> dict[str, Json]:
        """As the API gives it; `from` and `to` are left out where they are nothing."""
        values = {"from": self.before, "to": self.after}
        body = {"where": self.where, "node": self.node, "field": self.field, "kind": self.kind}
        return body | {key: value for key, value in values.items() if value is not NOTHING}


@dataclass(frozen=True, slots=True)
class Marks:
    """The keys of the nodes, or of the edges, that are new, different, gone, or stand elsewhere in their list."""

    added: list[str]
    changed: list[str]
    removed: list[str]
    moved: list[str]

    def as_dict(self) -> dict[str, Json]:
        """As the API gives it."""
        return {"added": self.added, "changed": self.changed, "removed": self.removed, "moved": self.moved}


@dataclass(frozen=True, slots=True)
class Comparison:
    """All that is different."""

    changes: list[Change]
    fields: list[Difference]
    nodes: Marks
    edges: Marks
    settings: list[str]

    @property
    def text(self) -> str:
        """It in a sentence."""
        parts = [*_counts(self.nodes, "step"), *_counts(self.edges, "connection")]
        if self.settings:
            parts.append(f"{len(self.settings)} setting{'s' * (len(self.settings) > 1)} changed")
        return ", ".join(parts) or "no difference"

    def summary(self) -> dict[str, Json]:
        """As the API gives it."""
        return {
            "text": self.text,
            "nodes": self.nodes.as_dict(),
            "edges": self.edges.as_dict(),
            "settings": self.settings,
        }


def compare(before: Mapping[str, Json], after: Mapping[str, Json]) -> Comparison:
    """What makes `after` of `before`, both in the native dialect. Raises NotKeyable."""
    changes = diff(keyed(before, {}), keyed(after, {}))
    fields = [_difference(change) for change in changes]
    settings = list(dict.fromkeys(change.path[1] for change in changes if change.path[0] == "settings"))
    return Comparison(changes, fields, _marks(fields, "nodes"), _marks(fields, "edges"), settings)


def _difference(change: Change) -> Difference:
    where: Where = (
        "nodes" if change.path[0] == "nodes" else "edges" if change.path[0] == "edges" else "settings"
    )
    rest = change.path[1:]
    node, rest = (rest[0], rest[1:]) if where in ORDERED else (None, rest)
    if change.is_move:
        return Difference(where, node, "", "moved", change.was_at, change.at)
    kind: Kind = "changed"
    if change.before is NOTHING:
        kind = "added"
    elif change.after is NOTHING:
        kind = "removed"
    return Difference(where, node, ".".join(rest), kind, change.before, change.after)


def _marks(fields: Iterable[Difference], where: Where) -> Marks:
    marks = Marks([], [], [], [])
    for difference in fields:
        if difference.where != where or difference.node is None:
            continue
        kind = difference.kind if not difference.field else "changed"
        keys: list[str] = getattr(marks, kind)
        if difference.node not in keys:
            keys.append(difference.node)
    return marks


def _counts(marks: Marks, what: str) -> list[str]:
    counts = {"added": marks.added, "changed": marks.changed, "removed": marks.removed}
    return [f"{len(keys)} {what}{'s' * (len(keys) > 1)} {how}" for how, keys in counts.items() if keys]
