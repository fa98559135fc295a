"""Pure: groups of changes as they are sent, taken whole or refused with the field that is wrong."""

import re
from collections.abc import Mapping

from engine.catalogue import Json
from lib.refusals import Invalid
from workflows.document.bodies import why_no_id
from workflows.document.changes import NOTHING, ORDERED, ROOTS, Change, Group, Path
from workflows.limits import (
    CHANGE_LABEL_CHARACTERS,
    PATH_KEY_CHARACTERS,
    PATH_KEYS,
    REQUEST_CHANGES,
    REQUEST_GROUPS,
)

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_EDGE = re.compile(r"([^>#]+)>([^>#]+)(#[1-9][0-9]{0,6})?")
_ENDS = {"nodes": ("id",), "edges": ("from", "to")}


def read_groups(value: Json) -> list[Group]:
    """The groups of a request. Raises Invalid, which names the field."""
    _check(isinstance(value, list), "groups", "This must be a list.")
    _check(
        len(value) <= REQUEST_GROUPS,
        "groups",
        f"There are more than {REQUEST_GROUPS} groups: send them in parts.",
    )
    groups = [_group(item, f"groups[{place}]") for place, item in enumerate(value)]
    count = sum(len(group.changes) for group in groups)
    _check(
        count <= REQUEST_CHANGES,
        "groups",
        f"There are more than {REQUEST_CHANGES:,} changes: send them in parts.",
    )
    return groups


def _check(is_right: bool, field: str, message: str, code: str = "invalid") -> None:
    if not is_right:
        raise Invalid(message, code=code, field=field)


def _object(value: Json, field: str, keys: Mapping[str, bool]) -> dict[str, Json]:
    """An object with these keys and no others; True for those that must be there."""
    _check(isinstance(value, dict), field, "This must be a JSON object.")
    for key in value:
        _check(key in keys, f"{field}.{key}", "There is no such field.", "unknown_field")
    for key, is_needed in keys.items():
        _check(not is_needed or key in value, f"{field}.{key}", "This field is required.", "required")
    return dict(value)


def _group(value: Json, field: str) -> Group:
    parts = _object(value, field, {"id": True, "label": False, "changes": True})
    label = parts.get("label", "")
    is_uuid = isinstance(parts["id"], str) and _UUID.fullmatch(parts["id"])
    _check(bool(is_uuid), f"{field}.id", "This must be a UUID.")
    is_label = isinstance(label, str) and len(label) <= CHANGE_LABEL_CHARACTERS
    _check(
        is_label, f"{field}.label", f"This must be a text of {CHANGE_LABEL_CHARACTERS} characters at most."
    )
    _check(isinstance(parts["changes"], list), f"{field}.changes", "This must be a list.")
    changes = [_change(item, f"{field}.changes[{place}]") for place, item in enumerate(parts["changes"])]
    return Group(parts["id"].lower(), label, tuple(changes))


_CHANGE = {"path": True, "from": False, "to": False, "at": False, "was_at": False}


def _change(value: Json, field: str) -> Change:
    parts = _object(value, field, _CHANGE)
    path = _path(parts["path"], f"{field}.path")
    is_entry = path[0] in ORDERED and len(path) == 2
    for place in ("at", "was_at"):
        _check(
            place not in parts or is_entry, f"{field}.{place}", "Only an entry of nodes or edges has a place."
        )
        is_key = isinstance(parts.get(place, ""), str | None)
        _check(is_key, f"{field}.{place}", "This must be the key of an entry, or null for the first place.")
    change = Change(
        path,
        before=parts.get("from", NOTHING),
        after=parts.get("to", NOTHING),
        at=parts.get("at", NOTHING),
        was_at=parts.get("was_at", NOTHING),
    )
    _check(
        not change.is_move or change.at is not NOTHING, field, "This changes nothing: give from, to or at."
    )
    if is_entry and change.after is not NOTHING:
        _check_entry(path, change.after, f"{field}.to")
    return change


def _path(value: Json, field: str) -> Path:
    is_path = isinstance(value, list) and all(
        isinstance(key, str) and len(key) <= PATH_KEY_CHARACTERS for key in value
    )
    _check(is_path, field, f"This must be a list of texts of {PATH_KEY_CHARACTERS} characters at most.")
    _check(2 <= len(value) <= PATH_KEYS, field, f"A path has 2 to {PATH_KEYS} texts.")
    root, key = value[:2]
    _check(root in ROOTS, f"{field}[0]", f"This must be one of {', '.join(ROOTS)}.")
    if root == "nodes":
        reason = why_no_id(key)
        _check(reason is None, f"{field}[1]", reason or "")
    if root == "edges":
        _check(
            bool(_EDGE.fullmatch(key)), f"{field}[1]", "The key of an edge looks like FROM>TO or FROM>TO#2."
        )
    _check(root != "settings" or key not in ORDERED, f"{field}[1]", f"{key} are a root of their own.")
    is_end = len(value) > 2 and value[2] in _ENDS.get(root, ())
    _check(not is_end, f"{field}[2]", "This is in the key: remove the entry and add one with another key.")
    return tuple(value)


def _check_entry(path: Path, value: Json, field: str) -> None:
    root, key = path
    _check(isinstance(value, dict), field, "This must be a JSON object.")
    if root == "nodes":
        _check("id" not in value, f"{field}.id", "The id is the key of the node: leave it out here.")
    elif match := _EDGE.fullmatch(key):
        for end, node in zip(("from", "to"), match.groups()[:2], strict=True):
            _check(value.get(end) == node, f"{field}.{end}", f"This must be {node}, as in the key.")
