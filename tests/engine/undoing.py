"""What docs/engine.md, "Compensation", says, from how a run's steps have ended: written from the page alone."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from engine.catalogue import Json
from engine.errors import is_done
from tests.engine.lives import COMPLETED, FAILED, Final, Step

Definition = Mapping[str, Any]

NOBODY_KNOWS = ("Timeout", "LeaseLost")


def to_undo(definition: Definition, final: Final) -> set[str]:
    """The nodes that are undone once the run has closed: what completed, and what nobody knows the outcome of."""
    if final.status == COMPLETED:
        return set()
    return {
        node["id"]
        for node in definition["nodes"]
        if "compensate" in node and node["id"] in final.steps and _is_undone(node, final.steps[node["id"]])
    }


def _is_undone(node: Mapping[str, Json], step: Step) -> bool:
    unknown = step.lost or step.interrupted
    unknown = unknown or (step.status == FAILED and step.error["code"] in NOBODY_KNOWS)
    done = step.status == FAILED and is_done(step.error)
    return step.status == COMPLETED or done or (unknown and node.get("compensate_on_unknown", True))


def misplaced(definition: Definition, order: list[str], ended: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Pairs that were undone in the wrong order: the last that ended comes first, and none before what it led to.

    Where branches are undone at the same time only the latter counts.
    """
    together = definition.get("compensation") == "parallel"
    before = {name: _before(definition, name) for name in order}
    return [
        (one, other)
        for place, one in enumerate(order)
        for other in order[place + 1 :]
        if (ended[one] < ended[other] and not together)
        or ((ended[one] == ended[other] or together) and one in before[other])
    ]


def _before(definition: Definition, name: str) -> set[str]:
    """All nodes that lead to this one."""
    sources = {edge["from"] for edge in definition["edges"] if edge["to"] == name}
    for node in definition["nodes"]:
        if any(timer["to"] == name for timer in node.get("boundary_timers", ())):
            sources.add(node["id"])
    return sources.union(*(_before(definition, source) for source in sources))


def may_begin(definition: Definition, wanted: Collection[str], over: Collection[str]) -> set[str]:
    """Where branches are undone at the same time: what may have begun to be undone when that of `over` is settled.

    Nothing before what it led to, and all else of `wanted` at once.
    """
    left = set(wanted).difference(over)
    return {name for name in wanted if not any(name in _before(definition, other) for other in left)}


def status_after(final: Final, undone: Iterable[str], ways: Mapping[str, tuple[str, ...]]) -> str:
    """How the run stands once all that is to be undone is: `ways` says what people decided where that failed."""
    names = set(undone)
    if not names:
        return final.status
    if any(ways[name][-1:] == ("abandon",) for name in names):
        return "FAILED"
    return "COMPENSATED" if final.status == FAILED else final.status
