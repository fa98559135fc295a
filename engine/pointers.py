"""Fields of documents as JSON pointers (RFC 6901): `nodes[2].params.url` is `/nodes/2/params/url`. Pure."""

import ast
import json
import re

_PART = re.compile(
    r'\.?([A-Za-z_][A-Za-z0-9_-]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\')\]', re.ASCII
)


def pointer_of(field: str) -> str:
    """The pointer to a field that `join_path` and `field_at` have written; empty for the whole document."""
    return "".join(f"/{_escaped(_key(match))}" for match in _PART.finditer(field))


def _key(match: re.Match[str]) -> str:
    name, index, text = match.groups()
    if text is None:
        return name or index
    try:
        return str(json.loads(text))
    except ValueError:
        # A key with control characters is written as Python's `ascii` has it.
        return str(ast.literal_eval(text))


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
