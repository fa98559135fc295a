"""A tree of rochallor's grammar as CEL, and as rochallor spells it."""

import json
from collections.abc import Callable, Mapping
from typing import Final

from engine.catalogue import Json
from engine.cel_ast import RESERVED
from engine.cel_reads import CONTEXT
from engine.dialects.rochallor.grammar import (
    BadText,
    Binary,
    Call,
    Item,
    Literal,
    Many,
    Name,
    Scalar,
    Tree,
    Unary,
    every,
)
from engine.limits import EXPRESSION_NODES

NOW: Final = "string(timestamp(run.now))"
_TIGHT: Final = 9
# CEL takes all comparisons for one level.
_LEVEL: Mapping[str, int] = {
    "||": 1,
    "&&": 2,
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">=", "in"), 3),
    **dict.fromkeys(("+", "-"), 4),
    **dict.fromkeys(("*", "/"), 5),
}


def cel(tree: Tree) -> str:
    """The tree as CEL that reads variables as `context.x`; what rochallor divides is a decimal number."""
    return _spelled(tree, _Cel())[0]


def text(tree: Tree, *, marked: bool) -> str:
    """The tree as rochallor writes it, its variables as `#x` where they are `marked`. Raises BadText."""
    return _spelled(tree, _S4(marked))[0]


class _S4:
    """Rochallor's own spelling of what differs."""

    def __init__(self, marked: bool) -> None:
        self.mark = "#" if marked else ""

    def name(self, path: tuple[str, ...]) -> str:
        return self.mark + ".".join(path)

    def literal(self, value: Scalar) -> str:
        if not isinstance(value, str):
            return _plain(value)
        quote = next((quote for quote in "'\"" if quote not in value), None)
        if quote is None or (quote == '"' and "\\" in value):
            raise BadText("a text in it has both kinds of quotes, or a backslash")
        return f"{quote}{value}{quote}"

    def call(self, name: str, of: str) -> str:
        return f"{name}({of})"

    def divided(self, left: str) -> str:
        return left


class _Cel:
    """That of CEL."""

    def name(self, path: tuple[str, ...]) -> str:
        return CONTEXT + "".join(f'["{name}"]' if name in RESERVED else f".{name}" for name in path)

    def literal(self, value: Scalar) -> str:
        return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else _plain(value)

    def call(self, name: str, of: str) -> str:
        return NOW if name == "now" else f"size({of})"

    def divided(self, left: str) -> str:
        return f"double({left})"


def _plain(value: Scalar) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return repr(value)


def _spelled(tree: Tree, how: _S4 | _Cel) -> tuple[str, int]:
    """The text, and how tightly it binds."""

    def within(part: Tree, least: int) -> str:
        text, level = _spelled(part, how)
        return text if level >= least else f"({text})"

    match tree:
        case Name(path):
            return how.name(path), _TIGHT
        case Literal(value):
            return how.literal(value), 6 if isinstance(value, int | float) and value < 0 else _TIGHT
        case Many(items):
            return f"[{', '.join(within(item, 0) for item in items)}]", _TIGHT
        case Item(of, key):
            return f"{within(of, _TIGHT)}[{within(key, 0)}]", _TIGHT
        case Unary(sign, of):
            return f"{sign}{within(of, 7)}", 6
        case Call(name, of):
            return how.call(name, within(of, 0) if of is not None else ""), _TIGHT
    level = _LEVEL[tree.sign]
    # Comparisons of comparisons are read differently by rochallor's two readers: brackets say it.
    left = within(tree.left, level + (level == 3))
    if tree.sign == "/" and isinstance(how, _Cel):
        left = how.divided(within(tree.left, 0))
    return f"{left} {tree.sign} {within(tree.right, level + 1)}", level


def may_be_condition(tree: Tree) -> bool:
    """Whether it can be true or false, as far as the text tells."""
    match tree:
        case Literal(value):
            return isinstance(value, bool)
        case Binary(sign):
            return sign not in ("+", "-", "*", "/")
        case Unary(sign):
            return sign == "!"
        case Many() | Call():
            return False
    return True


def substituted(tree: Tree, values: Mapping[str, Tree | None]) -> Tree:
    """The tree with these variables replaced by what they are set to.

    Raises BadText where that gets too large, or is an object (None), which no tree gives.
    """
    result = _replaced(tree, values)
    if sum(1 for _ in every(result)) > EXPRESSION_NODES:
        raise BadText("it gets too long with what the same step sets before")
    return result


def _replaced(tree: Tree, values: Mapping[str, Tree | None]) -> Tree:
    again: Callable[[Tree], Tree] = lambda part: _replaced(part, values)  # noqa: E731
    match tree:
        case Name(path) if path[0] in values:
            value = values[path[0]]
            if value is None:
                raise BadText(f"it reads `{path[0]}`, which the same step sets to an object")
            for key in path[1:]:
                value = Item(value, Literal(key))
            return value
        case Many(items):
            return Many(tuple(map(again, items)))
        case Item(of, key):
            return Item(again(of), again(key))
        case Unary(sign, of):
            return Unary(sign, again(of))
        case Binary(sign, left, right):
            return Binary(sign, again(left), again(right))
        case Call(name, of) if of is not None:
            return Call(name, again(of))
    return tree


def tree_of(value: Json) -> Tree | None:
    """A value as the tree that gives it; None for an object, which rochallor's grammar can't write."""
    if isinstance(value, list):
        items = [tree_of(item) for item in value]
        return None if None in items else Many(tuple(item for item in items if item is not None))
    return None if isinstance(value, dict) else Literal(value)
