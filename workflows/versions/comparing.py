"""Comparing two versions of a workflow, or one with the draft, for the API and for pages."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from engine.dialects import DialectError, to_native
from lib.json import Json
from lib.refusals import Unprocessable
from lib.strict_yaml import yaml_text
from workflows import queries
from workflows.design.drawing import Drawing, draw, marked
from workflows.document.changes import NOTHING, NotKeyable
from workflows.document.differences import Comparison, Difference, compare
from workflows.document.texts import arranged_node
from workflows.limits import COMPARED_CHARACTERS, COMPARED_FIELDS

Side = int | Literal["draft"]


@dataclass(frozen=True, slots=True)
class Row:
    """One field as a page shows it; None where there is nothing on that side."""

    field: str
    kind: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Part:
    """What is different in one step, in one connection, or in the settings."""

    what: str
    kind: str
    rows: list[Row]


@dataclass(frozen=True, slots=True)
class Shown:
    """A comparison as a page shows it."""

    text: str
    parts: list[Part]
    left_out: int
    drawing: Drawing


def definition_of(tenant_id: int, name: str, side: Side) -> dict[str, Json]:
    """The definition of a version, or the draft. Raises Missing."""
    if side == "draft":
        return dict(queries.get_workflow(tenant_id, name).draft_definition)
    return dict(queries.get_version(tenant_id, name, side).definition)


def compared(before: Mapping[str, Json], after: Mapping[str, Json]) -> Comparison:
    """What is different between two definitions of any dialect. Raises Unprocessable."""
    try:
        return compare(to_native(before), to_native(after))
    except DialectError as refusal:
        raise _not_comparable(refusal.field, refusal.message) from None
    except NotKeyable as refusal:
        raise _not_comparable(refusal.field, refusal.message) from None


def _not_comparable(field: str, message: str) -> Unprocessable:
    place = f"{field}: " if field else ""
    return Unprocessable(
        f"These can't be compared. {place}{message}", code="not_keyable", details={"place": field}
    )


def shown(before: Mapping[str, Json], after: Mapping[str, Json]) -> Shown:
    """The comparison of two definitions for people: field by field, and as a picture. Raises Unprocessable."""
    comparison = compared(before, after)
    titles = _titles(before) | _titles(after)
    fields = comparison.fields[:COMPARED_FIELDS]
    parts = [
        _part(where, node, list(rows), titles)
        for (where, node), rows in groupby(_in_order(fields), lambda each: (each.where, each.node))
    ]
    drawing = marked(
        draw(after),
        draw(before),
        {"new": comparison.nodes.added, "changed": comparison.nodes.changed},
        comparison.nodes.removed,
    )
    return Shown(comparison.text, parts, len(comparison.fields) - len(fields), drawing)


def _in_order(fields: Iterable[Difference]) -> list[Difference]:
    """The settings first, then steps, then connections, each with all of its fields."""
    order = ("settings", "nodes", "edges")
    first: dict[tuple[str, str | None], int] = {}
    for difference in fields:
        first.setdefault((difference.where, difference.node), len(first))
    return sorted(fields, key=lambda each: (order.index(each.where), first[each.where, each.node]))


def _part(where: str, node: str | None, differences: list[Difference], titles: Mapping[str, str]) -> Part:
    whole = next((each.kind for each in differences if not each.field and each.kind != "moved"), "")
    rows = [_row(each) for each in differences]
    rows = [row for row in rows if row.field or row.before or row.after]
    if where == "settings" or node is None:
        return Part("Settings", "", rows)
    if where == "nodes":
        return Part(titles.get(node, node), whole, rows)
    between, _, number = node.partition("#")
    ends = " → ".join(titles.get(end, end) for end in between.split(">"))
    return Part(f"{ends} ({number})" if number else ends, whole, rows)


def _row(difference: Difference) -> Row:
    if difference.kind == "moved":
        return Row("its place", "moved", _behind(difference.before), _behind(difference.after))
    before, after = difference.before, difference.after
    if difference.where == "edges" and not difference.field:
        before, after = _condition(before), _condition(after)
    return Row(difference.field, difference.kind, _text(before), _text(after))


def _condition(edge: Json) -> Json:
    """An edge without its ends, which people are told anyway."""
    if not isinstance(edge, dict):
        return NOTHING
    return {key: value for key, value in edge.items() if key not in ("from", "to")} or NOTHING


def _behind(key: Json) -> str:
    return f"after {key}" if isinstance(key, str) else "first"


def _text(value: Json) -> str | None:
    if value is NOTHING:
        return None
    value = arranged_node(value) if isinstance(value, dict) else value
    text = value if isinstance(value, str) else yaml_text(value).removesuffix("...\n").strip("\n")
    return text if len(text) <= COMPARED_CHARACTERS else f"{text[:COMPARED_CHARACTERS]}…"


def _titles(definition: Mapping[str, Json]) -> dict[str, str]:
    return {step.id: step.title for step in draw(definition).steps}
