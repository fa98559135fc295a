"""Strings with `{{ … }}` holes: where holes begin and end, and what stands in them. Pure."""

import re
from collections.abc import Callable, Iterator

import orjson

from engine.catalogue import Json, Keys
from engine.errors import ExpressionInvalid

# Quotes that open a text only: where it ends is looked for once, whatever is in it. It is the group around what is
# repeated that gives nothing back: Debian's Python can't repeat one that does (tests/growth/test_patterns.py).
_TOKEN = re.compile(
    r"""(?P<text>[rR]?(?:"{3}|'{3}|"|'))|(?P<comment>//(?>(?:(?!\}\})[^\n])*))|(?P<open>\{)|(?P<end>\}\})|(?P<close>\})"""
)
_ENDS = {
    '"': re.compile(r'(?>(?:[^"\\\n]|\\.)*)"', re.DOTALL),
    "'": re.compile(r"(?>(?:[^'\\\n]|\\.)*)'", re.DOTALL),
    '"""': re.compile(r'(?>(?:[^"\\]|\\.|"(?!""))*)"""', re.DOTALL),
    "'''": re.compile(r"(?>(?:[^'\\]|\\.|'(?!''))*)'''", re.DOTALL),
}
_RAW_ENDS = {
    '"': re.compile(r'[^"\n]*+"'),
    "'": re.compile(r"[^'\n]*+'"),
    '"""': re.compile(r'(?>(?:[^"]|"(?!""))*)"""'),
    "'''": re.compile(r"(?>(?:[^']|'(?!''))*)'''"),
}


def split_holes(text: str) -> list[tuple[bool, str]]:
    """The string as (is an expression, source) parts. Raises ExpressionInvalid if a hole is not closed."""
    parts: list[tuple[bool, str]] = []
    at = 0
    while (start := text.find("{{", at)) >= 0:
        end = _hole_end(text, start + 2)
        if start > at:
            parts.append((False, text[at:start]))
        parts.append((True, text[start + 2 : end].strip()))
        at = end + 2
    if at < len(text):
        parts.append((False, text[at:]))
    return parts


def replaced_holes(text: str, replace: Callable[[str], str]) -> str:
    """The string with what stands in each hole replaced; the rest stays. Raises ExpressionInvalid as split_holes."""
    pieces: list[str] = []
    at = 0
    while (start := text.find("{{", at)) >= 0:
        end = _hole_end(text, start + 2)
        pieces += (text[at : start + 2], replace(text[start + 2 : end]))
        at = end
    return "".join((*pieces, text[at:]))


def has_holes(value: Json) -> bool:
    """Whether a string anywhere in the value contains `{{`."""
    if isinstance(value, str):
        return "{{" in value
    if isinstance(value, dict):
        return any(has_holes(item) for item in value.values())
    return isinstance(value, list) and any(has_holes(item) for item in value)


def strings_with_holes(value: Json, path: str) -> Iterator[tuple[str, str]]:
    """(path, string) of every string in the value that contains `{{`."""
    if isinstance(value, str):
        if "{{" in value:
            yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from strings_with_holes(item, join_path(path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from strings_with_holes(item, f"{path}[{index}]")


def _hole_end(text: str, at: int) -> int:
    """Where the `}}` is that closes the hole: not one inside a string, a map literal or a comment."""
    depth = 0
    while token := _TOKEN.search(text, at):
        at = token.end()
        match token.lastgroup:
            case "text":
                if (end := _text_end(text, token)) is None:
                    # CEL refuses it wherever the hole ends, and says at which column.
                    return _next_end(text, at)
                at = end
            case "open":
                depth += 1
            case "close":
                depth -= 1
            case "end" if depth <= 0:
                return token.start()
            case "end":
                depth -= 1
                at = token.start() + 1
    return _next_end(text, len(text))


def _next_end(text: str, at: int) -> int:
    if (end := text.find("}}", at)) < 0:
        raise ExpressionInvalid("a `{{` is not closed by `}}`")
    return end


def _text_end(text: str, opening: re.Match[str]) -> int | None:
    quote = opening[0].lstrip("rR")
    is_raw = quote != opening[0]
    at = opening.end()
    match = _RAW_ENDS[quote].match(text, at) if is_raw else _ENDS[quote].match(text, at)
    return match.end() if match else None


def field_at(field: str, keys: Keys) -> str:
    """The field of what stands at these keys of the value at `field`: `params.outcomes[0].label`."""
    for key in keys:
        field = f"{field}[{key}]" if isinstance(key, int) else join_path(field, key)
    return field


def join_path(path: str, key: str) -> str:
    """`path.key`, with keys that are no plain names in quotes."""
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", key):
        return f"{path}.{key}" if path else key
    return f"{path}[{orjson.dumps(key, default=str).decode()}]" if key.isprintable() else f"{path}[{key!a}]"
