"""Schemas that are small and would take for ever: each is made in a size."""

from collections.abc import Callable, Mapping

from engine.catalogue import Json

Schema = dict[str, Json]


def _doubled(word: str) -> Callable[[int], Schema]:
    """A schema of which each part names the next one several times: 3 to the power of the size, walked by itself."""

    def made(size: int) -> Schema:
        parts = {f"p{at}": {word: [{"$ref": f"#/$defs/p{at + 1}"}] * 3} for at in range(size)}
        return {
            "type": "object",
            word: [{"$ref": "#/$defs/p0"}],
            "$defs": {**parts, f"p{size}": {"type": "null"}},
        }

    return made


def _itself(word: str) -> Callable[[int], Schema]:
    return lambda size: {"type": "object", word: [{"$ref": "#"}] * size}


def _properties(size: int) -> Schema:
    names = [f"a{at}" for at in range(size)]
    return {"type": "object", "required": names, "properties": {name: {"$ref": "#"} for name in names}}


def _lists(size: int) -> Schema:
    return {"type": "array", "minItems": size, "items": {"$ref": "#"}}


def _long_pointers(size: int) -> Schema:
    return {"type": "object", "allOf": [{"$ref": f"#{'/allOf' * size}{at}"} for at in range(size)]}


def _dependent(size: int) -> Schema:
    return {"type": "object", "dependentSchemas": {f"a{at}": {"$ref": "#"} for at in range(size)}}


def _kinds(size: int) -> Schema:
    return {"type": ["string", "null"] * size}


SCHEMAS: Mapping[str, Callable[[int], Schema]] = {
    **{f"{word} doubled": _doubled(word) for word in ("allOf", "anyOf", "oneOf")},
    **{f"{word} itself": _itself(word) for word in ("allOf", "anyOf", "oneOf")},
    "properties": _properties,
    "lists": _lists,
    "pointers": _long_pointers,
    "dependent": _dependent,
    "kinds": _kinds,
}
