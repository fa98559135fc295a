"""The only body that the API reads: JSON, through the gate."""

from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from django.utils.http import parse_header_parameters
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.parsers import BaseParser

from lib.json import Json
from lib.strict_json import strict_loads


class StrictJSONParser(BaseParser):
    """Reads `application/json` through `strict_loads`; any other content type is a 415 before it gets here.

    JSON has no charset parameter: UTF-8 may be said, anything else is a 415 too.
    A view that takes larger bodies says so in `max_body_bytes`.
    """

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Json:
        charset = parse_header_parameters(media_type or "")[1].get("charset", "utf-8")
        if charset.lower() not in ("utf-8", "utf8"):
            raise UnsupportedMediaType(media_type or "", f"JSON is UTF-8; the charset {charset} is not read.")
        view = (parser_context or {}).get("view")
        limit = int(getattr(view, "max_body_bytes", settings.HANDOFF_MAX_BODY_BYTES))
        return strict_loads(stream.read(limit + 1), max_bytes=limit)


class BytesParser(BaseParser):
    """Reads a body of any content type as it is, at most `max_body_bytes` of the view and one more."""

    media_type = "*/*"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        view = (parser_context or {}).get("view")
        return bytes(stream.read(int(getattr(view, "max_body_bytes", settings.HANDOFF_MAX_BODY_BYTES)) + 1))
