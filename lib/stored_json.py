"""JSON columns that give back the numbers that went in."""

import json
from typing import Any

from django.db import models

from lib.strict_json import stored_integer


class StoredDecoder(json.JSONDecoder):
    """Reads jsonb, which may give the double 1e20 back as an integer that no client could read."""

    def __init__(self, **options: Any) -> None:
        super().__init__(parse_int=stored_integer, **options)


class StoredJson(models.JSONField):
    """A JSON column whose values passed the gate; to migrations it is a plain `JSONField`."""

    def __init__(self, **options: Any) -> None:
        options["decoder"] = StoredDecoder
        super().__init__(**options)

    def deconstruct(self) -> Any:
        name, _path, args, options = super().deconstruct()
        options.pop("decoder", None)
        return name, "django.db.models.JSONField", args, options
