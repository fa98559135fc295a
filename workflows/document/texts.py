"""Pure: a definition as text: JSON and YAML in both directions, and as the Python that makes it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import orjson

from engine.definition import Compensation, Definition, Edge, Node
from engine.dialects import DialectError, to_native
from lib.json import Json
from lib.refusals import Unprocessable
from lib.strict_json import BadJson, is_json_object, strict_loads
from lib.strict_yaml import BadYaml, yaml_loads, yaml_text
from steps.authoring.printing import python_source
from workflows.limits import DEFINITION_TEXT_BYTES

Format = Literal["json", "yaml"]
FORMATS: tuple[Format, ...] = ("json", "yaml")
Export = Literal["json", "yaml", "python"]
EXPORTS: tuple[Export, ...] = (*FORMATS, "python")
"""What a definition is exported as; Python is run where it is wanted, and never read here."""
TYPES: Mapping[Export, str] = {
    "json": "application/json",
    "yaml": "application/yaml",
    "python": "text/x-python; charset=utf-8",
}
ENDINGS: Mapping[Export, str] = {"json": "json", "yaml": "yaml", "python": "py"}


@dataclass(frozen=True, slots=True)
class Read:
    """What a text says, and how it was written."""

    document: dict[str, Json]
    format: Format


def read_text(text: str, *, field: str) -> Read:
    """A document that is JSON or YAML: JSON begins with a bracket.

    Raises Unprocessable (`bad_document`) with the line and column in its details, where there is one to blame.
    """
    text = text.removeprefix("\ufeff")
    is_json = text.lstrip()[:1] in ("{", "[")
    try:
        if is_json:
            document = strict_loads(text.encode(errors="surrogatepass"), max_bytes=DEFINITION_TEXT_BYTES)
        else:
            document = yaml_loads(text, max_bytes=DEFINITION_TEXT_BYTES)
    except BadYaml as bad:
        place = f" (line {bad.line} column {bad.column})"
        raise _refusal(bad.message + place, field, {"line": bad.line, "column": bad.column}) from None
    except BadJson as bad:
        details = {"line": bad.line, "column": bad.column} if bad.line else {"pointer": bad.pointer}
        raise _refusal(bad.message if bad.line else bad.located, field, details) from None
    if not is_json_object(document):
        raise _refusal("A definition is an object: keys with their values.", field, {"line": 1, "column": 1})
    return Read(document, "json" if is_json else "yaml")


def _refusal(message: str, field: str, details: Mapping[str, Json]) -> Unprocessable:
    return Unprocessable(message[:1].upper() + message[1:], code="bad_document", field=field, details=details)


def written(document: Mapping[str, Json], format: Format) -> str:
    """The document as text; `read_text` gives the same back."""
    if format == "yaml":
        return yaml_text(dict(document))
    return orjson.dumps(dict(document), option=orjson.OPT_INDENT_2).decode()


def exported(definition: Mapping[str, Json], format: Export) -> str:
    """The definition as text, with its keys in the order in which people look for them."""
    if format != "python":
        return written(arranged(definition), format)
    try:
        native = to_native(dict(definition))
    except DialectError:
        native = dict(definition)
    return python_source(arranged(native))


def arranged(definition: Mapping[str, Json]) -> dict[str, Json]:
    """The definition with its keys in the order in which people look for them; the database has one of its own."""
    ordered = _in_order(definition, _DEFINITION)
    for key, keys in (("nodes", _NODE), ("edges", _EDGE)):
        if isinstance(ordered.get(key), list):
            ordered[key] = [
                _in_order(item, keys) if isinstance(item, dict) else item for item in ordered[key]
            ]
    return ordered


def arranged_node(node: Mapping[str, Json]) -> dict[str, Json]:
    """A node with its keys in that order."""
    return _in_order(node, _NODE)


def _keys(model: type[Definition] | type[Node] | type[Edge] | type[Compensation]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


_NODE, _EDGE, _COMPENSATION = _keys(Node), _keys(Edge), _keys(Compensation)
_LAST = ("nodes", "edges", "output", "next_workflow", "request")
_FIRST = ("name", "title", "description")
_DEFINITION = [*_FIRST, *(key for key in _keys(Definition) if key not in (*_FIRST, *_LAST)), *_LAST]


def _in_order(item: Mapping[str, Json], keys: Sequence[str]) -> dict[str, Json]:
    ordered = {key: item[key] for key in keys if key in item} | dict(item)
    undo = ordered.get("compensate")
    if keys is _NODE and isinstance(undo, dict):
        ordered["compensate"] = _in_order(undo, _COMPENSATION)
    return ordered
