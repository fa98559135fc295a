"""Texts whose values keep their type: readers see them in their own format, and corrected facts change them. Pure.

A text is a list of parts: a string as it stands, or `{value, type?, as?, source?}`. `source` is the expression of a
part that reads the facts of its step; the part is computed again in each round.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from engine.catalogue import Json
from engine.cel_reads import Path, copy_by_plan, copy_plan
from engine.expressions import Expression, compile_expression
from engine.markdown import escaped, within_code
from engine.templates import Scope, Template, as_text
from engine.value_types import Type

FACTS: Final = "facts"
Parts = list[Json]
TextOf = Callable[[Json, Type], str | None]
"""What a value of a type reads like; None where it is no value of that type."""
_CURRENCY: Final = "x-currency"
_SYMBOLS: Final = {"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥", "INR": "₹"}


@dataclass(frozen=True, slots=True)
class TypedParams:
    """The params of a step that asks people, with what they read: `types` by plain path."""

    template: Template
    scope: Scope
    types: Mapping[Path, Type]

    def type_at(self, *keys: str | int) -> Type | None:
        """The type of the value at these keys; None where it is computed, or has none."""
        part = self.template.part_at(*keys)
        pieces = [] if part is None else [piece for piece, _ in part.pieces()]
        only = pieces[0] if len(pieces) == 1 else None
        return self.types.get(only.shown_path) if isinstance(only, Expression) and only.shown_path else None

    def parts_at(self, *keys: str | int) -> Parts | None:
        """The text at these keys in parts; None where no part has a type or reads a fact. Raises ExpressionError."""
        part = self.template.part_at(*keys)
        if part is None:
            return None
        parts: Parts = []
        for piece, writing in part.pieces():
            if isinstance(piece, str):
                parts.append(piece)
                continue
            kind = self.types.get(piece.shown_path) if piece.shown_path else None
            entry: dict[str, Json] = {"value": piece.evaluate(self.scope)}
            entry |= {"type": kind} if kind else {}
            entry |= {"as": writing} if writing != "text" else {}
            entry |= {"source": piece.source} if FACTS in piece.refs.names else {}
            parts.append(entry)
        is_plain = all(isinstance(one, str) or not ("type" in one or "source" in one) for one in parts)
        return None if is_plain else parts

    def scope_of(self, texts: Sequence[Parts]) -> dict[str, Json]:
        """What the expressions that read facts read besides, so that they can be computed again."""
        reads = [
            (path, False)
            for parts in texts
            for part in parts
            if isinstance(part, dict) and "source" in part
            for path in compile_expression(part["source"]).paths
            if path[0] != FACTS
        ]
        copied = copy_by_plan(dict(self.scope), copy_plan(reads)) if reads else {}
        return copied if isinstance(copied, dict) else {}


def renewed(parts: Parts, scope: Scope, types: Mapping[str, Type]) -> Parts:
    """The parts with what reads facts computed again; `types` of facts by label. Raises ExpressionError."""
    return [_renewed(part, scope, types) for part in parts]


def _renewed(part: Json, scope: Scope, types: Mapping[str, Type]) -> Json:
    if isinstance(part, str) or "source" not in part:
        return part
    expression = compile_expression(part["source"])
    entry = {key: value for key, value in part.items() if key != "type"} | {
        "value": expression.evaluate(scope)
    }
    path = expression.shown_path
    kind = types.get(path[1]) if path is not None and len(path) == 2 and path[0] == FACTS else None
    return entry | {"type": kind} if kind else entry


def joined(parts: Parts, text_of: TextOf) -> str:
    """The text of these parts, the values written by `text_of` where they have a type."""
    return "".join(_written(parts, place, text_of) for place in range(len(parts)))


def _written(parts: Parts, place: int, text_of: TextOf) -> str:
    part = parts[place]
    if isinstance(part, str):
        return part
    kind = part.get("type")
    if kind and _CURRENCY in kind and _names_currency(parts, place, kind[_CURRENCY]):
        kind = {**kind, _CURRENCY: kind[_CURRENCY], "x-bare": True}
    text = text_of(part["value"], kind) if kind else None
    text = as_text(part["value"]) if text is None else text
    match part.get("as"):
        case "markdown":
            return escaped(text)
        case "code":
            return within_code(text)
    return text


def _names_currency(parts: Parts, place: int, currency: str) -> bool:
    """Whether the author wrote the currency beside the value: it is not written twice."""
    before = parts[place - 1] if place else ""
    after = parts[place + 1] if place + 1 < len(parts) else ""
    names = tuple(name for name in (currency, _SYMBOLS.get(currency)) if name)
    is_before = isinstance(before, str) and before.rstrip().endswith(names)
    return is_before or (isinstance(after, str) and after.lstrip().startswith(names))
