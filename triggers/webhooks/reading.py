"""What a mapping reads of a message: its body, headers and query."""

import re
from collections.abc import Mapping
from typing import Final

from engine.catalogue import Json
from lib.masking import is_secret_name
from lib.strict_json import BadJson
from triggers.webhooks.limits import HEADER_CHARACTERS
from triggers.webhooks.presets.base import Incoming, form_of, json_of

NAMES: Final = ("body", "headers", "query")
_PROOF = re.compile(
    r"signature|token|secret|authoriz|cookie|password|credential|api-?_?key|clientstate", re.IGNORECASE
)
"""Parts of names of what proves who somebody is. Like secrets it must not be kept with a run."""
_JSON_STARTS = (b"{", b"[", b'"')


def scope_of(message: Incoming, body: Json) -> dict[str, Json]:
    """The values of the names that a mapping may read. Headers have small letters."""
    return {
        "body": body,
        "headers": _kept({name.lower(): value for name, value in message.headers.items()}),
        "query": _kept(message.query),
    }


def _kept(values: Mapping[str, str]) -> dict[str, Json]:
    return {
        name: value
        for name, value in values.items()
        if not _is_proof(name) and len(value) <= HEADER_CHARACTERS and "\0" not in name + value
    }


def _is_proof(name: str) -> bool:
    return is_secret_name(name) or _PROOF.search(name) is not None


def body_of(message: Incoming) -> Json:
    """The body of a message without a preset: JSON whatever its type says, or else a form that says so.

    Raises BadJson. Many programs call every body a form.
    """
    if not message.is_form or message.raw.lstrip()[:1] in _JSON_STARTS:
        return json_of(message.raw)
    try:
        return json_of(message.raw)
    except BadJson:
        return form_of(message.raw)
