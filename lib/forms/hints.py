"""What a form needs beyond a JSON Schema: `x-widget` on every property, and limits in the words of JSON Schema."""

from lib.forms.shapes import Schema, whole
from lib.json import Json

WIDGETS = frozenset(
    {
        "text",
        "textarea",
        "number",
        "seconds",
        "duration",
        "datetime",
        "switch",
        "select",
        "choices",
        "list",
        "rows",
        "pairs",
        "group",
        "schema",
        "code",
        "template",
        "expression",
        "retry",
        "join",
        "quorum",
        "workflow",
        "calendar",
        "body",
    }
)
"""Every `x-widget` there is. `code`: any JSON; `template`: a text with `{{ }}`; `expression`: CEL without braces;
`workflow`, `calendar`: the name of one; `body`: what a container does for each of its items."""

LONG_TEXT = 300
_LIMITS = {"ge": "minimum", "le": "maximum", "gt": "exclusiveMinimum", "lt": "exclusiveMaximum"}


def with_hints(schema: Schema) -> dict[str, Json]:
    """The schema with a widget for each property that names none, also in the objects within it."""
    return _with_hints(schema, schema)


def _with_hints(schema: Schema, root: Schema) -> dict[str, Json]:
    # Pydantic writes the limits of a number that it first converts by its own names.
    result = {_LIMITS.get(key, key): value for key, value in schema.items()}
    if isinstance(result.get("properties"), dict):
        result["properties"] = {
            key: _property(key, value, root) for key, value in result["properties"].items()
        }
    for key in ("items", "additionalProperties"):
        if isinstance(result.get(key), dict):
            result[key] = _with_hints(result[key], root)
    if isinstance(result.get("$defs"), dict):
        result["$defs"] = {key: _with_hints(value, root) for key, value in result["$defs"].items()}
    if isinstance(result.get("anyOf"), list):
        result["anyOf"] = [_with_hints(choice, root) for choice in result["anyOf"]]
    return result


def _property(name: str, schema: Schema, root: Schema) -> dict[str, Json]:
    result = _with_hints(schema, root)
    result.setdefault("x-widget", widget_of(name, schema, root))
    return result


def widget_of(name: str, schema: Schema, root: Schema) -> str:
    """Which widget fits the values of this property; `code` where none is made for them."""
    plain = whole(root, schema)
    if "enum" in plain:
        return "select"
    match plain.get("type"):
        case "boolean":
            return "switch"
        case "integer" | "number":
            return "seconds" if name == "seconds" or name.endswith("_seconds") else "number"
        case "string":
            return "textarea" if plain.get("maxLength", 0) > LONG_TEXT else "text"
        case "array":
            return _widget_of_list(plain.get("items", {}), root)
        case "object":
            return "group" if plain.get("properties") else "pairs"
        case _:
            return "code"


def _widget_of_list(items: Schema, root: Schema) -> str:
    plain = whole(root, items)
    if "enum" in plain:
        return "choices"
    kinds = {whole(root, choice).get("type") for choice in plain.get("anyOf", (plain,))}
    if "object" in kinds:
        return "rows"
    return "list" if kinds <= {"string", "integer", "number"} else "code"
