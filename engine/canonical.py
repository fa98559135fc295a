"""One spelling for equal definitions, and its hash (R-020, R-026)."""

import hashlib

import orjson

from engine.catalogue import Json

_LARGEST_INT = 2**63
_LARGEST_FLOAT = 10**308


def canonical_bytes(document: Json) -> bytes:
    """The document as JSON: keys sorted, no blanks, lists in their order, nothing added.

    Numbers of equal value are spelled alike, because jsonb gives 100.0 back as it came but 1e2 as 100.
    Raises TypeError for what is no JSON.
    """
    return orjson.dumps(_plain(document), option=orjson.OPT_SORT_KEYS)


def content_hash(document: Json) -> str:
    """SHA-256 of the canonical form, in hexadecimal."""
    return hashlib.sha256(canonical_bytes(document)).hexdigest()


def _plain(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST_INT:
        return int(value)
    if isinstance(value, int) and _LARGEST_INT <= abs(value) < _LARGEST_FLOAT:
        return float(value)
    return value
