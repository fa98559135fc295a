"""What the requester of a run gets, as the definition says it (`request.result`), compiled. Pure."""

from collections.abc import Mapping

from engine.catalogue import Json
from engine.templates import Template, compile_template


def result_of(terms: Mapping[str, Json]) -> dict[str, Template]:
    """A template for each label; of a text, which is Markdown, without a label."""
    value, order = terms.get("result"), terms.get("result_order") or []
    if isinstance(value, str):
        return {"": compile_template(value, ("",))}
    rows = {label: compile_template(row) for label, row in (value or {}).items()}
    # JSON keeps no order of keys in the database.
    return {label: rows[label] for label in dict.fromkeys([*(one for one in order if one in rows), *rows])}
