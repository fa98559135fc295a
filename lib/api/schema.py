"""What the OpenAPI document says of every route alike: errors and pages."""

import re
from collections.abc import Iterator
from typing import Any

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
