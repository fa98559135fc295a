"""The only answer that the API gives: JSON."""

from collections.abc import Mapping
from typing import Any

import orjson
from django.utils.functional import Promise
from rest_framework.renderers import BaseRenderer


class JsonRenderer(BaseRenderer):
    """Compact JSON, times in UTC with a Z."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        return b"" if data is None else to_json(data)


def to_json(data: Any) -> bytes:
    """Our own answers as JSON: UUIDs, times and translated texts included."""
    return orjson.dumps(data, default=_plain, option=orjson.OPT_UTC_Z)


def _plain(value: object) -> object:
    if isinstance(value, Promise | str):
        return str(value)
    if isinstance(value, int | float):
        return float(value)
    raise TypeError(f"a {type(value).__name__} can't be in an answer")
