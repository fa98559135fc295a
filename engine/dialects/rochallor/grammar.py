"""The expressions of rochallor (`#result == 'approved'`, `${a < 500 || b > 0.8}`) as a tree, and as CEL.

The same parser reads that CEL again, as far as rochallor could have said it: what was edited can be exported.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NoReturn

from engine.cel_ast import RESERVED
from engine.cel_reads import CONTEXT
from engine.limits import CHAINED_OPERATORS, NESTED_LEVELS

Scalar = str | int | float | bool | None
LARGEST_INT: Final = 2**53
_MOST_DIGITS: Final = 16
_LEXEME = re.compile(
    r"""\s*(?:(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?P<string>'[^']*'|"(?:[^"\\]|\\.)*")|(?P<name>[A-Za-z_]\w*)"""
    r"""|(?P<sign>\$\{|\|\||&&|[=!<>]=|[-+*/!<>()\[\]{},.#]))""",
    re.ASCII,
)
_WORDS: dict[str, Scalar] = {"true": True, "false": False, "null": None, "nil": None}
_LEVELS: tuple[tuple[str, ...], ...] = (
    ("||",),
    ("&&",),
    ("==", "!="),
    ("<", "<=", ">", ">=", "in"),
    ("+", "-"),
    ("*", "/"),
)


class BadText(Exception):
    """The text is no expression of rochallor; the message says why, without a full stop."""


@dataclass(frozen=True, slots=True)
class Name:
    """A variable, and what is selected in it."""

    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Literal:
    """A value that stands there."""

    value: Scalar


@dataclass(frozen=True, slots=True)
class Many:
    """A list of what stands there."""

    items: tuple["Tree", ...]


@dataclass(frozen=True, slots=True)
class Item:
    """`x[0]`, `x['a']`."""

    of: "Tree"
    key: "Tree"


@dataclass(frozen=True, slots=True)
class Unary:
    """`!x`, `-x`."""

    sign: str
    of: "Tree"


@dataclass(frozen=True, slots=True)
class Binary:
    """Two with a sign between them; `contains(x, y)` is `y in x`."""

    sign: str
    left: "Tree"
    right: "Tree"


@dataclass(frozen=True, slots=True)
class Call:
    """`len(x)`, `now()`."""

    name: str
    of: "Tree | None" = None


Tree = Name | Literal | Many | Item | Unary | Binary | Call


def parsed(text: str, *, may_tell_time: bool = False) -> Tree:
    """The tree of a text in rochallor's grammar; `now()` only where that is allowed. Raises BadText."""
    return _Parser(text, _s4_name, may_tell_time=may_tell_time).whole()


def parsed_cel(text: str) -> Tree:
    """The tree of CEL that `cel` could have written. Raises BadText for any other."""
    tree = _Parser(text, _cel_name, may_tell_time=True, is_cel=True).whole()
    for node in every(tree):
        if isinstance(node, Call) and node.name == "double":
            raise BadText("it converts to double")
    return tree


def every(tree: Tree) -> Iterator[Tree]:
    """All nodes of a tree."""
    pending = [tree]
    while pending:
        node = pending.pop()
        yield node
        match node:
            case Many(items):
                pending += items
            case Item(one, other) | Binary(_, one, other):
                pending += (one, other)
            case Unary(_, inner):
                pending.append(inner)
            case Call(_, inner) if inner is not None:
                pending.append(inner)


