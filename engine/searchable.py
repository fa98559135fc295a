"""Which fields of an input are searchable: those that `input_schema` marks with `"x-searchable": true`; pure."""

from collections.abc import Iterator, Mapping

from engine.catalogue import Json

SEARCHABLE = "x-searchable"
SEARCHABLE_FIELDS = 20
"""Searchable fields of one workflow: each is a row for each run."""
_DEPTH = 6


def searchable_fields(schema: Json) -> list[str]:
    """The paths of the marked fields, names with dots between them, in their order. A name with a dot has none."""
    return list(dict.fromkeys(_paths(schema, (), _DEPTH)))


def _paths(schema: Json, path: tuple[str, ...], depth: int) -> Iterator[str]:
    if not isinstance(schema, Mapping) or not depth:
        return
    if path and schema.get(SEARCHABLE) is True:
        yield ".".join(path)
    # A search looks into lists, too.
    yield from _paths(schema.get("items"), path, depth - 1)
    properties = schema.get("properties")
    for name, field in properties.items() if isinstance(properties, Mapping) else ():
        if "." not in name:
            yield from _paths(field, (*path, name), depth - 1)
