"""Options of activities in the words of other engines (R-008): taskQueue, attemptLimit, leaseDurationSeconds."""

from typing import Final

from engine.catalogue import Json
from engine.dialects.base import DialectError
from engine.limits import STEP_ATTEMPTS
from engine.problems import quoted

_NAMES: Final = {"taskQueue": "queue", "leaseDurationSeconds": "lease_seconds"}
_ATTEMPTS: Final = "attemptLimit"


def in_our_words(nodes: Json, place: str = "nodes") -> Json:
    """The nodes with our names of these options, also in what undoes them. What is no list of nodes stays as it is.

    Raises DialectError where a node has an option by both names, or attempts that can't be counted.
    """
    if not isinstance(nodes, list):
        return nodes
    return [_node(node, f"{place}[{at}]") for at, node in enumerate(nodes)]


def _node(node: Json, place: str) -> Json:
    if not isinstance(node, dict):
        return node
    if isinstance(node.get("compensate"), dict):
        node = {**node, "compensate": _node(node["compensate"], f"{place}.compensate")}
    if not node.keys() & {*_NAMES, _ATTEMPTS}:
        return node
    native = {key: value for key, value in node.items() if key not in _NAMES and key != _ATTEMPTS}
    for theirs, ours in _NAMES.items():
        if theirs in node:
            _require_free(native, ours, theirs, place)
            native[ours] = node[theirs]
    if _ATTEMPTS in node:
        _require_free(native, "retry", _ATTEMPTS, place)
        native["retry"] = {"max_retries": _retries(node[_ATTEMPTS], f"{place}.{_ATTEMPTS}")}
    return native


def _require_free(node: dict[str, Json], ours: str, theirs: str, place: str) -> None:
    if node.get(ours) is not None:
        raise DialectError(
            f"The step has both {quoted(ours)} and {quoted(theirs)}: keep one.", f"{place}.{theirs}"
        )


def _retries(attempts: Json, place: str) -> int:
    if type(attempts) is not int or not 1 <= attempts <= STEP_ATTEMPTS:
        raise DialectError(f"`{_ATTEMPTS}` must be a whole number from 1 to {STEP_ATTEMPTS}.", place)
    return attempts - 1
