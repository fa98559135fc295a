"""The one gate for JSON: what passes can be stored as jsonb, read by any client and walked without recursion.

Both directions refuse the same things: too many bytes, more than 64 levels, numbers that are not finite,
integers that a double can't hold, NUL and lone surrogates, keys that are no text or too long. Reading also
refuses duplicate keys.
"""

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Literal, TypeGuard

import orjson

from lib.json import JsonValue

MAX_DEPTH = 64
MOST_SHOWN = 200
# From here on orjson writes doubles with an exponent, and jsonb gives those back as integers.
LARGE_DOUBLE = 1e16
MAX_INTEGER = 2**53
MAX_KEYS = 10_000
MAX_KEY_BYTES = 256

# Possessive, and with an optional closing quote: a text of nothing but escaped quotes is read in one pass.
_STRING = r'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"?'
_BRACKETS = re.compile(_STRING + r"|[\[\]{}]", re.DOTALL)
_TOKENS = re.compile(_STRING + r"|[\[\]{},:]", re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
_UNSAFE_TEXT = re.compile("[\x00\ud800-\udfff]")


class BadJson(ValueError):
    """This is not JSON that Handoff takes; `pointer` (RFC 6901) says where, empty for the whole document.

    `line` and `column` count from 1; 0 where a value is at fault and not how it is written.
    """

    def __init__(self, message: str, pointer: str = "", *, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.pointer = pointer
        self.line = line
        self.column = column

    @property
    def located(self) -> str:
        """What is wrong and where, without a full stop; of a very long way there the first 200 characters."""
        way = self.pointer if len(self.pointer) <= MOST_SHOWN else f"{self.pointer[:MOST_SHOWN]}…"
        return f"{self.message} at {way}" if way else self.message


class JsonTooLarge(BadJson):
    """The document has more bytes than are allowed here."""


class _Fault:
    """Stands in the parsed tree where something was refused, so that one walk can say where that is."""

    __slots__ = ("key", "message")

    def __init__(self, message: str, key: str | None = None) -> None:
        self.message = message
        self.key = key


def strict_loads(
    raw: bytes, *, max_bytes: int, large_integers: Literal["refuse", "text"] = "refuse"
) -> JsonValue:
    """The value of a JSON document that came from outside. `large_integers`: what becomes of those that a double can't
    hold; as a text they keep all of their digits.

    Raises JsonTooLarge or BadJson with a pointer to the place (docs/security.md, "One JSON gate").
    """
    if len(raw) > max_bytes:
        raise _too_large(max_bytes)
    text = _decode(raw)
    if raw.count(b"[") + raw.count(b"{") > MAX_DEPTH:
        _refuse_depth(text)
    reader = _Reader(large_integers)
    try:
        value: JsonValue = json.loads(
            text,
            object_pairs_hook=reader.object,
            parse_constant=reader.constant,
            parse_float=reader.float,
            parse_int=reader.int,
        )
    except json.JSONDecodeError as error:
        place = f"line {error.lineno} column {error.colno}"
        raise BadJson(
            f"this is not JSON: {error.msg} ({place})",
            _pointer_at(text, error.pos),
            line=error.lineno,
            column=error.colno,
        ) from None
    # A NUL or a lone surrogate can only come as an escape: the parser and UTF-8 refuse bare ones.
    if reader.faults or b"\\u" in raw:
        _raise_first_fault(value)
    return value


def strict_dumps(value: object, *, max_bytes: int) -> bytes:
    """`value` as compact JSON in UTF-8.

    Raises JsonTooLarge, or BadJson with a pointer to what `strict_loads` would not take again.
    """
    if not _is_plain(value, max_bytes):
        _raise_first_fault(value, max_bytes)
        value = _spelled_out(value)
    try:
        raw = orjson.dumps(value)
    except TypeError as error:
        _raise_first_fault(value)
        raise BadJson(str(error)) from None
    if len(raw) > max_bytes:
        raise _too_large(max_bytes)
    if b"\\u0000" in raw:  # also what a harmless backslash before u0000 looks like
        _raise_first_fault(value)
    return raw


def stored_integer(literal: str) -> int | float:
    """An integer of a jsonb column; a double where no integer that passed the gate can be meant."""
    number = int(literal) if len(literal) < 18 else 2**60
    return number if -MAX_INTEGER <= number <= MAX_INTEGER else float(literal)


def is_json_object(value: JsonValue) -> TypeGuard[dict[str, JsonValue]]:
    """Whether a value that passed the gate is an object."""
    return isinstance(value, dict)


def same(one: JsonValue, other: JsonValue) -> bool:
    """Equality as JSON has it: true is not 1, and 1 is 1.0."""
    if one is other:
        return True
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(same(*pair) for pair in zip(one, other, strict=True))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def _too_large(max_bytes: int) -> JsonTooLarge:
    return JsonTooLarge(f"the JSON is larger than the {max_bytes:,} bytes that are allowed here")


def _decode(raw: bytes) -> str:
    if raw.startswith(b"\xef\xbb\xbf"):
        raise BadJson("the JSON starts with a byte order mark")
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        text = raw[: error.start].decode()
        raise BadJson(f"the JSON is not UTF-8 (byte {error.start})", _pointer_at(text, len(text))) from None


def _refuse_depth(text: str) -> None:
    depth = 0
    for match in _BRACKETS.finditer(text):
        token = match.group()
        if token in ("[", "{"):
            depth += 1
            if depth > MAX_DEPTH:
                raise BadJson(_TOO_DEEP, _pointer_at(text, match.start()))
        elif token in ("]", "}"):
            depth -= 1


_TOO_DEEP = f"the JSON is nested deeper than {MAX_DEPTH} levels"


def _pointer_at(text: str, position: int) -> str:
    """The pointer to the value that was being read at `position` of a text that may be broken."""
    path: list[str | int | None] = []
    last_string = '""'
    for match in _TOKENS.finditer(text, 0, position):
        token = match.group()
        if token == "{":
            path.append(None)
        elif token == "[":
            path.append(0)
        elif token in ("]", "}"):
            path = path[:-1]
        elif token == ":" and path:
            path[-1] = _unescaped(last_string)
        elif token == "," and path:
            here = path[-1]
            path[-1] = here + 1 if isinstance(here, int) else None
        else:
            last_string = token
    return _pointer([step for step in path if step is not None])


def _unescaped(literal: str) -> str:
    try:
        return str(json.loads(literal))
    except ValueError:
        return literal


def _pointer(path: list[str | int]) -> str:
    tokens = (str(step).replace("~", "~0").replace("/", "~1") for step in path)
    return _SURROGATE.sub("\ufffd", "".join(f"/{token}" for token in tokens)).replace("\x00", "\ufffd")


class _Reader:
    """The hooks of one parse; what they refuse is left in the tree as a `_Fault`."""

    def __init__(self, large_integers: Literal["refuse", "text"]) -> None:
        self.faults = False
        self._large_integers = large_integers

    def _fault(self, message: str, key: str | None = None) -> _Fault:
        self.faults = True
        return _Fault(message, key)

    def constant(self, literal: str) -> _Fault:
        return self._fault(f"{literal} is not a JSON number")

    def float(self, literal: str) -> Any:
        number = float(literal)
        if number - number != 0.0:
            return self._fault("the number is too large")
        return number

    def int(self, literal: str) -> Any:
        if len(literal) > 17 or not -MAX_INTEGER <= (number := int(literal)) <= MAX_INTEGER:
            return literal if self._large_integers == "text" else self._fault(_INTEGER)
        return number

    def object(self, pairs: list[tuple[str, Any]]) -> Any:
        members = dict(pairs)
        if len(members) < len(pairs):
            return self._fault("the key occurs twice", _first_duplicate(pairs))
        if len(pairs) > MAX_KEYS:
            return self._fault(_TOO_MANY_KEYS)
        for key in members:
            if len(key) > MAX_KEY_BYTES // 4 and _is_long(key):
                return self._fault(_LONG_KEY)
        return members


_INTEGER = "the integer is beyond 2^53; send it as a text"
_TOO_MANY_KEYS = f"the object has more than {MAX_KEYS:,} keys"
_LONG_KEY = f"a key has more than {MAX_KEY_BYTES} bytes"


def _first_duplicate(pairs: list[tuple[str, Any]]) -> str:
    seen: set[str] = set()
    for key, _value in pairs:
        if key in seen:
            return key
        seen.add(key)
    raise AssertionError("no duplicate")


def _is_long(key: str) -> bool:
    return len(key.encode(errors="surrogatepass")) > MAX_KEY_BYTES


def _is_plain(value: object, max_nodes: int) -> bool:
    """The fast look: True where only the contents of texts are left to check, False for a careful look."""
    level: list[Any] = [value]
    for _depth in range(MAX_DEPTH + 1):
        below: list[Any] = []
        for item in level:
            kind = type(item)
            if kind is str or item is None or kind is bool:
                continue
            if kind is int:
                if not -MAX_INTEGER <= item <= MAX_INTEGER:
                    return False
            elif kind is dict:
                if len(item) > MAX_KEYS:
                    return False
                for key in item:
                    if type(key) is not str or (len(key) > MAX_KEY_BYTES // 4 and _is_long(key)):
                        return False
                below += item.values()
            elif kind is list or kind is tuple:
                below += item
            elif kind is not float or not -LARGE_DOUBLE < item < LARGE_DOUBLE:
                return False
        if not below:
            return True
        # A small value that holds itself many times over would be written out for ever.
        if len(below) > max_nodes:
            raise _too_large(max_nodes)
        level = below
    return False


def _spelled_out(value: object) -> object:
    """A copy in which large doubles are written with all their digits and `.0`, which jsonb gives back so."""
    if isinstance(value, dict):
        return {key: _spelled_out(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_spelled_out(item) for item in value]
    if (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and not -LARGE_DOUBLE < value < LARGE_DOUBLE
    ):
        return orjson.Fragment(f"{_digits(float(value))}.0")
    return value


def _digits(number: float) -> str:
    return format(Decimal(repr(number)), "f").removesuffix(".0")


def _is_double_of_jsonb(number: int) -> bool:
    """Whether this is how jsonb gives a large double back that was not written here."""
    return abs(number) >= LARGE_DOUBLE and len(str(number)) < 310 and _digits(float(number)) == str(number)


def _raise_first_fault(value: object, max_nodes: int | None = None) -> None:
    """The careful look, by depth first and with the path at hand; returns when it finds nothing."""
    nodes = 0
    pending: list[Iterator[tuple[list[str | int], object]]] = [iter([([], value)])]
    while pending:
        entry = next(pending[-1], None)
        if entry is None:
            pending.pop()
            continue
        nodes += 1
        if max_nodes is not None and nodes > max_nodes:
            raise _too_large(max_nodes)
        _check_node(*entry)
        pending.append(_children(*entry))


def _children(path: list[str | int], item: object) -> Iterator[tuple[list[str | int], object]]:
    if isinstance(item, dict):
        for key, below in item.items():
            yield [*path, key], below
    elif isinstance(item, list | tuple):
        for index, below in enumerate(item):
            yield [*path, index], below


def _check_node(path: list[str | int], item: object) -> None:
    if isinstance(item, dict | list | tuple) and len(path) >= MAX_DEPTH:
        raise BadJson(_TOO_DEEP, _pointer(path))
    message = _what_is_wrong(item)
    if message is None:
        return
    if isinstance(item, _Fault) and item.key is not None:
        path = [*path, item.key]
    raise BadJson(message, _pointer(path))


def _what_is_wrong(item: object) -> str | None:
    """Why this node, apart from what is below it, can't pass."""
    if isinstance(item, _Fault):
        return item.message
    if item is None or isinstance(item, bool | list | tuple):
        return None
    if isinstance(item, str):
        return _text_fault(item, "the text")
    if isinstance(item, int):
        return None if -MAX_INTEGER <= item <= MAX_INTEGER or _is_double_of_jsonb(item) else _INTEGER
    if isinstance(item, float):
        return None if item - item == 0.0 else f"{item} is not a JSON number"
    if isinstance(item, dict):
        return _keys_fault(item)
    return f"a {type(item).__name__} is not JSON data"


def _keys_fault(item: dict[Any, Any]) -> str | None:
    if len(item) > MAX_KEYS:
        return _TOO_MANY_KEYS
    for key in item:
        if not isinstance(key, str):
            return f"a key is a {type(key).__name__}, not a text"
        if _is_long(key):
            return _LONG_KEY
        if fault := _text_fault(key, "a key"):
            return fault
    return None


def _text_fault(text: str, what: str) -> str | None:
    match = _UNSAFE_TEXT.search(text)
    if match is None:
        return None
    return (
        f"{what} has a NUL character" if match.group() == "\x00" else f"{what} has half of a surrogate pair"
    )
