"""What a dialect is: another way of writing a definition, translated into ours."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from engine.catalogue import Json
from engine.errors import EngineError

Document = Mapping[str, Json]


class DialectError(EngineError):
    """The document cannot be translated; `field` is the place in the document as it was given."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.field = field


@dataclass(frozen=True, slots=True)
class Dialect:
    """One dialect. `matches` recognises a document of it; `to_native` translates it and raises DialectError."""

    name: str
    matches: Callable[[Document], bool]
    to_native: Callable[[Document], dict[str, Json]]


def objects(value: Json, field: str) -> list[dict[str, Json]]:
    """`value` as a list of objects. Raises DialectError."""
    if not isinstance(value, list):
        raise DialectError(f"`{field}` must be a list.", field)
    for index, item in enumerate(value):
        if not isinstance(item, dict):
            raise DialectError(f"`{field}[{index}]` must be an object.", f"{field}[{index}]")
    return value


def renamed(item: Document, names: Mapping[str, str], field: str) -> dict[str, Json]:
    """The object under our field names. Raises DialectError if a field is given under both."""
    for theirs, ours in names.items():
        if theirs in item and ours in item:
            raise DialectError(f"`{field}` has both {theirs} and {ours}: keep one of them.", field)
    return {names.get(key, key): value for key, value in item.items()}
