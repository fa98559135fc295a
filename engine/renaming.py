"""A step gets another id: all that names it is rewritten, expressions by their syntax tree and nothing else.

What reads a step: `steps.a`, `steps["a-b"]`, `has(steps.a)`, `"a" in steps`; behind a join also `prev.a`. A new id that
is no plain name is written in brackets, and one that is takes them off again.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from engine.approvals import COVERS
from engine.bodies import body_of, edges_of, objects, sources_of
from engine.catalogue import Catalogue, Json
from engine.cel_ast import RESERVED, Call, Const, Expr, Group, Ident, Loop, Select
from engine.cel_reads import Path, static_path
from engine.errors import ExpressionInvalid
from engine.expressions import compile_expression
from engine.holes import join_path, replaced_holes
from engine.plain import rewritten

STEPS: Path = ("steps",)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Blanks and comments, and brackets that close around what was selected from.
_GAP = re.compile(r"(?:[\s)]|//[^\n]*(?:\n|\Z))*")
_BLANKS = re.compile(r"(?:\s|//[^\n]*(?:\n|\Z))*")
_LITERAL = re.compile(r"""[rR]?(?:"[^"\\\n]*"|'[^'\\\n]*')""")


@dataclass(frozen=True, slots=True)
class Renamed:
    """The definition with the new id, the fields that changed, and those with expressions that can't be read."""

    definition: dict[str, Json]
    changed: list[str]
    unread: list[str]


@dataclass(frozen=True, slots=True)
class _Edit:
    start: int
    end: int
    text: str


class Unclear(ValueError):
    """The source has not the form that its tree says."""


def is_plain(name: str) -> bool:
    """Whether CEL takes it behind a dot."""
    return _NAME.fullmatch(name) is not None and name not in RESERVED


