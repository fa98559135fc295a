"""Small schemas with values that took long to check: each is made in a size."""

import random
from collections.abc import Callable, Mapping

from engine.catalogue import Json

Case = tuple[dict[str, Json], Json]
BLOWS_UP = "[ab]*a[ab]{900}c"


def _text(size: int) -> str:
    return "".join(random.Random(size).choices("ab", k=size))


def _objects(size: int) -> Case:
    return {"uniqueItems": True}, [{"a": number, "b": [number]} for number in range(size * 50)]


def _mixed(size: int) -> Case:
    return {"uniqueItems": True}, [
        [number, str(number)] if number % 2 else number for number in range(size * 50)
    ]


def _pattern(size: int) -> Case:
    return {"pattern": BLOWS_UP}, _text(size * 300)


def _patterns(size: int) -> Case:
    return {"allOf": [{"pattern": f"{BLOWS_UP}{at}"} for at in range(size)]}, _text(size * 300)


def _each_pattern(size: int) -> Case:
    return {"items": {"pattern": BLOWS_UP}}, [_text(size * 30)] * size


def _doubled(word: str) -> Callable[[int], Case]:
    def made(size: int) -> Case:
        parts = {f"p{at}": {word: [{"$ref": f"#/$defs/p{at + 1}"}] * 3} for at in range(size)}
        return {"$ref": "#/$defs/p0", "$defs": {**parts, f"p{size}": {"type": "object"}}}, {"a": 1}

    return made


def _dependent(size: int) -> Case:
    parts = {
        f"p{at}": {"dependentSchemas": {key: {"$ref": f"#/$defs/p{at + 1}"} for key in "abc"}}
        for at in range(size)
    }
    schema = {**parts["p0"], "$defs": {**parts, f"p{size}": {}}, "unevaluatedProperties": False}
    return schema, {"a": 1, "b": 2, "c": 3}


def _itself(size: int) -> Case:
    return {"allOf": [{"$ref": "#"}] * size}, {}


def _messages(size: int) -> Case:
    return {"anyOf": [{"type": "string", "title": str(at)} for at in range(size * 5)]}, {
        "a": ["b" * 50] * size * 20
    }


def _enum(size: int) -> Case:
    return {"items": {"enum": [[at] for at in range(size * 20)]}}, [[at] for at in range(size * 20)]


def _words(size: int) -> Case:
    return {"items": {"enum": [f"w{at}" for at in range(size * 20)]}}, [f"w{at}" for at in range(size * 20)]


def _const(size: int) -> Case:
    value = [[at] for at in range(size * 50)]
    return {"allOf": [{"const": value} for _ in range(size)]}, value


def _names(size: int) -> Case:
    schema = {"patternProperties": {"(a+)+$": {}, "(a|aa)+$": {}}, "additionalProperties": False}
    return schema, {"a" * size * at + "!": 1 for at in range(1, 10)}


def _names_seen(size: int) -> Case:
    return {"patternProperties": {"(a+)+$": {}}, "unevaluatedProperties": False}, {"a" * size + "!": 1}


def _items_seen(size: int) -> Case:
    return {"contains": True, "unevaluatedItems": False}, [1] * size * 200


def _wide(size: int) -> Case:
    names = [f"a{at}" for at in range(size * 10)]
    return {"items": {"properties": dict.fromkeys(names, True)}}, [{}] * size * 10


def _required(size: int) -> Case:
    return {"items": {"dependentRequired": {"a": ["a"] * size * 20}}}, [{"a": 1}] * size * 10


VALUES: Mapping[str, Callable[[int], Case]] = {
    "objects": _objects,
    "mixed": _mixed,
    "pattern": _pattern,
    "patterns": _patterns,
    "each pattern": _each_pattern,
    "allOf": _doubled("allOf"),
    "anyOf": _doubled("anyOf"),
    "oneOf": _doubled("oneOf"),
    "dependent": _dependent,
    "itself": _itself,
    "messages": _messages,
    "enum": _enum,
    "words": _words,
    "const": _const,
    "names": _names,
    "names seen": _names_seen,
    "items seen": _items_seen,
    "wide": _wide,
    "required": _required,
}
