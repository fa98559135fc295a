"""Values of a run as `{{ … }}`, and what authors give as plain JSON."""

import json
import re
from collections.abc import Mapping
from math import isfinite

from engine.catalogue import Json

_FIELD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Value:
    """What an expression reads: `order.output.lines[0].price` becomes `{{ steps.order.output.lines[0].price }}`."""

    __slots__ = ("_path",)
    # Places are read one by one; asked for all of them, Python would never end.
    __iter__ = None

    def __init__(self, path: str) -> None:
        self._path = path

    def __getattr__(self, field: str) -> "Value":
        if field.startswith("__"):
            raise AttributeError(field)
        return self[field]

    def __getitem__(self, place: str | int) -> "Value":
        if isinstance(place, str) and _FIELD.fullmatch(place):
            return Value(f"{self._path}.{place}")
        return Value(f"{self._path}[{json.dumps(place, ensure_ascii=False)}]")

    def __str__(self) -> str:
        return f"{{{{ {self._path} }}}}"

    def __repr__(self) -> str:
        return f"<value {self._path}>"

    def __bool__(self) -> bool:
        raise TypeError(f"What `{self._path}` is, nobody knows before a run: ask in an expression.")


def plain(value: object, place: str) -> Json:
    """`value` as JSON of its own: what is changed later changes nothing.

    Raises TypeError with the place for what is no JSON.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Value):
        return str(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float) and isfinite(value):
        return float(value)
    if isinstance(value, Mapping):
        return {_key(key, place): plain(item, f"{place}.{key}") for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, f"{place}[{index}]") for index, item in enumerate(value)]
    raise TypeError(f"`{place}` is no JSON: {type(value).__name__}.")


def _key(key: object, place: str) -> str:
    if not isinstance(key, str):
        raise TypeError(f"`{place}` has a key that is no text: {key!r}.")
    return str.__str__(key)
