"""What a dialect is: another way of writing a definition, translated into ours."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.catalogue import Json
from engine.errors import EngineError

Document = Mapping[str, Json]


class Finding(NamedTuple):
    """What keeps a document from being translated, and its place in the document as it was given."""

    message: str
    field: str


class DialectError(EngineError):
    """The document cannot be translated; `field` is the place in the document as it was given.

    `findings`: all that is known to be wrong with it, the first of which is told where there is room for one.
    """

    def __init__(self, message: str, field: str = "", findings: Sequence[Finding] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.findings = tuple(findings) or (Finding(message, field),)


@dataclass(frozen=True, slots=True)
class Dialect:
    """One dialect. `matches` recognises a document of it; `to_native` translates it and raises DialectError."""

    name: str
    matches: Callable[[Document], bool]
    to_native: Callable[[Document], dict[str, Json]]


def cannot_say(dialect: str, message: str, field: str = "") -> DialectError:
    """What an export answers for a workflow that the dialect has no words for."""
    return DialectError(f"The dialect `{dialect}` can't say this workflow. {message}", field)


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
