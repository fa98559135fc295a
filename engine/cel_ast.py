"""Reads the syntax tree out of a compiled CEL expression.

The CEL library has no tree of its own to offer, but it serialises what it parsed as `cel.expr.CheckedExpr` (or
`ParsedExpr`). This is a decoder of just that much of the protobuf wire format; field numbers are those of
`cel/expr/syntax.proto`.

`at` of a literal, a name or a selection is the character of the source where it stands (a selection: its dot, or the
bracket of its `has(`), where positions were asked for.
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

Wire = dict[int, list[int | bytes]]
Places = Mapping[int, int]
_UNPLACED: Places = {}
NOWHERE: int = field(default=-1, compare=False)


RESERVED = frozenset(
    {
        "as",
        "break",
        "const",
        "continue",
        "else",
        "false",
        "for",
        "function",
        "if",
        "import",
        "in",
        "let",
        "loop",
        "namespace",
        "null",
        "package",
        "return",
        "true",
        "var",
        "void",
        "while",
    }
)
"""Words that no name behind a dot may be."""


@dataclass(frozen=True, slots=True)
class Const:
    """A literal."""

    value: object
    at: int = NOWHERE


@dataclass(frozen=True, slots=True)
class Ident:
    """A name."""

    name: str
    at: int = NOWHERE


@dataclass(frozen=True, slots=True)
class Select:
    """`operand.field`; `has(operand.field)` when `test_only`."""

    operand: "Expr"
    field: str
    test_only: bool
    at: int = NOWHERE


@dataclass(frozen=True, slots=True)
class Call:
    """A function, a method (first of `args`) or an operator such as `_+_`."""

    function: str
    args: tuple["Expr", ...]


@dataclass(frozen=True, slots=True)
class Group:
    """A list, map or message literal: `label` says which."""

    label: str
    parts: tuple["Expr", ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """A list macro, as CEL writes it out: `start`, then for each item of `over` the `body` (condition and step).

    `names`: what the body and `result` know besides the names around it; `accumulator` is the last of them.
    """

    names: tuple[str, ...]
    over: "Expr"
    start: "Expr"
    body: tuple["Expr", ...]
    result: "Expr"

    @property
    def accumulator(self) -> str:
        """The name of what the steps make."""
        return self.names[-1]


Expr = Const | Ident | Select | Call | Group | Loop


def parse_serialized(data: bytes, *, placed: bool = False) -> Expr:
    """The tree of what `Expression.serialize()` returned, `placed` with positions. Raises ValueError on else."""
    envelope = _fields(data)
    kind = _text(envelope, 1)
    body = _fields(_bytes(envelope, 2))
    numbers = {"cel.expr.CheckedExpr": (4, 5), "cel.expr.ParsedExpr": (2, 3)}.get(kind.rpartition("/")[2])
    if numbers is None:
        raise ValueError(f"not a CEL expression: {kind}")
    tree, source = numbers
    return _expr(_bytes(body, tree), _positions(_bytes(body, source)) if placed else _UNPLACED)


def walk(expr: Expr) -> Iterator[Expr]:
    """Every node of the tree, parents first."""
    pending = [expr]
    while pending:
        node = pending.pop()
        yield node
        match node:
            case Select(operand):
                pending.append(operand)
            case Call(_, parts) | Group(_, parts):
                pending.extend(parts)
            case Loop(_, over, start, body, result):
                pending += (over, start, *body, result)


def _expr(data: bytes, places: Places) -> Expr:
    fields = _fields(data)
    at = places.get(_number(fields, 2), -1) if places else -1
    if 3 in fields:
        return Const(_constant(_fields(_bytes(fields, 3))), at)
    if 4 in fields:
        return Ident(_text(_fields(_bytes(fields, 4)), 1), at)
    if 5 in fields:
        inner = _fields(_bytes(fields, 5))
        return Select(_expr(_bytes(inner, 1), places), _text(inner, 2), bool(inner.get(3)), at)
    if 6 in fields:
        inner = _fields(_bytes(fields, 6))
        parts = [*inner.get(1, []), *inner.get(3, [])]
        return Call(_text(inner, 2), tuple(_expr(_raw(part), places) for part in parts))
    if 7 in fields:
        return Group("list", tuple(_expr(_raw(x), places) for x in _fields(_bytes(fields, 7)).get(1, [])))
    if 8 in fields:
        return _struct(_fields(_bytes(fields, 8)), places)
    if 9 in fields:
        return _loop(_fields(_bytes(fields, 9)), places)
    return Const(None, at)


def _positions(data: bytes) -> Places:
    """Where the nodes stand, by their ids, out of a `cel.expr.SourceInfo`."""
    entries = (_fields(_raw(entry)) for entry in _fields(data).get(4, []))
    return {_number(entry, 1): _number(entry, 2) for entry in entries}


def _loop(fields: Wire, places: Places) -> Loop:
    parts = (_bytes(fields, number) for number in (2, 4, 5, 6, 7))
    over, start, condition, step, result = (_expr(part, places) for part in parts)
    names = tuple(_text(fields, number) for number in (1, 8, 3) if number in fields)
    return Loop(names, over, start, (condition, step), result)


def _struct(fields: Wire, places: Places) -> Expr:
    parts: list[Expr] = []
    for entry in (_fields(_raw(x)) for x in fields.get(2, [])):
        parts.extend(_expr(_bytes(entry, n), places) for n in (3, 4) if n in entry)
    return Group(_text(fields, 1) or "map", tuple(parts))


def _constant(fields: Wire) -> object:
    number, values = next(iter(fields.items()), (1, [0]))
    value = values[-1]
    if number == 5:
        return struct.unpack("<d", _raw(value))[0]
    if number in (6, 7):
        return _raw(value).decode() if number == 6 else _raw(value)
    if number == 2:
        return bool(value)
    if number == 3 and isinstance(value, int):
        return value - (1 << 64) if value >> 63 else value
    return value if number == 4 else None


def _fields(data: bytes) -> Wire:
    fields: Wire = {}
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        value: int | bytes
        if tag & 7 == 0:
            value, at = _varint(data, at)
        else:
            size, at = _varint(data, at) if tag & 7 == 2 else ({1: 8, 5: 4}[tag & 7], at)
            value, at = data[at : at + size], at + size
        fields.setdefault(tag >> 3, []).append(value)
    return fields


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def _raw(value: int | bytes) -> bytes:
    if isinstance(value, bytes):
        return value
    raise ValueError("a number stands where bytes were expected")


def _number(fields: Wire, number: int) -> int:
    value = fields.get(number, [0])[-1]
    return value if isinstance(value, int) else 0


def _bytes(fields: Wire, number: int) -> bytes:
    return _raw(fields.get(number, [b""])[-1])


def _text(fields: Wire, number: int) -> str:
    return _bytes(fields, number).decode()
