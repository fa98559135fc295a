"""What an expression may read, path by path as CEL writes it: for completion, and for people who look for a value."""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import orjson

from engine.catalogue import Json
from engine.cel_ast import RESERVED
from engine.json_schema import resolved
from engine.limits import ENTRY_KEY_CHARACTERS, ENTRY_LEVELS, OFFERED_PATHS
from engine.surroundings import ABSENT, Known

SAMPLE_BYTES = 2048
# Of a list of objects, or an object with a thousand keys, the first ones say enough.
WIDEST = 60

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KINDS: Mapping[type, str] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
    type(None): "null",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One path. `always`: there whenever an expression stands here; `sample` may be cut (`is_cut`)."""

    path: str
    type: str
    title: str | None
    origin: str
    always: bool
    sample: Json
    is_cut: bool

    def as_dict(self) -> dict[str, Json]:
        """As the API gives it."""
        fields: dict[str, Json] = {"path": self.path, "type": self.type}
        if self.title:
            fields["title"] = self.title
        fields |= {"from": self.origin, "always": self.always}
        if self.sample is not ABSENT:
            fields["sample"] = self.sample
        if self.is_cut:
            fields["cut"] = True
        return fields


@dataclass(frozen=True, slots=True)
class _Branch:
    order: tuple[int, ...]
    path: str
    schema: Json
    root: Json
    sample: Json
    origin: str
    always: bool


def entries(values: Iterable[Known]) -> list[Entry]:
    """The values that are known, and what is in them, at most 400: what lies near the surface first."""
    ranked: list[tuple[tuple[int, ...], Entry]] = []
    pending = deque(
        _Branch((at,), path_of(one.path), one.schema, one.schema, one.sample, one.origin, one.always)
        for at, one in enumerate(values)
    )
    while pending and len(ranked) < OFFERED_PATHS:
        branch = pending.popleft()
        schema = _plain(branch.schema, branch.root)
        ranked.append((branch.order, _entry(branch, schema)))
        if len(branch.order) < ENTRY_LEVELS:
            pending.extend(_below(branch, schema))
    return [entry for _, entry in sorted(ranked, key=lambda pair: pair[0])]


def path_of(keys: Iterable[str]) -> str:
    """The keys as CEL selects them: `steps["credit-score"].output`."""
    first, *rest = keys
    return first + "".join(selected(key) for key in rest)


def selected(key: str) -> str:
    """`.key`, in brackets where it is no plain name."""
    if _PLAIN.fullmatch(key) and key not in RESERVED:
        return f".{key}"
    return f"[{orjson.dumps(key).decode()}]"


def kind_of(value: Json) -> str:
    """The JSON type of a value."""
    return _KINDS.get(type(value), "any")


def cut(value: Json, most: int = SAMPLE_BYTES) -> tuple[Json, bool]:
    """The value if it has at most so many bytes; of a longer text its beginning, of anything else nothing."""
    if len(orjson.dumps(value)) <= most:
        return value, False
    return (f"{value[: most // 4]}…" if isinstance(value, str) else ABSENT), True


def _entry(branch: _Branch, schema: Mapping[str, Json]) -> Entry:
    sample, is_cut = (ABSENT, False) if branch.sample is ABSENT else cut(branch.sample)
    title = schema.get("title") if isinstance(schema.get("title"), str) else None
    return Entry(
        branch.path, _type(schema, branch.sample), title, branch.origin, branch.always, sample, is_cut
    )


def _type(schema: Mapping[str, Json], sample: Json) -> str:
    kinds = schema.get("type")
    if isinstance(kinds, list):
        kinds = " or ".join(kind for kind in kinds if isinstance(kind, str))
    if isinstance(kinds, str) and kinds:
        return kinds
    return "any" if sample is ABSENT else kind_of(sample)


def _plain(schema: Json, root: Json) -> Mapping[str, Json]:
    """The schema of a value that is there: references followed, "or null" left out, nothing where it is unclear."""
    plain = resolved(schema, root)
    if not isinstance(plain, dict):
        return {}
    options = plain.get("anyOf")
    if isinstance(options, list):
        there = [one for one in options if not (isinstance(one, dict) and one.get("type") == "null")]
        if len(there) == 1 and isinstance(inner := resolved(there[0], root), dict):
            return {**inner, **{key: plain[key] for key in ("title",) if key in plain}}
    return plain


def _below(branch: _Branch, schema: Mapping[str, Json]) -> Iterator[_Branch]:
    declared = schema.get("properties")
    properties = declared if isinstance(declared, dict) else {}
    names = schema.get("required")
    required_names = names if isinstance(names, list) else []
    sample = branch.sample if isinstance(branch.sample, dict) else {}
    keys = [key for key in dict.fromkeys([*properties, *sample]) if len(key) <= ENTRY_KEY_CHARACTERS]
    for at, key in enumerate(keys[:WIDEST]):
        # Of what only a run has shown, no schema says that it might be missing.
        always = branch.always and (key in required_names or key not in properties)
        yield _Branch(
            (*branch.order, at),
            branch.path + selected(key),
            properties.get(key),
            branch.root,
            sample.get(key, ABSENT),
            branch.origin,
            always,
        )
    if isinstance(branch.sample, list) or schema.get("type") == "array":
        first = branch.sample[0] if isinstance(branch.sample, list) and branch.sample else ABSENT
        items = schema.get("items")
        if first is not ABSENT or isinstance(items, dict):
            path = f"{branch.path}[0]"
            yield _Branch((*branch.order, 0), path, items, branch.root, first, branch.origin, False)
