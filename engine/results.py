"""What the requester of a run gets, as the definition says it (`request.result`), compiled. Pure."""

from collections.abc import Mapping
from typing import Any

from engine.catalogue import Catalogue, Json
from engine.cel_reads import Path
from engine.templates import Template, compile_template
from engine.value_types import Type, ValueTypes


def types_of_result(
    definition: Mapping[str, Any], catalogue: Catalogue, result: Mapping[str, Template]
) -> dict[Path, Type]:
    """The types of the values that a result reads by plain paths."""
    types = ValueTypes(definition, catalogue) if result else None
    read = [types.read_by(None, template) for template in result.values()] if types else []
    return {path: kind for one in read for path, kind in one.items()}


def result_of(terms: Mapping[str, Json]) -> dict[str, Template]:
    """A template for each label; of a text, which is Markdown, without a label."""
    value, order = terms.get("result"), terms.get("result_order") or []
    if isinstance(value, str):
        return {"": compile_template(value, ("",))}
    rows = {label: compile_template(row) for label, row in (value or {}).items()}
    # JSON keeps no order of keys in the database.
    return {label: rows[label] for label in dict.fromkeys([*(one for one in order if one in rows), *rows])}
