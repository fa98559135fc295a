"""The builder offers each kind of field that a form has; frontend/test/kinds.test.mjs checks the same file."""

import json
from pathlib import Path
from typing import get_args

from lib.forms.fields import Kind
from lib.forms.values import kind_of

KINDS = json.loads((Path(__file__).parent / "field_kinds.json").read_text())
OPTIONS = {"enum": ["a"]}
COLUMNS = {"properties": {"a": {"type": "string"}}}
STEPS_ONLY = {"lines"}
"""Only in the forms of a step's params: elsewhere a list of texts is rows of one."""


def filled(kind: str, schema: dict[str, object]) -> dict[str, object]:
    """The schema with the options or the fields that its author adds."""
    match kind:
        case "choice":
            return schema | OPTIONS
        case "checks":
            return schema | {"items": {"type": "string"} | OPTIONS}
        case "rows":
            return schema | {"items": {"type": "object"} | COLUMNS}
        case "group":
            return schema | COLUMNS
    return schema


def test_the_builder_offers_each_kind_of_field() -> None:
    made = {
        kind_of({}, filled(one["kind"], one["schema"]), 0, lines=False)
        for one in KINDS
        if one["kind"] != "other"
    }
    assert "json" not in made
    assert made == set(get_args(Kind)) - STEPS_ONLY - {"json"}
