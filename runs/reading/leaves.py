"""What runs wait for in the runs below them: the open steps at the ends of their trees, in words and as places."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from accounts.people import name_of
from accounts.principal import Principal
from accounts.roles import RUNS_READ
from engine.catalogue import Json
from engine.graph import Node
from engine.statuses import StepStatus
from runs.kernel import graphs, wait_kinds
from runs.limits import OPEN_LEAVES
from runs.reading import step_waits
from runs.store.trees import OpenStep, open_steps_below

EACH = 25
"""So many waiting items of one container are read."""
SHOWN = 10
"""So many groups of waits of a run are shown."""
NAMED = 3
"""So many groups of waits are in a sentence."""
_OTHERS = " and others"

Path = tuple[tuple[str, int | None], ...]


@dataclass(frozen=True, slots=True)
class Leaf:
    """An open step that waits for something else than its own items or run.

    `path`: the steps from the run that is read down to this one. `round`: in which round of a loop it is.
    `is_item`: whether it is in an item of a map. `is_hidden`: whether the reader may not read its workflow. `more`: so
    many items of its container are open that were not read.
    """

    step: OpenStep
    node: Node | None
    path: Path
    round: int | None
    is_item: bool
    is_hidden: bool
    more: int = 0

    @property
    def is_busy(self) -> bool:
        """Whether it is an item that a worker has or may take."""
        return self.step.item is not None and self.step.status != StepStatus.WAITING

    @property
    def is_failed(self) -> bool:
        """Whether it could not be undone, and waits for a person."""
        return self.step.status == StepStatus.FAILED

    @property
    def title(self) -> str | None:
        """What the step is called; None where the reader may not know."""
        if self.is_hidden:
            return None
        return self.node.title if self.node else self.step.node

    @property
    def words(self) -> str:
        """What goes behind "waits for"."""
        if self.is_failed:
            return "somebody to see to what could not be undone"
        if not self.is_hidden:
            return (step_waits.in_words(self.node, self.step) if self.node else None) or "its turn"
        if self.step.status != StepStatus.WAITING:
            return "a worker"
        names = [name_of(name) for name in wait_kinds.people_in(self.step.waiting)]
        return " or ".join(names) or wait_kinds.in_short(self.step.waiting.get("kind"))

    @property
    def names_step(self) -> bool:
        """Whether the words say what the step is called."""
        return self.is_hidden or wait_kinds.names_step(self.step.waiting or {})


@dataclass(slots=True)
class Group:
    """Leaves at the same steps that wait for the same."""

    first: Leaf
    words: str
    count: int = 1

    @property
    def phrase(self) -> str:
        """The group in a sentence, behind "waits for its items:"."""
        leaf = self.first
        if not leaf.is_item:
            before = "" if leaf.round is None else f"item {leaf.round}: "
            return f"{before}{self.words if leaf.names_step else f'{leaf.title} waits for {self.words}'}"
        at = "" if leaf.names_step else f" at {leaf.title}"
        return f"{self.count} {'waits' if self.count == 1 else 'wait'}{at} for {self.words}"

    def row(self, place: Sequence[tuple[str, int | None]]) -> dict[str, Json]:
        """As the API gives it, below a run at this place."""
        step = self.first.step
        return {
            "run": step.run,
            "node": step.node,
            "index": step.item,
            "place": [{"node": node, "index": index} for node, index in (*place, *self.first.path)],
            "title": self.first.title,
            "waiting_for": self.words,
            "count": self.count,
        }


@dataclass(slots=True)
class Below:
    """The groups of waits of a run, in the order of its tree. `unread`: so many items wait that are in no group;
    `is_cut`: there may be more open steps than were read.
    """

    groups: list[Group] = field(default_factory=list)
    unread: int = 0
    is_cut: bool = False

    def of_step(self, node: str) -> str:
        """What a step of the run waits for in its items or its run; empty where nothing is known."""
        return self.in_words(
            [one for one in self.groups if one.first.path[0][0] == node and _is_below(one.first)]
        )

    def in_words(self, groups: Sequence[Group] | None = None) -> str:
        """What the run waits for, or these groups of it; empty where nothing is known."""
        groups = self.groups if groups is None else groups
        phrases = [one.phrase for one in groups[:NAMED]]
        if groups and (more := sum(one.count for one in groups[NAMED:]) + self.unread):
            phrases.append(f"and {'at least ' if self.is_cut else ''}{more} more")
        return "; ".join(phrases)


ALONE = Below()
"""What is below a run that waits for no other."""


def waits_of(
    run: str, place: Sequence[tuple[str, int | None]], steps: Sequence[Mapping[str, Json]], below: Below
) -> list[dict[str, Json]]:
    """What an open run at this place waits for, with its steps as they are shown: at most `SHOWN` groups, each with the
    run and the step that lead there.
    """
    if below.groups:
        groups = sorted(below.groups, key=lambda group: not group.first.is_failed)
        return [group.row(place) for group in groups[:SHOWN]]
    return [
        {
            "run": run,
            "node": step["node"],
            "index": None,
            "place": [{"node": node, "index": index} for node, index in (*place, (step["node"], None))],
            "title": step["title"],
            "waiting_for": step["waiting_for"],
            "count": 1,
        }
        for step in [step for step in steps if step["waiting_for"] and step["index"] is None][:SHOWN]
    ]


def leaves_below(
    tenant: int, runs: Sequence[UUID | str], who: Principal | None = None
) -> dict[str, list[Leaf]]:
    """The leaves of each of these runs, in one statement. What `who` may not read is hidden; where nobody is named,
    what is in another folder than the run.
    """
    if not runs:
        return {}
    steps = open_steps_below(tenant, [str(run) for run in runs], most=OPEN_LEAVES, each=EACH)
    by_run: dict[str, list[OpenStep]] = {}
    for step in steps:
        by_run.setdefault(step.top, []).append(step)
    return {run: list(_leaves(those, who)) for run, those in by_run.items()}


def grouped(leaves: Sequence[Leaf]) -> Below:
    """The leaves of one run in groups."""
    groups: dict[tuple[Json, ...], Group] = {}
    for leaf in leaves:
        words = leaf.words
        # Items that workers have or take differ by the worker alone.
        what = None if leaf.is_busy else words
        key = (*(node for node, _ in leaf.path), None if leaf.is_item else leaf.path, what)
        group = groups.setdefault(key, Group(leaf, words, 0))
        unread = leaf.more if leaf.is_busy else 0
        group.count += 1 + unread
        if leaf.is_busy and (unread or group.words != words) and not group.words.endswith(_OTHERS):
            group.words += _OTHERS
    unread = sum(leaf.more for leaf in leaves if not leaf.is_busy)
    if len(groups) == 1 and unread:
        # All that were read wait for the same.
        next(iter(groups.values())).count += unread
        unread = 0
    return Below([*groups.values()], unread, is_cut=len(leaves) >= OPEN_LEAVES)


def _leaves(steps: Sequence[OpenStep], who: Principal | None) -> Iterable[Leaf]:
    by_id = {step.id: step for step in steps}
    parents = {step.via for step in steps}
    loops = {
        (step.run, step.node) for step in steps if step.item is None and "rounds" in (step.waiting or {})
    }
    read = Counter((step.run, step.node) for step in steps if step.item is not None)
    # What the counts say beyond what was read is told of one item, of one that a worker has or takes if there is one.
    unread = {
        (step.run, step.node): step.counts[0] - step.counts[1] - read[step.run, step.node]
        for step in steps
        if step.counts is not None and (step.run, step.node) in read
    }
    busy = {
        (step.run, step.node) for step in steps if step.item is not None and step.status != StepStatus.WAITING
    }
    for step in steps:
        if step.id in parents or (step.item is None and (step.run, step.node) in read):
            continue
        way = [step]
        while way[0].via is not None and way[0].via in by_id:
            way.insert(0, by_id[way[0].via])
        rounds = [one.item for one in way if one.item is not None and (one.run, one.node) in loops]
        is_busy = step.item is not None and step.status != StepStatus.WAITING
        containers = [(one.run, one.node) for one in way if one.item is not None]
        owners = [one for one in containers if one not in busy or (is_busy and one == containers[-1])]
        yield Leaf(
            step,
            _node_of(step),
            tuple((one.node, one.item) for one in way),
            rounds[0] if rounds else None,
            any(one.item is not None and (one.run, one.node) not in loops for one in way),
            not (step.is_near if who is None else who.may_in(RUNS_READ, step.folder)),
            sum(max(0, unread.pop(one, 0)) for one in owners),
        )


def _node_of(step: OpenStep) -> Node | None:
    """What a step does: an item what the body of its container says."""
    version = graphs.shown_or_none(step.version_id)
    node = None if version is None else version.graph.steps.get(step.node)
    return node.body if node is not None and node.body is not None and step.item is not None else node


def _is_below(leaf: Leaf) -> bool:
    return len(leaf.path) > 1 or leaf.step.item is not None


def begins_others(waits: Iterable[Mapping[str, Json] | None]) -> bool:
    """Whether one of the steps that wait so waits for its items or a run: then there may be leaves below it."""
    return any(wait is not None and wait.get("kind") in ("children", "run") for wait in waits)