def renamed_in(source: str, holders: frozenset[Path], old: str, new: str) -> str:
    """The expression with `new` for the key `old` of what stands at `holders`. Raises ExpressionInvalid."""
    tree = compile_expression(source).placed_tree()
    edits = {edit.start: edit for edit in _edits(tree, frozenset(), source, holders, old, new)}
    text = source
    for edit in sorted(edits.values(), key=lambda edit: edit.start, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    if text != source:
        compile_expression(text)
    return text


def _edits(
    expr: Expr, own: frozenset[str], source: str, holders: frozenset[Path], old: str, new: str
) -> Iterator[_Edit]:
    match expr:
        case Select(operand, name, tests, at) if name == old and static_path(operand, own) in holders:
            write = _edit_presence if tests else _edit_selection
            yield write(source, operand, at, old, new)
            return
        case Call("_[_]", (operand, Const(str() as key, at))) if (
            key == old and static_path(operand, own) in holders
        ):
            yield _edit_index(source, at, old, new)
            return
        case Call("@in", (Const(str() as key, at), holder)) if (
            key == old and static_path(holder, own) in holders
        ):
            yield _edit_membership(source, holder, at, old, new)
            return
    for part, names in _parts(expr, own):
        yield from _edits(part, names, source, holders, old, new)


def _parts(expr: Expr, own: frozenset[str]) -> Iterator[tuple[Expr, frozenset[str]]]:
    match expr:
        case Select(operand):
            yield operand, own
        case Call(_, parts) | Group(_, parts):
            yield from ((part, own) for part in parts)
        case Loop(names, over, start, body, result):
            yield from ((part, own) for part in (over, start))
            yield from ((part, own.union(names)) for part in (*body, result))


def _edit_selection(source: str, operand: Expr, at: int, old: str, new: str) -> _Edit:
    """`.old`"""
    start, end = _name_behind_dot(source, at, old)
    return _Edit(start, end, new) if is_plain(new) else _Edit(at, end, f'["{new}"]')


def _edit_presence(source: str, operand: Expr, at: int, old: str, new: str) -> _Edit:
    """`has(steps.old)`, of which `at` is the bracket; there are no brackets for keys in it."""
    dot = _after(_GAP, source, _end_of(source, operand))
    start, end = _name_behind_dot(source, dot, old)
    if is_plain(new):
        return _Edit(start, end, new)
    before = re.search(r"has\s*\Z", source[:at])
    if before is None:
        raise Unclear
    open_brackets = source.count("(", at, dot) - source.count(")", at, dot)
    for _ in range(open_brackets):
        end = _after(_BLANKS, source, end)
        if source[end : end + 1] != ")":
            raise Unclear
        end += 1
    return _Edit(before.start(), end, f'("{new}" in {source[at + 1 : dot].strip()})')


def _edit_index(source: str, at: int, old: str, new: str) -> _Edit:
    """`["old"]`, of which `at` is the literal."""
    start, end = _literal(source, at)
    if is_plain(old) or not is_plain(new):
        return _Edit(start, end, _spelled(source[start:end], new))
    closing = _after(_BLANKS, source, end)
    opening = source.rindex("[", 0, start)
    if source[closing : closing + 1] != "]":
        raise Unclear
    return _Edit(opening, closing + 1, f".{new}")


def _edit_membership(source: str, holder: Expr, at: int, old: str, new: str) -> _Edit:
    """`"old" in steps`, of which `at` is the literal; in brackets of its own it is how `has()` had to be written."""
    start, end = _literal(source, at)
    until = _end_of(source, holder)
    bracketed = source[start - 1 : start] == "(" and source[until : until + 1] == ")"
    called = re.search(r"\w\s*\Z", source[: start - 1]) if bracketed else None
    if not bracketed or called or is_plain(old) or not is_plain(new):
        return _Edit(start, end, _spelled(source[start:end], new))
    container = re.sub(r"\A\s*in\s*", "", source[end:until])
    return _Edit(start - 1, until + 1, f"has({container}.{new})")


def _name_behind_dot(source: str, dot: int, name: str) -> tuple[int, int]:
    if source[dot : dot + 1] != ".":
        raise Unclear
    start = _after(_BLANKS, source, dot + 1)
    if source[start : start + len(name)] != name:
        raise Unclear
    return start, start + len(name)


def _literal(source: str, at: int) -> tuple[int, int]:
    match = _LITERAL.match(source, at)
    if match is None:
        raise Unclear
    return match.span()


def _spelled(literal: str, name: str) -> str:
    quote = literal[-1]
    return f"{quote}{name}{quote}"


def _end_of(source: str, expr: Expr) -> int:
    """Where a name or a selection ends."""
    match expr:
        case Ident(name, at):
            return at + len(name)
        case Select(_, name, False, at):
            return _name_behind_dot(source, at, name)[1]
        case Call("_[_]", (_, Const(_, at))):
            end = _after(_BLANKS, source, _literal(source, at)[1])
            return end + 1
    raise Unclear


def _after(pattern: re.Pattern[str], source: str, at: int) -> int:
    match = pattern.match(source, at)
    return match.end() if match else at


# --- a definition ------------------------------------------------------------------------------------------------


def rename_step(definition: Mapping[str, Json], old: str, new: str, *, catalogue: Catalogue) -> Renamed:
    """The definition (native, of whatever quality) with the node `old`, in whatever body it stands, called `new`.

    The queue of a type whose queue is the node's id unless it names one is what the workers poll: it stays.
    """
    renaming = Renaming(definition, old, new, catalogue)
    return Renamed(renaming.definition(), renaming.changed, renaming.unread)


class Renaming:
    """One definition in which something gets another name; it is rewritten once."""

    def __init__(self, definition: Mapping[str, Json], old: str, new: str, catalogue: Catalogue) -> None:
        self.document = definition
        self.old = old
        self.new = new
        self.everywhere: frozenset[Path] = frozenset({STEPS})
        self.catalogue = catalogue
        self.changed: list[str] = []
        self.unread: list[str] = []
        self.sources: dict[str, frozenset[str]] = {}
        self.mapped: set[Json] = set()

    def definition(self) -> dict[str, Json]:
        copy = dict(self.document)
        copy |= self._level(copy, {"nodes": "nodes", "edges": "edges"}, copy.get("edges"))
        if "output" in copy:
            copy["output"] = self._value(copy["output"], "output", self.everywhere)
        if isinstance(request := copy.get("request"), Mapping) and "result" in request:
            value = self._value(request["result"], "request.result", self.everywhere)
            copy["request"] = {**request, "result": value}
        return copy

    def _level(self, holder: Mapping[str, Json], fields: Mapping[str, str], edges: Json) -> dict[str, Json]:
        """The nodes and edges of a definition, or of a body in it, under these keys of `holder`."""
        (nodes_key, nodes_field), (edges_key, edges_field) = fields.items()
        nodes, values = holder.get(nodes_key), dict[str, Json]()
        self.sources |= sources_of({"nodes": nodes, "edges": edges})
        mapped = (node.get("id") for node in objects(nodes) if node.get("input") is not None)
        # In a draft an id may be anything.
        self.mapped |= {name for name in mapped if isinstance(name, str)}
        if isinstance(nodes, list):
            values[nodes_key] = [self._node(node, f"{nodes_field}[{at}]") for at, node in enumerate(nodes)]
        if isinstance(holder.get(edges_key), list):
            rows = enumerate(holder[edges_key])
            values[edges_key] = [self._edge(edge, f"{edges_field}[{at}]") for at, edge in rows]
        return values

    def _node(self, node: Json, field: str) -> Json:
        if not isinstance(node, dict):
            return node
        copy = dict(node)
        own = self._find_holders(node.get("id"), behind_mapping=False)
        from_params = self._find_holders(node.get("id"))
        if "params" in copy:
            copy["params"] = self._params(node, f"{field}.params", from_params)
        if "input" in copy:
            copy["input"] = self._value(copy["input"], f"{field}.input", own)
        if "set_vars" in copy:
            after = from_params | self._find_output(node.get("id"))
            copy["set_vars"] = self._value(copy["set_vars"], f"{field}.set_vars", after)
        if isinstance(copy.get("compensate"), dict) and "params" in copy["compensate"]:
            undone = self._find_undone(node.get("id"), from_params)
            params = self._templates(copy["compensate"], f"{field}.compensate.params", undone)
            copy["compensate"] = {**copy["compensate"], "params": params}
        if isinstance(copy.get("boundary_timers"), list):
            copy["boundary_timers"] = [
                self._end(timer, "to", f"{field}.boundary_timers[{at}].to")
                for at, timer in enumerate(copy["boundary_timers"])
            ]
        return self._own(copy, field) if self._is_id(copy.get("id")) else copy

    def _params(self, node: Mapping[str, Json], field: str, holders: frozenset[Path]) -> Json:
        """Templates, but for conditions, which are expressions as they stand, and a body, which has its own nodes."""
        params, spec = node["params"], self.catalogue.get(str(node.get("type")))
        if spec is None or not isinstance(params, dict):
            return self._value(params, field, holders)
        if not spec.conditions and not spec.has_children and not spec.asks_people:
            return self._templates(node, field, holders)
        values, body = dict[str, Json](), body_of(node, self.catalogue)
        for key, value in params.items():
            at = join_path(field, key)
            if key in spec.conditions and isinstance(value, str):
                values[key] = self._rewritten(value, at, holders)
            elif body is not None and value is body:
                values[key] = self._body(body, at, holders)
            elif key == COVERS and spec.asks_people and isinstance(value, list):
                values[key] = [self.new if self._is_id(name) else name for name in value]
                self.changed += [f"{at}[{place}]" for place, name in enumerate(value) if self._is_id(name)]
            else:
                values[key] = self._value(value, at, holders)
        return values

    def _templates(self, step: Mapping[str, Json], field: str, holders: frozenset[Path]) -> Json:
        """The params of a step of which nothing but expressions names other steps."""
        spec, params = self.catalogue.get(str(step.get("type"))), step["params"]
        if spec is None or not isinstance(params, dict):
            return self._value(params, field, holders)
        return rewritten(spec, params, lambda values: self._value(values, field, holders))

    def _body(self, body: Mapping[str, Json], field: str, holders: frozenset[Path]) -> dict[str, Json]:
        fields = {"steps": f"{field}.steps", "edges": f"{field}.edges"}
        steps = objects(body.get("steps"))
        edges = edges_of(body) if steps and all("id" in step for step in steps) else body.get("edges")
        rest = {key: value for key, value in body.items() if key not in fields or not isinstance(value, list)}
        values = {
            key: self._params(body, f"{field}.params", holders)
            if key == "params"
            else self._value(value, join_path(field, key), holders)
            for key, value in rest.items()
        }
        whole = values | self._level(body, fields, edges)
        return {key: whole[key] for key in body}

    def _own(self, node: dict[str, Json], field: str) -> dict[str, Json]:
        node["id"] = self.new
        self.changed.append(f"{field}.id")
        spec = self.catalogue.get(str(node.get("type")))
        if spec is not None and spec.default_queue is None:
            if node.get("queue") is None:
                node["queue"] = self.old
                self.changed.append(f"{field}.queue")
            elif node["queue"] == self.new:
                del node["queue"]
                self.changed.append(f"{field}.queue")
        return node

    def _edge(self, edge: Json, field: str) -> Json:
        if not isinstance(edge, dict):
            return edge
        source = edge.get("from")
        copy = self._end(self._end(edge, "from", f"{field}.from"), "to", f"{field}.to")
        if isinstance(copy.get("when"), str):
            holders = self._find_holders(source) | self._find_output(source)
            when = self._rewritten(copy["when"], f"{field}.when", holders)
            copy = {**copy, "when": when}
        return copy

    def _end(self, holder: Json, key: str, field: str) -> Json:
        if not isinstance(holder, dict) or not self._is_id(holder.get(key)):
            return holder
        self.changed.append(field)
        return {**holder, key: self.new}

    def _find_holders(self, node: Json, *, behind_mapping: bool = True) -> frozenset[Path]:
        """What holds outputs by node id at this node: a join's input too, unless a mapping made another of it."""
        sources = self.sources.get(node, ()) if isinstance(node, str) else ()
        is_join = len(sources) > 1 and not (behind_mapping and node in self.mapped)
        return self.everywhere | {("prev",)} if is_join and self.old in sources else self.everywhere

    def _find_output(self, node: Json) -> frozenset[Path]:
        """What holds it in the output of the step behind which an expression stands, besides."""
        return frozenset()

    def _find_undone(self, node: Json, from_params: frozenset[Path]) -> frozenset[Path]:
        """What holds it where a step is undone: what was its input is within `prev` there."""
        return self.everywhere | {("prev", "input") for holder in from_params if holder == ("prev",)}

    def _value(self, value: Json, field: str, holders: frozenset[Path]) -> Json:
        if isinstance(value, str):
            return self._text(value, field, holders) if "{{" in value else value
        if isinstance(value, dict):
            return {key: self._value(item, join_path(field, key), holders) for key, item in value.items()}
        if isinstance(value, list):
            return [self._value(item, f"{field}[{at}]", holders) for at, item in enumerate(value)]
        return value

    def _text(self, text: str, field: str, holders: frozenset[Path]) -> str:
        return self._noted(
            text,
            field,
            lambda: replaced_holes(text, lambda hole: self._rename_in(hole, holders)),
        )

    def _rewritten(self, source: str, field: str, holders: frozenset[Path]) -> str:
        return self._noted(source, field, lambda: self._rename_in(source, holders))

    def _rename_in(self, source: str, holders: frozenset[Path]) -> str:
        return renamed_in(source, holders, self.old, self.new)

    def _is_id(self, value: Json) -> bool:
        """Whether this is the id of the step that is renamed."""
        return bool(value == self.old)

    def _noted(self, before: str, field: str, rewrite: Callable[[], str]) -> str:
        try:
            text = rewrite()
        except (ExpressionInvalid, Unclear):
            if self.old in before:
                self.unread.append(field)
            return before
        if text != before:
            self.changed.append(field)
        return text
