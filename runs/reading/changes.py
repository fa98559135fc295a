"""In what two JSON values are different: one walk over both, which ends when enough is told; pure."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.catalogue import Json
from lib.masking import masked_at
from runs.limits import CHANGE_CHARACTERS, VALUE_CHANGES

_BEFORE = 60
"""So many characters stand before the place from which two long texts are different."""

CHANGED, LENGTH, LEFT_ONLY, RIGHT_ONLY = "changed", "length", "left_only", "right_only"
KINDS = (CHANGED, LENGTH, LEFT_ONLY, RIGHT_ONLY)

_Place = tuple["_Place", str | int] | None


class _Absent:
    """What stands on a side that has nothing there: null is a value."""


_ABSENT = _Absent()


class _Pair(NamedTuple):
    place: _Place
    left: Json
    right: Json


@dataclass(frozen=True, slots=True)
class Change:
    """What is different at a path (empty: the whole value). Of two lists of unlike length that comes first, with the
    lengths as their sides. `cut` names the sides that are told by a part of their text.
    """

    path: str
    kind: str
    left: Json
    right: Json
    cut: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Changes:
    """Whether two values are the same, and in what they are not; `more`: not all of that is here."""

    same: bool
    changes: list[Change]
    more: bool = False


def changes(left: Json, right: Json, most: int = VALUE_CHANGES, *, masks: bool = False) -> Changes:
    """In what two values are different, at most `most` changes, in the order of the left value.

    With `masks` what has the name of a secret is told masked: that it is different, and not in what.
    """
    differences: list[Change] = []
    for pair in _different(left, right):
        if len(differences) >= most:
            return Changes(False, differences, more=True)
        differences.append(_told(_masked(pair) if masks else pair))
    return Changes(not differences, differences)


def _different(left: Json, right: Json) -> Iterator[_Pair]:
    """The pairs that are different. Each part is looked at once, and its path is written only if it is told."""
    waiting = [_Pair(None, left, right)]
    while waiting:
        pair = waiting.pop()
        if isinstance(pair.left, dict) and isinstance(pair.right, dict):
            waiting += reversed(list(_fields(pair)))
        elif isinstance(pair.left, list) and isinstance(pair.right, list):
            if len(pair.left) != len(pair.right):
                yield pair
            waiting += reversed(list(_items(pair)))
        elif not _is_alike(pair.left, pair.right):
            yield pair


def _fields(pair: _Pair) -> Iterator[_Pair]:
    for name, value in pair.left.items():
        yield _Pair((pair.place, name), value, pair.right.get(name, _ABSENT))
    for name, value in pair.right.items():
        if name not in pair.left:
            yield _Pair((pair.place, name), _ABSENT, value)


def _items(pair: _Pair) -> Iterator[_Pair]:
    left, right = pair.left, pair.right
    for index in range(max(len(left), len(right))):
        yield _Pair(
            (pair.place, index),
            left[index] if index < len(left) else _ABSENT,
            right[index] if index < len(right) else _ABSENT,
        )


def _is_alike(left: Json, right: Json) -> bool:
    """Whether two values, not both of which hold others of the same kind, are the same; True is no 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return bool(left == right)


def _masked(pair: _Pair) -> _Pair:
    names, place = [], pair.place
    while place is not None:
        place, name = place
        names.append(str(name))
    left, right = (side if side is _ABSENT else masked_at(names, side) for side in (pair.left, pair.right))
    return _Pair(pair.place, left, right)


def _told(pair: _Pair) -> Change:
    path, left, right = _path(pair.place), pair.left, pair.right
    if isinstance(left, list) and isinstance(right, list):
        return Change(path, LENGTH, len(left), len(right))
    kind = LEFT_ONLY if right is _ABSENT else RIGHT_ONLY if left is _ABSENT else CHANGED
    start = 0
    if isinstance(left, str) and isinstance(right, str) and max(len(left), len(right)) > CHANGE_CHARACTERS:
        start = max(0, _alike_up_to(left, right) - _BEFORE)
    sides = {"left": _part(left, start), "right": _part(right, start)}
    cut = [side for side, (_, is_cut) in sides.items() if is_cut]
    return Change(path, kind, sides["left"][0], sides["right"][0], cut)


def _part(value: Json, start: int) -> tuple[Json, bool]:
    """A value as it is told, and whether that is a part of its text."""
    if value is _ABSENT:
        return None, False
    text = value if isinstance(value, str) else None
    if isinstance(value, dict | list):
        text = json.dumps(value, ensure_ascii=False)
        if len(text) <= CHANGE_CHARACTERS:
            return value, False
    if text is None or (len(text) <= CHANGE_CHARACTERS and not start):
        return value, False
    part = text[start : start + CHANGE_CHARACTERS]
    return f"{'…' if start else ''}{part}{'…' if start + len(part) < len(text) else ''}", True


def _alike_up_to(left: str, right: str) -> int:
    """How many characters two texts begin with alike, by halves: each half is compared at once."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _path(place: _Place) -> str:
    """A path as expressions write it: `items[2].name`, `scores["a b"]`."""
    keys: list[str | int] = []
    while place is not None:
        place, key = place
        keys.append(key)
    path = ""
    for key in reversed(keys):
        if isinstance(key, int):
            path += f"[{key}]"
        elif key.isidentifier():
            path += f".{key}" if path else key
        else:
            path += f"[{json.dumps(key, ensure_ascii=False)}]"
    return path
