"""What stands in a row for a value that is kept beside the database (docs/decisions/0021-large-payloads.md)."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from engine.catalogue import Json

MARK = b'"$blob"'
"""No JSON text without it has a reference."""

_KEY = re.compile(r"(\d{8})/(\d{1,18})/([0-9a-f-]{36})/([0-9a-f]{64})", re.ASCII)
_IN_TEXT = re.compile(rb'"\$blob":"(\d{8}/\d{1,18}/[0-9a-f-]{36}/[0-9a-f]{64})"')


class Reference(NamedTuple):
    """A value of `size` bytes of JSON of a run: the day on which it was kept, and what its bytes are."""

    day: str
    tenant: int
    run: str
    sha256: str
    size: int

    @property
    def key(self) -> str:
        """Under which key the store has it. The day comes first: what is looked through is whole days."""
        return f"{self.day}/{self.tenant}/{self.run}/{self.sha256}"

    def as_json(self) -> dict[str, Json]:
        """As it stands in a row."""
        return {"$blob": self.key, "size": self.size}


def reference_of(value: Json) -> Reference | None:
    """The reference that a value is; None for any other value."""
    if not isinstance(value, dict) or len(value) != 2:
        return None
    key, size = value.get("$blob"), value.get("size")
    if not isinstance(key, str) or isinstance(size, bool) or not isinstance(size, int) or size < 0:
        return None
    return parsed(key, size)


def parsed(key: str, size: int = 0) -> Reference | None:
    """The reference of a key; None for what is no key of ours."""
    match = _KEY.fullmatch(key)
    return Reference(match[1], int(match[2]), match[3], match[4], size) if match else None


def rows_in(raw: bytes) -> list[dict[str, Json]]:
    """A row for each of the references in a JSON text."""
    keys = {key.decode() for key in _IN_TEXT.findall(raw)} if MARK in raw else ()
    return [key_row(reference) for reference in map(parsed, sorted(keys)) if reference is not None]


def key_row(key: Reference) -> dict[str, Json]:
    """A reference as a row of a document."""
    return {"tenant_id": key.tenant, "run_id": key.run, "day": key.day, "sha256": key.sha256}


def references_in(value: Json) -> Iterator[Reference]:
    """Each reference within a value."""
    if (reference := reference_of(value)) is not None:
        yield reference
    elif isinstance(value, dict):
        for part in value.values():
            yield from references_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from references_in(part)
