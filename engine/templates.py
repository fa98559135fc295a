"""JSON values with `{{ CEL }}` holes in their strings: compile once, render per step.

A string that is exactly one hole keeps the value's type; any other string with holes becomes text. A literal `{{` is
written as `{{ "{{" }}`.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import orjson

from engine.catalogue import Json
from engine.cel_reads import Path, References
from engine.errors import ExpressionError, ExpressionInvalid
from engine.expressions import Expression, compile_expression
from engine.holes import join_path, split_holes
from engine.limits import TEMPLATE_LEVELS
from engine.markdown import before_hole, escaped, in_code, within_code
from engine.work import EXPRESSIONS_UNITS, sharing_at

Scope = Mapping[str, object]
Writing = Literal["text", "markdown", "code"]
"""How a value is written into a text: as it is, or so that it marks nothing up."""

TEXT_BYTES = 256 * 1024
# Twice the largest input of a run.
RENDERED_CHARACTERS = 16 * 1024 * 1024


class _Room:
    """How much may still be filled in: a value that is named a thousand times would be written out as often."""

    __slots__ = ("before_each", "left")

    def __init__(self, before_each: Callable[[], None] | None) -> None:
        self.left = RENDERED_CHARACTERS
        self.before_each = before_each

    def take(self, value: Json) -> Json:
        """The value, if it fits. Raises ExpressionError."""
        pending = [value]
        while pending:
            item = pending.pop()
            self.left -= 1 + (len(item) if isinstance(item, str | dict | list) else 0)
            if self.left < 0:
                raise ExpressionError(f"the values become longer than {RENDERED_CHARACTERS:,} characters")
            if isinstance(item, dict):
                pending += item.values()
            elif isinstance(item, list):
                pending += item
        return value


@dataclass(frozen=True, slots=True)
class _Hole:
    """A string that is one expression."""

    path: str
    expression: Expression

    def render(self, scope: Scope, room: "_Room") -> Json:
        return room.take(_evaluate(self.expression, scope, self.path, room))

    def pieces(self) -> Iterator[tuple[str | Expression, "Writing"]]:
        """Its expression, and how its value is written."""
        yield self.expression, "text"


@dataclass(frozen=True, slots=True)
class _Text:
    """A string with expressions in it; `written` is how the value of each of its parts is."""

    path: str
    parts: tuple[str | Expression, ...]
    written: tuple[Callable[[Json], str], ...]

    def render(self, scope: Scope, room: "_Room") -> str:
        pieces: list[str] = []
        length = 0
        for part, writer in zip(self.parts, self.written, strict=True):
            value = part if isinstance(part, str) else _evaluate(part, scope, self.path, room)
            pieces.append(part if isinstance(part, str) else writer(value))
            length += len(pieces[-1])
            if length > TEXT_BYTES:
                raise self._too_long()
        text = "".join(pieces)
        if length > TEXT_BYTES // 4 and len(text.encode()) > TEXT_BYTES:
            raise self._too_long()
        room.take(text)
        return text

    def pieces(self) -> Iterator[tuple[str | Expression, "Writing"]]:
        """Its parts, each with how the value of an expression is written there."""
        for part, writer in zip(self.parts, self.written, strict=True):
            yield part, _WRITINGS[writer]

    def _too_long(self) -> ExpressionError:
        return ExpressionError(f"{self.path or 'the text'} becomes longer than {TEXT_BYTES:,} bytes")


@dataclass(frozen=True, slots=True)
class _Object:
    items: tuple[tuple[str, "_Part"], ...]

    def render(self, scope: Scope, room: "_Room") -> dict[str, Json]:
        return {key: part.render(scope, room) for key, part in self.items}


@dataclass(frozen=True, slots=True)
class _List:
    items: tuple["_Part", ...]

    def render(self, scope: Scope, room: "_Room") -> list[Json]:
        return [part.render(scope, room) for part in self.items]


@dataclass(frozen=True, slots=True)
class _Static:
    value: Json

    def render(self, scope: Scope, room: "_Room") -> Json:
        return self.value


_Part = _Hole | _Text | _Object | _List | _Static


@dataclass(frozen=True, slots=True)
class Leaf:
    """A string with holes in a compiled value: its keys from the root on, its expressions, and what it gives."""

    keys: tuple[str | int, ...]
    expressions: tuple[Expression, ...]
    part: "_Hole | _Text"

    @property
    def source(self) -> Json:
        """The string as it is written, in its parts."""
        parts = (self.part.expression,) if isinstance(self.part, _Hole) else self.part.parts
        return [part if isinstance(part, str) else {"expression": part.source} for part in parts]

    def render(self, scope: Scope) -> Json:
        """The value. Raises ExpressionError."""
        return self.part.render(scope, _Room(None))


@dataclass(frozen=True, slots=True)
class Template:
    """A compiled JSON value. Parts without holes are handed out as they are: don't change what `render` returns."""

    refs: References
    is_static: bool
    root: _Part

    def render(self, scope: Scope, before_each: Callable[[], None] | None = None) -> Json:
        """The value with its holes filled in. Raises ExpressionError that names the place.

        `before_each` is called before each expression: what it raises ends it.
        """
        with sharing_at("", EXPRESSIONS_UNITS):
            return self.root.render(scope, _Room(before_each))

    def leaves(self, fill: Callable[[Leaf], Json]) -> Json:
        """The value with each string that has holes replaced by what `fill` gives for it."""
        return _filled(self.root, (), fill)

    def path_at(self, *keys: str) -> Path | None:
        """The path of the value at these keys, where that is shown as it is."""
        part: _Part | None = self.root
        for key in keys:
            part = dict(part.items).get(key) if isinstance(part, _Object) else None
        return part.expression.shown_path if isinstance(part, _Hole) else None

    def below(self, key: str) -> "Template":
        """What stands at this key of an object, as a template; null where nothing does."""
        part = dict(self.root.items).get(key) if isinstance(self.root, _Object) else None
        if isinstance(self.root, _Static) and isinstance(self.root.value, dict):
            part = _Static(self.root.value.get(key))
        part = part or _Static(None)
        return Template(self.refs, isinstance(part, _Static), part)

    def plain_paths(self) -> list[Path]:
        """Each path that one of its expressions shows as it is (`Expression.shown_path`)."""
        paths = [one.shown_path for one in _expressions(self.root)]
        return list(dict.fromkeys(path for path in paths if path is not None))

    def part_at(self, *keys: str | int) -> "_Hole | _Text | None":
        """The string with holes at these keys; None for any other value."""
        part: _Part | None = self.root
        for key in keys:
            if isinstance(part, _Object) and isinstance(key, str):
                part = dict(part.items).get(key)
            elif isinstance(part, _List) and isinstance(key, int) and key < len(part.items):
                part = part.items[key]
            else:
                return None
        return part if isinstance(part, _Hole | _Text) else None

    def constant(self, key: str) -> Json:
        """The value at this key, where it is the same whatever is filled in; None of any other."""
        if isinstance(self.root, _Static):
            return self.root.value.get(key) if isinstance(self.root.value, dict) else None
        part = dict(self.root.items).get(key) if isinstance(self.root, _Object) else None
        return part.value if isinstance(part, _Static) else None

    def where(self, predicate: Callable[[str], bool]) -> "Template":
        """What of it stands under names for which `predicate` holds, or may once it is rendered."""
        root = _where(self.root, predicate) or _Static({})
        return Template(self.refs, isinstance(root, _Static), root)


