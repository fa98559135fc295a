"""Pure: a definition as fixes see it, with the changes that they make."""

import difflib
from collections.abc import Iterable, Mapping
from functools import cached_property

from engine.checks.flow import Flow
from engine.checks.outline import Limits, outline_of
from lib.json import Json
from steps.catalogue import CATALOGUE
from workflows.checking.fields import Fields, Keys
from workflows.document.changes import NOTHING, Change, Document, NotKeyable, at_path, keyed

Found = tuple[str, list[Change]] | None


class Draft:
    """A definition as the changes see it, and who comes before whom in it."""

    def __init__(self, definition: Mapping[str, Json], name: str | None) -> None:
        self.definition = definition
        self.name = name

    @cached_property
    def document(self) -> Document | None:
        """With keys; None where it can't have any."""
        try:
            return keyed(self.definition, {})
        except NotKeyable:
            return None

    @cached_property
    def flow(self) -> Flow:
        """Who comes before whom."""
        return Flow(outline_of(self.definition, CATALOGUE, Limits()))

    @cached_property
    def edge_keys(self) -> list[str]:
        """The keys of its edges, in their order."""
        return list(self.document["edges"]) if self.document else []

    @cached_property
    def node_keys(self) -> list[str]:
        """The keys of its nodes, in their order."""
        return list(self.document["nodes"]) if self.document else []

    @cached_property
    def fields(self) -> Fields:
        """Where the fields of problems are in it."""
        return Fields(self.document or {"nodes": {}, "edges": {}})

    def is_within(self, node: str | None) -> bool:
        """Whether a node stands in a body: who comes before whom there is not known here."""
        return self.fields.homes.get(node or "") is not None

    def value(self, path: Keys) -> Json:
        """What stands at a path, or NOTHING."""
        here: Json = self.document
        for key in path:
            is_there = (
                key in here if isinstance(here, dict) else isinstance(here, list) and key in range(len(here))
            )
            if not is_there:
                return NOTHING
            here = here[key]
        return here

    def edge(self, field: str) -> tuple[str, dict[str, Json]] | None:
        """The edge that a field is in, with its key."""
        path = self.fields.path(field)
        if path is None or path[0] != "edges" or self.document is None:
            return None
        return str(path[1]), self.document["edges"][path[1]]

    def put(self, path: Keys, value: Json) -> Change:
        """The change that puts a value at a path; within a list the list is changed as a whole."""
        whole = tuple(str(key) for key in path[: _first_list(path)])
        before = at_path(self.document or {}, whole)
        return Change(whole, before, _put(before, path[len(whole) :], value))

    def removed_edge(self, key: str) -> Change:
        """The change that takes an edge away."""
        at = self.edge_keys.index(key)
        edge = self.document["edges"][key] if self.document else {}
        return Change(("edges", key), before=edge, was_at=self.edge_keys[at - 1] if at else None)


def _first_list(path: Keys) -> int:
    return next((at for at, key in enumerate(path) if isinstance(key, int)), len(path))


def _put(here: Json, keys: Keys, value: Json) -> Json:
    if not keys:
        return value
    key, rest = keys[0], keys[1:]
    if isinstance(here, list) and isinstance(key, int):
        return [_put(item, rest, value) if at == key else item for at, item in enumerate(here)]
    if value is NOTHING and not rest:
        return {name: item for name, item in here.items() if name != key}
    return {**here, key: _put(here.get(key, {}), rest, value)}


def near_one(name: str, names: Iterable[str]) -> str | None:
    """The one known name that is near."""
    near = difflib.get_close_matches(name[:64], list(names), n=2)
    return near[0] if len(near) == 1 else None
