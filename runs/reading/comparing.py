"""Two runs side by side: which way each went, how long that took, with what values, where they first differ; pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from typing import Any, NamedTuple

from engine.catalogue import Json
from engine.statuses import STEP_OPEN, StepStatus
from runs.limits import CHANGE_CHARACTERS, RUN_CHANGES, VALUE_CHANGES
from runs.reading.changes import changes

Row = Mapping[str, Any]
"""A run or a step as `presentation` shows it."""

BOTH, LEFT, RIGHT, NEITHER = "both", "left", "right", "neither"
PATHS = (BOTH, LEFT, RIGHT, NEITHER)
OF_RUNS = ("workflow", "version", "input", "output", "status")
"""What may be different of two runs themselves."""
OF_STEPS = ("path", "input", "status", "output", "error", "attempts")
"""What may be different of a step: what comes first is the reason for the rest."""
PARTING = ("path", "status")
"""In what steps differ where the ways of two runs part."""
TOO_LARGE = "Too large to be compared part by part."
_PENDING = "PENDING"
_PASSED = ("operator", "done by hand", "abandoned")
"""Why a step is SKIPPED which the run came to."""


class Digest(NamedTuple):
    """What tells a value that isn't shown, of its `text`, or of all that is `kept` beside the database; where it is
    `mixed` the same value may have another one.
    """

    kind: str
    text: str


PayloadKey = tuple[str | None, str]
"""The node of a step, None for the run itself, and the name of its payload."""
Digests = Mapping[tuple[str, str | None, str], Digest]
"""By run, node and payload."""


@dataclass(slots=True)
class _Room:
    """How many changes may still be told, and whether what has the name of a secret is `masked` there."""

    left: int = RUN_CHANGES
    masks: bool = False

    def take(self, count: int) -> None:
        self.left -= count


@dataclass(frozen=True, slots=True)
class Compared:
    """Two values; `same` is None where nobody can tell, and `why` says so, or why no changes are told."""

    same: bool | None
    changes: list[dict[str, Json]] = field(default_factory=list)
    more: bool = False
    why: str | None = None


def merged(left: Sequence[str], right: Sequence[str]) -> list[str]:
    """The names of both in an order that is that of the left ones, and as far as it can be that of the right ones."""
    is_left, is_right, done = set(left), set(right), dict[str, None]()
    rest = iter(right)
    behind = next(rest, None)

    def only_right() -> Iterator[str]:
        nonlocal behind
        while behind is not None and (behind not in is_left or behind in done):
            yield behind
            behind = next(rest, None)

    for name in left:
        if name in is_right:
            done |= dict.fromkeys(only_right())
        done[name] = None
    done |= dict.fromkeys(only_right())
    return list(done)


def not_shown(left: Row, right: Row) -> list[PayloadKey]:
    """Of which payloads, those of runs first, a side isn't shown, so that only a digest can tell whether both are the
    same.
    """
    by_node = {step["node"]: step for step in right["steps"]}
    pairs = [(None, left, right)]
    pairs += [
        (step["node"], step, by_node[step["node"]]) for step in left["steps"] if step["node"] in by_node
    ]
    return [
        (node, of)
        for node, one, other in pairs
        for of in ("input", "output")
        if of in one.get("truncated", {}) or of in other.get("truncated", {})
    ]


def compare(
    left: Row, right: Row, *, same_version: bool, digests: Digests, masks: bool = False
) -> dict[str, Json]:
    """Both runs side by side (docs/api.md, "Two runs side by side"). `digests` are those of what is `not_shown`;
    `masks`: what has the name of a secret is told masked.
    """
    room = _Room(masks=masks)
    inputs = _values(left, right, (left, right), "input", digests, room)
    steps = [_step(left, right, pair, digests, room) for pair in _pairs(left, right)]
    outputs = _values(left, right, (left, right), "output", digests, room)
    first_step = _first(steps, OF_STEPS)
    before, after = _around(left, right, same_version, inputs, outputs)
    return {
        "runs": [_run(left), _run(right)],
        "same_version": same_version,
        "first_difference": _of_run(before) or first_step or _of_run(after),
        "ways_part": _first(steps, PARTING),
        "input": asdict(inputs),
        "output": asdict(outputs),
        "steps": steps,
    }


def _pairs(left: Row, right: Row) -> list[tuple[Row | None, Row | None]]:
    one = {step["node"]: step for step in left["steps"]}
    other = {step["node"]: step for step in right["steps"]}
    return [(one.get(node), other.get(node)) for node in merged([*one], [*other])]


def _run(run: Row) -> dict[str, Json]:
    over = run["completed_at"]
    names = ("id", "workflow", "version", "test", "status", "business_key", "created_at")
    took = None if over is None else round((over - run["created_at"]) / timedelta(seconds=1), 3)
    return {name: run[name] for name in names} | {"duration_seconds": took}


def _around(
    left: Row, right: Row, same_version: bool, inputs: Compared, outputs: Compared
) -> tuple[str | None, str | None]:
    """In what the runs are different before their first step, and in what after their last one."""
    before = None
    if left["workflow"] != right["workflow"]:
        before = "workflow"
    elif not same_version:
        before = "version"
    elif inputs.same is False:
        before = "input"
    if left["completed_at"] is None or right["completed_at"] is None:
        return before, None
    if left["status"] != right["status"]:
        return before, "status"
    return before, "output" if outputs.same is False else None


def _first(steps: Sequence[Row], among: Sequence[str]) -> dict[str, Json] | None:
    """The first of the steps that differs in one of these."""
    differences = ((step["node"], what) for step in steps for what in step["differs"] if what in among)
    node, what = next(differences, (None, None))
    return None if node is None else {"node": node, "what": what}


def _of_run(what: str | None) -> dict[str, Json] | None:
    return None if what is None else {"node": None, "what": what}


def _step(
    left_run: Row, right_run: Row, pair: tuple[Row | None, Row | None], digests: Digests, room: _Room
) -> dict[str, Json]:
    left, right = pair
    step = left or right or {}
    path = _path(left, right)
    inputs = outputs = Compared(None)
    if left and right and path == BOTH:
        inputs = _values(left_run, right_run, (left, right), "input", digests, room)
        if _is_over(left) and _is_over(right):
            outputs = _values(left_run, right_run, (left, right), "output", digests, room)
    why = {name: one.why for name, one in (("input", inputs), ("output", outputs)) if one.why}
    return {
        "node": step["node"],
        "title": step["title"],
        "type": step["type"],
        "left": _side(left),
        "right": _side(right),
        "path": path,
        "differs": _differs(left_run, right_run, pair, path, inputs, outputs),
        "input_same": inputs.same,
        "output_same": outputs.same,
        "input_changes": inputs.changes,
        "output_changes": outputs.changes,
        "more": inputs.more or outputs.more,
        "not_told": why,
    }


def _side(step: Row | None) -> dict[str, Json] | None:
    if step is None:
        return None
    took = step["duration_ms"]
    return {
        "status": step["status"],
        "attempts": step["attempt"],
        "duration_seconds": None if took is None else round(took / 1000, 6),
        "error": _error(step),
    }


def _path(left: Row | None, right: Row | None) -> str:
    came = (_came_to(left), _came_to(right))
    return {(True, True): BOTH, (True, False): LEFT, (False, True): RIGHT, (False, False): NEITHER}[came]


def _came_to(step: Row | None) -> bool:
    """Whether a run came to this step, however it ended."""
    if step is None or step["status"] == _PENDING:
        return False
    return step["status"] != StepStatus.SKIPPED or step["cause"] in _PASSED


def _is_over(step: Row) -> bool:
    return step["status"] not in STEP_OPEN


def _differs(
    left_run: Row,
    right_run: Row,
    pair: tuple[Row | None, Row | None],
    path: str,
    inputs: Compared,
    outputs: Compared,
) -> list[str]:
    """In what a step is different, the reason first; what is not known yet of an open run is no difference."""
    left, right = pair
    if path != BOTH or left is None or right is None:
        away, run = (right, right_run) if path == LEFT else (left, left_run)
        is_open = away is not None and away["status"] == _PENDING and run["completed_at"] is None
        return ["path"] if path != NEITHER and not is_open else []
    both_over = _is_over(left) and _is_over(right)
    # Who has failed has another output than who has not, and an error.
    alike = both_over and left["status"] == right["status"]
    differences = {
        "input": inputs.same is False,
        "status": both_over and not alike,
        "output": alike and outputs.same is False,
        "error": alike and _error(left) != _error(right),
        "attempts": both_over and left["attempt"] != right["attempt"],
    }
    return [what for what in OF_STEPS if differences.get(what)]


def _error(step: Row) -> dict[str, Json] | None:
    """What of an error makes it the same as another: details say when and where."""
    error = step["error"]
    if error is None:
        return None
    message = error.get("message")
    return {
        "code": error.get("code"),
        "message": message[:CHANGE_CHARACTERS] if isinstance(message, str) else None,
    }


def _values(
    left_run: Row, right_run: Row, pair: tuple[Row, Row], of: str, digests: Digests, room: _Room
) -> Compared:
    """A payload of both, part by part where both are shown."""
    left, right = pair
    if of not in left.get("truncated", {}) and of not in right.get("truncated", {}):
        diff = changes(left[of], right[of], min(VALUE_CHANGES, room.left), masks=room.masks)
        room.take(len(diff.changes))
        return Compared(diff.same, [asdict(one) for one in diff.changes], diff.more)
    node = left.get("node")
    same = _told_same(digests.get((left_run["id"], node, of)), digests.get((right_run["id"], node, of)))
    why = left.get("unreadable", {}).get(of) or right.get("unreadable", {}).get(of) or TOO_LARGE
    return Compared(same, why=None if same else why)


def _told_same(left: Digest | None, right: Digest | None) -> bool | None:
    if left is None or right is None:
        return None
    if left == right:
        return True
    return False if left.kind == right.kind != "mixed" else None