def _expressions(part: _Part) -> Iterator[Expression]:
    match part:
        case _Object(items):
            for _, value in items:
                yield from _expressions(value)
        case _List(items):
            for value in items:
                yield from _expressions(value)
        case _Hole(expression=expression):
            yield expression
        case _Text(parts=parts):
            yield from (each for each in parts if not isinstance(each, str))


def _filled(part: _Part, keys: tuple[str | int, ...], fill: Callable[[Leaf], Json]) -> Json:
    match part:
        case _Object(items):
            return {key: _filled(value, (*keys, key), fill) for key, value in items}
        case _List(items):
            return [_filled(value, (*keys, index), fill) for index, value in enumerate(items)]
        case _Hole(expression=expression):
            return fill(Leaf(keys, (expression,), part))
        case _Text(parts=parts):
            expressions = tuple(each for each in parts if not isinstance(each, str))
            return fill(Leaf(keys, expressions, part))
        case _Static(value):
            return value


def _where(part: _Part, predicate: Callable[[str], bool]) -> _Part | None:
    match part:
        case _Object(items):
            parts = ((key, value if predicate(key) else _where(value, predicate)) for key, value in items)
            rest = tuple((key, value) for key, value in parts if value is not None)
            return _Object(rest) if rest else None
        case _List(items):
            several = tuple(value for item in items if (value := _where(item, predicate)) is not None)
            return _List(several) if several else None
        case _Text():
            return None
    return part


