"""Pure: the path of a problem's field in a document, where steps of a body are entries as all others are."""

import re
from functools import cached_property

import orjson

from workflows.document.bodies import homes_of
from workflows.document.changes import Document

Keys = tuple[str | int, ...]

_PART = re.compile(r'\.?([A-Za-z_][A-Za-z0-9_-]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]')


class Fields:
    """The nodes and edges of a document as the fields of problems count them: each body by itself."""

    def __init__(self, document: Document) -> None:
        self.document = document

    @cached_property
    def homes(self) -> dict[str, str | None]:
        """The container that each node is in."""
        return homes_of(self.document["nodes"])

    def path(self, field: str) -> Keys | None:
        """The path of such a field, None where there is nothing; ints in it are places in lists."""
        keys = keys_of(field)
        if not keys:
            return None
        if keys[0] not in ("nodes", "edges") or len(keys) < 2:
            return ("settings", *keys)
        home: str | None = None
        while keys[0] == "nodes" and keys[2:4] == ("params", "body") and len(keys) >= 6:
            inner = _entry(keys, self._steps_in.get(home, []))
            if inner is None or inner not in self._steps_in:
                break
            home, keys = inner, ("nodes" if keys[4] == "steps" else keys[4], *keys[5:])
        entry = _entry(keys, (self._steps_in if keys[0] == "nodes" else self._edges_in).get(home, []))
        return (keys[0], entry, *keys[2:]) if entry is not None else None

    @cached_property
    def _steps_in(self) -> dict[str | None, list[str]]:
        steps: dict[str | None, list[str]] = {}
        for key, home in self.homes.items():
            steps.setdefault(home, []).append(key)
        return steps

    @cached_property
    def _edges_in(self) -> dict[str | None, list[str]]:
        edges: dict[str | None, list[str]] = {}
        for key, edge in self.document["edges"].items():
            home = self.homes.get(edge["from"])
            edges.setdefault(home if home == self.homes.get(edge["to"]) else None, []).append(key)
        return edges


def _entry(keys: Keys, entries: list[str]) -> str | None:
    at = keys[1] if len(keys) > 1 else None
    return entries[at] if isinstance(at, int) and at < len(entries) else None


def keys_of(field: str) -> Keys | None:
    """The keys in a problem's field, such as `nodes[2].params["a b"]`; None where it can't be read."""
    keys: list[str | int] = []
    at = 0
    while at < len(field):
        part = _PART.match(field, at)
        if part is None:
            return None
        at = part.end()
        plain, place, quoted = part.groups()
        keys.append(int(place) if place else orjson.loads(quoted) if quoted else plain)
    return tuple(keys)
