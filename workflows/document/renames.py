"""Which steps get another id by changes: what is taken out under one id is put in under another. Pure."""

from collections.abc import Iterable, Mapping

import orjson

from lib.json import Json
from workflows.document.bodies import face
from workflows.document.changes import NOTHING, Change


def renamed(changes: Iterable[Change]) -> dict[str, str]:
    """The new ids of steps by their old ones.

    A step that is otherwise as it was is known again. Of one whose own text reads the step itself more changes with its
    id: where one step alone goes and one alone comes, its type and its title are enough.
    """
    gone: dict[str, Json] = {}
    come: dict[str, Json] = {}
    for change in changes:
        root, node, *rest = change.path
        if root != "nodes" or rest:
            continue
        if change.before is not NOTHING and change.after is NOTHING and come.pop(node, None) is None:
            gone[node] = change.before
        if change.after is not NOTHING and change.before is NOTHING and gone.pop(node, None) is None:
            come[node] = change.after
    return _pairs(gone, come)


def _pairs(gone: Mapping[str, Json], come: Mapping[str, Json]) -> dict[str, str]:
    before, after = _alone(gone), _alone(come)
    pairs = {node: after[body] for body, node in before.items() if body in after}
    left = [node for node in gone if node not in pairs]
    new = [node for node in come if node not in pairs.values()]
    if len(left) == len(new) == 1:
        before_face = face(gone[left[0]])
        if before_face is not None and before_face == face(come[new[0]]):
            pairs[left[0]] = new[0]
    return pairs


def _alone(steps: Mapping[str, Json]) -> dict[bytes, str]:
    """The steps by what they are, without those of which there are several alike."""
    nodes: dict[bytes, list[str]] = {}
    for node, body in steps.items():
        nodes.setdefault(orjson.dumps(body, option=orjson.OPT_SORT_KEYS), []).append(node)
    return {body: alike[0] for body, alike in nodes.items() if len(alike) == 1}
