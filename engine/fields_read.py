"""The schema of a value as the expressions of a definition read it: what a person is asked for who gives it by hand.

A field is there because an expression selects it; its type comes from the schema of the value, else from the operators
around it: `output.amount > 5` reads a number. Definitions are native, of whatever quality. Pure.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Final, Literal

from engine.bodies import bodies_of, level_of, objects, sources_of
from engine.catalogue import Catalogue, Json
from engine.cel_ast import Call, Const, Expr, Group, Loop, Select
from engine.cel_reads import Path, static_path
from engine.errors import ExpressionInvalid
from engine.expressions import compile_expression
from engine.holes import split_holes, strings_with_holes
from engine.limits import READ_EXPRESSIONS, READ_FIELDS
from engine.output_schemas import output_schemas

Kind = Literal["boolean", "number", "string", "array", "written"]
"""What a value is; `written`: into a text, as a number may be, too."""
Schema = dict[str, Json]
Where = Literal["params", "input", "set_vars", "when"]

_LOGICAL: Final = frozenset({"_&&_", "_||_", "!_"})
_COMPARED: Final = frozenset({"_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_", "_+_"})
_NUMERIC: Final = frozenset({"_-_", "_*_", "_/_", "_%_", "-_"})
_OF_TEXT: Final = frozenset(
    {"startsWith", "endsWith", "contains", "matches", "upper", "lower", "trim", "timestamp", "duration"}
)


@dataclass(frozen=True, slots=True)
class _Read:
    """That the value at `path` is read; `kind`: as the operators say; `is_asked`: only whether it is there."""

    path: Path
    kind: Kind | None
    is_asked: bool = False


@dataclass(frozen=True, slots=True)
class _Reader:
    """An expression of a step, or of an edge that leaves it (`when`); `sources`: the steps that lead to the step."""

    step: str | None
    where: Where
    sources: frozenset[str]
    is_mapped: bool
    reads: tuple[_Read, ...]

    def before(self) -> frozenset[str] | None:
        """The steps whose outputs are `prev` here; None where it is what a mapping made."""
        return None if self.is_mapped and self.where != "input" else self.sources


@dataclass(slots=True)
class _Field:
    kinds: set[Kind] = field(default_factory=set)
    is_required: bool = False
    fields: dict[str, "_Field"] = field(default_factory=dict)

    def add(self, keys: Path, read: _Read, is_certain: bool) -> None:
        at = self
        for key in keys[: -1 if read.is_asked else None]:
            if key not in at.fields and len(at.fields) >= READ_FIELDS:
                return
            at = at.fields.setdefault(key, _Field())
            at.is_required |= is_certain
        if read.is_asked and keys and len(at.fields) < READ_FIELDS:
            at.fields.setdefault(keys[-1], _Field())
        elif read.kind is not None:
            at.kinds.add(read.kind)

    def schema(self, known: Json = None) -> Schema:
        properties = known.get("properties") if isinstance(known, Mapping) else None
        if not self.fields:
            if isinstance(known, Mapping) and known:
                return dict(known)
            kinds = self.kinds - {"written"} or {"string" for _ in self.kinds}
            return {"type": next(iter(kinds))} if len(kinds) == 1 else {}
        parts = properties if isinstance(properties, Mapping) else {}
        schema: Schema = {
            "type": "object",
            "properties": {key: one.schema(parts.get(key)) for key, one in self.fields.items()},
        }
        if required := [key for key, one in self.fields.items() if one.is_required]:
            schema["required"] = required
        return schema


def payload_read(document: Mapping[str, Json], step: str, catalogue: Catalogue) -> Schema | None:
    """What is read of the output of this step; None where nothing is, or where it is only read as a whole."""
    whole = _Field()
    for reader in _readers(document, catalogue):
        for read in reader.reads:
            name, keys = _output_of(reader, read.path)
            if name == step:
                is_certain = reader.where in ("when", "set_vars") and reader.step == step
                whole.add(keys, read, is_certain and not read.is_asked)
    return whole.schema() if whole.fields else None


def input_read(document: Mapping[str, Json], step: str, catalogue: Catalogue) -> Schema | None:
    """What a step reads of the input of the run; None as in `payload_read`."""
    whole = _Field()
    own = next((one for one in objects(document.get("nodes")) if one.get("id") == step), {})
    for reader in islice(
        _readers_of(own, sources_of(document), catalogue),
        READ_EXPRESSIONS,
    ):
        for read in reader.reads:
            match read.path:
                case ("input", *keys):
                    whole.add(tuple(keys), read, is_certain=False)
                case ("prev", *keys) if reader.before() == frozenset():
                    whole.add(tuple(keys), read, is_certain=False)
    return whole.schema() if whole.fields else None


def outputs_read(document: Mapping[str, Json], step: str, catalogue: Catalogue) -> dict[str, Schema]:
    """What a step reads of the outputs of others, by their ids; their schemas give the types."""
    nodes = {node["id"]: node for node in objects(document.get("nodes")) if isinstance(node.get("id"), str)}
    fields: dict[str, _Field] = {}
    own = nodes.get(step)
    readers = _readers_of(own, sources_of(document), catalogue) if own is not None else iter(())
    for reader in islice(readers, READ_EXPRESSIONS):
        for read in reader.reads:
            name, keys = _output_of(reader, read.path)
            if name is not None and name in nodes and name != step:
                fields.setdefault(name, _Field()).add(keys, read, is_certain=False)
    schemas = output_schemas(document, catalogue)
    return {name: fields[name].schema(schemas.of(name)) for name in nodes if name in fields}


def _output_of(reader: _Reader, path: Path) -> tuple[str | None, Path]:
    """The step of whose output a path reads, and which part of it; None where it reads of none."""
    match path:
        case ("steps", name, "output", *keys):
            return name, tuple(keys)
        case ("output", *keys) if reader.where in ("when", "set_vars"):
            return reader.step, tuple(keys)
        case ("prev", *keys) if sources := reader.before():
            if len(sources) == 1:
                return next(iter(sources)), tuple(keys)
            if keys and keys[0] in sources:
                return keys[0], tuple(keys[1:])
    return None, ()


# --- where expressions stand -------------------------------------------------------------------------------------


def _readers(document: Mapping[str, Json], catalogue: Catalogue) -> Iterator[_Reader]:
    """All expressions of a definition, so many at most."""
    return islice(_every_reader(document, catalogue), READ_EXPRESSIONS)


def _every_reader(document: Mapping[str, Json], catalogue: Catalogue) -> Iterator[_Reader]:
    levels: list[Mapping[str, Json]] = [document]
    while levels:
        level = levels.pop()
        sources = sources_of(level)
        mapped = set[str]()
        for node in objects(level.get("nodes")):
            yield from _readers_of(node, sources, catalogue)
            if node.get("input") is not None:
                mapped.add(str(node.get("id")))
            levels += [one for _, body in bodies_of(node, catalogue) if (one := level_of(body))]
        for edge in objects(level.get("edges")):
            if isinstance(edge.get("when"), str) and isinstance(name := edge.get("from"), str):
                reads = tuple(_reads_of(edge["when"], "boolean"))
                yield _Reader(name, "when", sources.get(name, frozenset()), name in mapped, reads)
    for value in (document.get("output"), document.get("request")):
        yield from _of_texts(value, partial(_Reader, None, "params", frozenset(), True))


def _readers_of(
    node: Mapping[str, Json], sources: Mapping[str, frozenset[str]], catalogue: Catalogue
) -> Iterator[_Reader]:
    """The expressions of one step, without those of steps within it."""
    name, is_mapped = str(node.get("id")), node.get("input") is not None
    before = sources.get(name, frozenset())
    spec, undo = catalogue.get(str(node.get("type"))), node.get("compensate")
    values: list[tuple[Where, Json]] = [
        ("params", node.get("params")),
        ("input", node.get("input")),
        ("set_vars", node.get("set_vars")),
        ("params", undo.get("params") if isinstance(undo, Mapping) else None),
    ]
    for where, value in values:
        reader = partial(_Reader, name, where, before, is_mapped)
        yield from _of_texts(_without_steps(value), reader)
    raw = node.get("params")
    params = raw if spec is not None and isinstance(raw, Mapping) else {}
    for key in spec.conditions if spec is not None else ():
        if isinstance(text := params.get(key), str):
            yield _Reader(name, "params", before, is_mapped, tuple(_reads_of(text, "boolean")))


def _of_texts(value: Json, reader: Callable[[tuple[_Read, ...]], _Reader]) -> Iterator[_Reader]:
    for _, text in strings_with_holes(value, ""):
        try:
            parts = split_holes(text)
        except ExpressionInvalid:
            continue
        kind: Kind | None = "written" if len(parts) > 1 else None
        for is_expression, source in parts:
            if is_expression:
                yield reader(tuple(_reads_of(source, kind)))


def _without_steps(value: Json) -> Json:
    """Params without the steps in a body, which are places of their own."""
    if not isinstance(value, Mapping) or not isinstance(value.get("body"), Mapping):
        return value
    body = {key: _without_steps(one) for key, one in value["body"].items() if key != "steps"}
    return {**value, "body": body}


# --- one expression ----------------------------------------------------------------------------------------------


def _reads_of(source: str, kind: Kind | None) -> Iterable[_Read]:
    try:
        return list(_reads(compile_expression(source).placed_tree(), frozenset(), kind))
    except ExpressionInvalid:
        return ()


def _reads(expr: Expr, own: frozenset[str], kind: Kind | None) -> Iterator[_Read]:
    path = static_path(expr, own)
    if path is not None:
        yield _Read(path, kind)
        return
    match expr:
        case Select(operand, name, True) if (inner := static_path(operand, own)) is not None:
            yield _Read((*inner, name), None, is_asked=True)
        case Call("@in", (Const(str() as name), holder)) if (inner := static_path(holder, own)) is not None:
            yield _Read((*inner, name), None, is_asked=True)
        case Select(operand):
            yield from _reads(operand, own, None)
        case Call(function, parts):
            for at, part in enumerate(parts):
                yield from _reads(part, own, _kind_within(function, parts, at, kind))
        case Group(_, parts):
            for part in parts:
                yield from _reads(part, own, None)
        case Loop(names, over, start, body, result):
            yield from _reads(over, own, "array")
            for part in (start, *body, result):
                yield from _reads(part, own.union(names), None)


def _kind_within(function: str, parts: tuple[Expr, ...], at: int, kind: Kind | None) -> Kind | None:
    """What kind of value an operator or a function has at this place; `kind`: what the whole is."""
    if function == "join" and at == 0:
        return "array"
    if function in _LOGICAL or (function == "_?_:_" and at == 0):
        return "boolean"
    if function == "_?_:_":
        return kind
    if function in _NUMERIC:
        return "number"
    if function in _COMPARED:
        return _kind_of(parts[1 - at])
    if function == "@in":
        return "array" if at else _kind_of_items(parts[1])
    if function == "_[_]":
        return "array" if at == 0 and isinstance(parts[1], Const) else None
    return "string" if function in _OF_TEXT and at == 0 else None


def _kind_of(expr: Expr) -> Kind | None:
    match expr:
        case Const(bool()):
            return "boolean"
        case Const(int() | float()):
            return "number"
        case Const(str()):
            return "string"
    return None


def _kind_of_items(expr: Expr) -> Kind | None:
    return _kind_of(expr.parts[0]) if isinstance(expr, Group) and expr.parts else None