def compile_template(value: Json, markdown: Collection[str] = ()) -> Template:
    """Compile a JSON value. Raises ExpressionInvalid at the first hole that does not compile, naming its place.

    The strings at the places `markdown` are Markdown: what holes within them give stands there as it is and marks
    nothing up. A string that is one hole is Markdown itself.
    """
    expressions: list[Expression] = []
    root = _compile(value, "", 0, expressions, markdown)
    return Template(References.union(e.refs for e in expressions), isinstance(root, _Static), root)


def as_text(value: Json) -> str:
    """How a value reads inside a text: null is empty, 3.0 is 3, objects and lists are JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, int | float):
        return str(value)
    return orjson.dumps(value).decode()


def _as_markdown(value: Json) -> str:
    return escaped(as_text(value))


def _as_code(value: Json) -> str:
    return within_code(as_text(value))


_WRITINGS: Mapping[Callable[[Json], str], Writing] = {
    as_text: "text",
    _as_markdown: "markdown",
    _as_code: "code",
}


def _compile(
    value: Json, path: str, depth: int, expressions: list[Expression], markdown: Collection[str]
) -> _Part:
    if depth > TEMPLATE_LEVELS:
        raise ExpressionInvalid(f"the value is nested deeper than {TEMPLATE_LEVELS} levels")
    if isinstance(value, str):
        return (
            _compile_string(value, path, expressions, path in markdown) if "{{" in value else _Static(value)
        )
    if isinstance(value, dict):
        items = tuple(
            (k, _compile(v, join_path(path, k), depth + 1, expressions, markdown)) for k, v in value.items()
        )
        return _Static(value) if all(isinstance(part, _Static) for _, part in items) else _Object(items)
    if isinstance(value, list):
        parts = tuple(
            _compile(v, f"{path}[{i}]", depth + 1, expressions, markdown) for i, v in enumerate(value)
        )
        return _Static(value) if all(isinstance(part, _Static) for part in parts) else _List(parts)
    return _Static(value)


def _compile_string(text: str, path: str, expressions: list[Expression], is_markdown: bool) -> _Part:
    try:
        parts = [compile_expression(source) if hole else source for hole, source in split_holes(text)]
    except ExpressionInvalid as exc:
        raise ExpressionInvalid(f"{path}: {exc}" if path else str(exc)) from exc
    expressions.extend(part for part in parts if isinstance(part, Expression))
    only = parts[0] if len(parts) == 1 else None
    if isinstance(only, Expression):
        return _Hole(path, only)
    return _markdown(path, parts) if is_markdown else _Text(path, tuple(parts), (as_text,) * len(parts))


def _markdown(path: str, parts: list[str | Expression]) -> _Text:
    """A text that is Markdown, in which values mark nothing up."""
    coded = iter(in_code(None if isinstance(part, Expression) else part for part in parts))
    writers = [_as_code if isinstance(part, Expression) and next(coded) else _as_markdown for part in parts]
    texts = [
        before_hole(part) if isinstance(part, str) and after is _as_markdown else part
        for part, after in zip(parts, [*writers[1:], None], strict=True)
    ]
    return _Text(path, tuple(texts), tuple(writers))


def _evaluate(expression: Expression, scope: Scope, path: str, room: _Room) -> Json:
    if room.before_each is not None:
        room.before_each()
    try:
        return expression.evaluate(scope)
    except ExpressionError as exc:
        raise exc.at(path) if path else exc from exc
