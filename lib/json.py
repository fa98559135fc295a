"""The types of JSON values."""

from typing import Any, TypeAlias

JsonValue: TypeAlias = "str | int | float | bool | list[JsonValue] | dict[str, JsonValue] | None"
"""A value of JSON of which nothing is known."""

Json = Any
"""A value of JSON that a schema has checked, or whose reader asks what it is. As in `engine.catalogue`: neither package
imports the other.
"""
