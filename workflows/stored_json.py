"""JSON columns that give back the numbers that went in."""

import json
from typing import Any

from django.db import models

from lib.strict_json import stored_integer


class StoredDecoder(json.JSONDecoder):
    """Reads jsonb, which writes the double 1e20 as an integer that is none."""

    def __init__(self, **options: Any) -> None:
        super().__init__(parse_int=stored_integer, **options)


class StoredJson(models.JSONField):
    """A JSON column whose values passed the gate and pass it again when they are read."""

    def __init__(self, **options: Any) -> None:
        options["decoder"] = StoredDecoder
        super().__init__(**options)