class _Parser:
    """Recursive descent. `read_name` reads what begins with a name, which rochallor and CEL spell differently."""

    def __init__(
        self,
        text: str,
        read_name: "Callable[[_Parser, str], Tree]",
        *,
        may_tell_time: bool,
        is_cel: bool = False,
    ) -> None:
        self.tokens = list(_tokens(text))
        self.at = 0
        self.depth = 0
        self.read_name = read_name
        self.may_tell_time = may_tell_time
        self.is_cel = is_cel

    def whole(self) -> Tree:
        """The tree of all of the text."""
        if not self.tokens:
            raise BadText("it is empty")
        tree = self.level(0)
        if self.at < len(self.tokens):
            self.unexpected()
        return tree

    def peek(self) -> tuple[str, str]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "")

    def takes(self, sign: str) -> bool:
        """Whether this sign, or word, is next; it is read then."""
        is_next = self.peek()[0] in ("sign", "name") and self.peek()[1] == sign
        self.at += is_next
        return is_next

    def needs(self, sign: str) -> None:
        if not self.takes(sign):
            self.unexpected()

    def unexpected(self) -> NoReturn:
        kind, text = self.peek()
        raise BadText(
            "something is missing at its end" if kind == "end" else f"`{text[:40]}` is not expected there"
        )

    def level(self, number: int) -> Tree:
        """What binds as tightly as this level of signs, or tighter."""
        if number == len(_LEVELS):
            return self.unary()
        tree = self.level(number + 1)
        count = 0
        while sign := next((sign for sign in _LEVELS[number] if self.takes(sign)), None):
            count += 1
            if count > CHAINED_OPERATORS:
                raise BadText(f"more than {CHAINED_OPERATORS} signs follow each other in it without brackets")
            tree = self.combined(sign, tree, self.level(number + 1))
        return tree

    def combined(self, sign: str, left: Tree, right: Tree) -> Tree:
        """Of CEL a division is one of rochallor only where it gives decimals."""
        if self.is_cel and sign == "/":
            if not (isinstance(left, Call) and left.name == "double" and left.of is not None):
                raise BadText("a division of whole numbers gives a whole number")
            left = left.of
        return Binary(sign, left, right)

    def unary(self) -> Tree:
        self.depth += 1
        if self.depth > NESTED_LEVELS:
            raise BadText(f"it is nested deeper than {NESTED_LEVELS} levels")
        sign = next((sign for sign in ("!", "-") if self.takes(sign)), None)
        tree = self.postfix() if sign is None else _negated(sign, self.unary())
        self.depth -= 1
        return tree

    def postfix(self) -> Tree:
        tree = self.primary()
        while True:
            if self.takes("["):
                tree = Item(tree, self.level(0))
                self.needs("]")
            elif self.takes("."):
                tree = Item(tree, Literal(self.key()))
            else:
                return tree

    def primary(self) -> Tree:
        kind, text = self.peek()
        if kind == "number":
            self.at += 1
            return Literal(_number(text))
        if kind == "string":
            self.at += 1
            return Literal(_string(text, self.is_cel))
        for opening, closing in (("(", ")"), ("${", "}")):
            if self.takes(opening):
                tree = self.level(0)
                self.needs(closing)
                return tree
        if self.takes("["):
            return Many(self.several("]"))
        if self.takes("#"):
            return self.path(self.identifier())
        if kind != "name" or text == "in":
            self.unexpected()
        self.at += 1
        return Literal(_WORDS[text]) if text in _WORDS else self.read_name(self, text)

    def identifier(self) -> str:
        kind, text = self.peek()
        if kind != "name" or text in _WORDS or text == "in":
            self.unexpected()
        self.at += 1
        return text

    def path(self, first: str) -> Name:
        names = [first]
        while self.takes("."):
            names.append(self.key())
        return Name(tuple(names))

    def key(self) -> str:
        """What stands behind a dot: any name."""
        kind, text = self.peek()
        if kind != "name":
            self.unexpected()
        self.at += 1
        return text

    def several(self, closing: str) -> tuple[Tree, ...]:
        """What stands between commas up to the bracket that closes it."""
        items: list[Tree] = []
        while not self.takes(closing):
            if items:
                self.needs(",")
            items.append(self.level(0))
        return tuple(items)

    def called(self, name: str, count: int) -> tuple[Tree, ...]:
        """What a function is given, whose bracket was read."""
        arguments = self.several(")")
        if len(arguments) != count:
            raise BadText(f"{name}() takes {count or 'nothing'}, and {len(arguments)} are given")
        return arguments


def _s4_name(parser: _Parser, name: str) -> Tree:
    if not parser.takes("("):
        return parser.path(name)
    match name:
        case "contains":
            holder, item = parser.called(name, 2)
            return Binary("in", item, holder)
        case "len":
            return Call("len", *parser.called(name, 1))
        case "now" if parser.may_tell_time:
            parser.called(name, 0)
            return Call("now")
    raise BadText(f"there is no function {name}() here")


def _cel_name(parser: _Parser, name: str) -> Tree:
    if parser.takes("("):
        if name == "string":
            for sign in ("timestamp", "(", "run", ".", "now", ")", ")"):
                parser.needs(sign)
            return Call("now")
        if name not in ("size", "double"):
            raise BadText(f"there is no function {name}() in it")
        return Call("len" if name == "size" else name, *parser.called(name, 1))
    if name != CONTEXT:
        raise BadText(f"it reads `{name}`, and not only variables")
    names: list[str] = []
    while True:
        if parser.takes("."):
            names.append(parser.identifier())
        elif not names or _is_reserved_key(parser):
            names.append(_key(parser))
        else:
            return Name(tuple(names))


def _is_reserved_key(parser: _Parser) -> bool:
    """Whether a name follows that CEL knows as a word, and that stands in brackets for that."""
    tokens = parser.tokens[parser.at : parser.at + 3]
    return (
        [kind for kind, _ in tokens] == ["sign", "string", "sign"]
        and (tokens[0][1], tokens[2][1]) == ("[", "]")
        and _string(tokens[1][1], is_cel=True) in RESERVED
    )


def _key(parser: _Parser) -> str:
    parser.needs("[")
    kind, text = parser.peek()
    if kind != "string":
        parser.unexpected()
    parser.at += 1
    parser.needs("]")
    name = _string(text, is_cel=True)
    if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        raise BadText("it reads a variable whose name is none of rochallor")
    return name


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    at, text = 0, text.rstrip()
    while at < len(text):
        match = _LEXEME.match(text, at)
        if match is None:
            rest = text[at:].lstrip()
            raise BadText(
                "a text in it has no end" if rest[0] in "'\"" else f"`{rest[0]}` is not expected there"
            )
        at, kind = match.end(), str(match.lastgroup)
        yield kind, match[kind]


def _number(text: str) -> int | float:
    if not text.isdigit():
        return float(text)
    # Its length first: Python reads no number of thousands of digits.
    if len(text.lstrip("0")) > _MOST_DIGITS or int(text) > LARGEST_INT:
        raise BadText("a number in it is too large")
    return int(text)


def _string(text: str, is_cel: bool) -> str:
    if not is_cel or text[0] == "'":
        if is_cel and "\\" in text:
            raise BadText("a text in it has a backslash")
        return text[1:-1]
    try:
        value: str = json.loads(text, strict=False)
    except ValueError:
        raise BadText("a text in it can't be read") from None
    return value


def _negated(sign: str, tree: Tree) -> Tree:
    if (
        sign == "-"
        and isinstance(tree, Literal)
        and isinstance(tree.value, int | float)
        and tree.value is not True
    ):
        return Literal(-tree.value)
    return Unary(sign, tree)
