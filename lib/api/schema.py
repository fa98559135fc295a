"""What the OpenAPI document says of every route alike: errors, pages and examples."""

import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from django.apps import apps
from django.utils.module_loading import module_has_submodule
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import inline_serializer
from rest_framework import serializers

_ERROR = {
    "type": "object",
    "required": ["error", "request_id"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "field", "details"],
            "properties": {
                "code": {"type": "string"},
                "message": {"type": "string"},
                "field": {"type": ["string", "null"]},
                "details": {"type": "object", "additionalProperties": {}},
            },
        },
        "request_id": {"type": "string"},
    },
}


class Schema(AutoSchema):
    """Operations are called after their view, since one view is one route: `post_workflow_draft`."""

    def get_operation_id(self) -> str:
        words = re.sub(r"(?<!^)(?=[A-Z])", "_", type(self.view).__name__.removesuffix("View")).lower()
        return f"{self.method.lower()}_{words}"


def add_common_responses(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """drf-spectacular's hook: every operation that names no errors of its own may answer with the envelope, every read
    that nothing is new.
    """
    result.setdefault("components", {}).setdefault("schemas", {})["Error"] = _ERROR
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    for path in result.get("paths", {}).values():
        for method, operation in path.items():
            if method == "get" and "200" in operation["responses"]:
                operation["responses"].setdefault("304", {"description": "As you have it: `If-None-Match`"})
            operation["responses"].setdefault("default", {"description": "An error", "content": content})
    return result


def say_any_value(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """drf-spectacular's hook: a field that may hold any JSON value holds null, too.

    Written as `oneOf` of any value and null, null would be both, which `oneOf` forbids.
    """
    either = [{}, {"type": "null"}]
    for part in _objects(result.get("components", {}).get("schemas", {})):
        if part.get("oneOf") == either:
            del part["oneOf"]
    return result


def add_examples(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """drf-spectacular's hook: bodies and answers get the example of their schema, a page one of its rows.

    Each app has its examples in `openapi_examples.EXAMPLES`, by the names of the schemas. What a verb answers is
    shown where its body is, and may be named after the operation instead.
    """
    components = result.setdefault("components", {})
    examples = {name: value for part in examples_of_apps() for name, value in part.items()}
    for schema_name, schema in components.get("schemas", {}).items():
        row = _name_of(_rows_of(schema))
        if row in examples:
            examples[schema_name] = {"results": [examples[row]], "next": None, "previous": None}
    names: set[str] = set()
    for method, operation in (
        (method, of) for path in result.get("paths", {}).values() for method, of in path.items()
    ):
        is_shown = _show(operation.get("requestBody", {}), examples, names)
        if method == "get" or is_shown:
            for answer in (of for status, of in operation["responses"].items() if status.startswith("2")):
                _show(answer, examples, names, operation["operationId"])
    components["examples"] = {name: {"value": examples[name]} for name in sorted(names)}
    return result


def _show(part: dict[str, Any], examples: Mapping[str, Any], names: set[str], name: str = "") -> bool:
    """Refer from a body to the example of this name, or of its schema; returns whether there is one."""
    content = part.get("content", {}).get("application/json", {})
    name = name if name in examples else _name_of(content.get("schema", {}))
    if name not in examples:
        return False
    content["examples"] = {"example": {"$ref": f"#/components/examples/{name}"}}
    names.add(name)
    return True


def examples_of_apps() -> Iterator[Mapping[str, Any]]:
    """The examples of each app that has any, by the names of the schemas."""
    for app in apps.get_app_configs():
        if module_has_submodule(app.module, "openapi_examples"):
            yield import_module(f"{app.name}.openapi_examples").EXAMPLES


def _name_of(schema: Mapping[str, Any]) -> str:
    """The name of the schema that this one refers to; empty where it refers to none."""
    return str(schema.get("$ref", "")).rpartition("/")[2]


def _rows_of(page: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema of a page's rows; empty for what is no page."""
    if {"results", "next", "previous"} != set(page.get("required", ())):
        return {}
    rows: Mapping[str, Any] = page["properties"]["results"].get("items", {})
    return rows


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _objects(inner)


def page_schema(item: type[serializers.Serializer[Any]]) -> serializers.Serializer[Any]:
    """The serializer that describes a page of `item`s."""
    return inline_serializer(
        name=f"{item.__name__.removesuffix('Serializer')}Page",
        fields={
            "results": item(many=True),
            "next": serializers.URLField(allow_null=True),
            "previous": serializers.URLField(allow_null=True),
        },
    )
