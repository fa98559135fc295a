"""What docs/engine.md ("Compensation", "Child runs") promises of a tree of runs, told from what happened in it. Pure.

Facts say what completed and when, which runs failed or were cancelled, and what was undone; `broken_promises` says in
words which of the promises do not hold.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple

Key = tuple[str, str]
"""A run and its step: what an idempotency key is made of."""


@dataclass(frozen=True)
class StepFact:
    """`at`: when it ended, as `place` in the order of history. `is_unknown`: nobody knows whether it did its work."""

    status: str
    at: float
    place: int
    is_unknown: bool = False


class Undoing(NamedTuple):
    """When a compensation began and was settled, in the order of history, and by the plan of which run."""

    began: int
    ended: int
    given_up: bool
    driver: str


@dataclass
class RunFact:
    """`failed`, `cancelled`: how its last life closed; `undoes`: what it did is to be undone then; `ended` when it was
    over, in the order of history: what child runs that are resumed by themselves do afterwards is theirs.

    `undoings`: by step. `nodes`, `edges`: as its definition has them; `together`: branches are undone at the same time.
    """

    id: str
    status: str
    nodes: Sequence[Mapping[str, Any]]
    edges: Sequence[Mapping[str, Any]]
    together: bool
    failed: bool
    cancelled: bool
    undoes: bool
    ended: int
    steps: dict[str, StepFact] = field(default_factory=dict)
    children: dict[str, list["RunFact"]] = field(default_factory=dict)
    undoings: dict[str, Undoing] = field(default_factory=dict)

    def every(self) -> Iterator["RunFact"]:
        """The run and all below it."""
        yield self
        for runs in self.children.values():
            for run in runs:
                yield from run.every()

    @property
    def undoable(self) -> dict[str, Mapping[str, Any]]:
        """The steps with a compensation."""
        return {node["id"]: node for node in self.nodes if node.get("compensate")}

    def was_done(self, node: str) -> bool:
        """Whether a step counts as done when its run is undone."""
        step = self.steps.get(node)
        if step is None:
            return False
        if step.status == "COMPLETED":
            return True
        content = any(run.can_undo for run in self.children.get(node, ()))
        return step.is_unknown and not content and self.undoable[node].get("compensate_on_unknown", True)

    @property
    def can_undo(self) -> bool:
        """Whether something of it, or of a run below, has a compensation."""
        return any(run.undoable for run in self.every())

    def replaces(self, node: str) -> bool:
        """Whether a container completed and is undone by a compensation of its own, instead of its content."""
        return node in self.undoable and node in self.children and self.was_done(node)

    def behind(self, node: str) -> set[str]:
        """All steps to which ways lead from this one."""
        found: set[str] = set()
        to_visit = [node]
        while to_visit:
            source = to_visit.pop()
            targets = {edge["to"] for edge in self.edges if edge["from"] == source}
            of_timers = (one.get("boundary_timers") or () for one in self.nodes if one["id"] == source)
            targets |= {timer["to"] for timers in of_timers for timer in timers}
            to_visit += targets - found
            found |= targets
        return found


def to_undo(run: RunFact, until: int = 0) -> set[Key]:
    """All that must have been undone when everything is over; `until`: when a run above has undone its tree."""
    until = max(until, run.ended if run.undoes else 0)
    found = {(run.id, node) for node in run.undoable if run.was_done(node) and run.steps[node].place <= until}
    for node, runs in run.children.items():
        for child in runs:
            found |= to_undo(child, 0 if run.replaces(node) else until)
    return found


class _Unit(NamedTuple):
    """Compensations that are undone as one: of what did not complete first, then the last completed."""

    is_open: bool
    at: float
    run: RunFact
    node: str
    keys: frozenset[Key]

    @property
    def rank(self) -> tuple[bool, float]:
        return self.is_open, self.at


class Order(NamedTuple):
    """Pairs of which one must be settled before the other begins, and pairs that may not overlap."""

    before: set[tuple[Key, Key]]
    apart: set[tuple[Key, Key]]


def order_of(driver: RunFact, plan: set[Key]) -> Order:
    """The order in which a run must undo these."""
    order = Order(set(), set())
    _in_sequence(order, _units(order, driver, plan))
    return order


def _units(order: Order, run: RunFact, plan: set[Key]) -> list[_Unit]:
    units: list[_Unit] = []
    for node in (one["id"] for one in run.nodes):
        if (run.id, node) in plan:
            units.append(_Unit(False, run.steps[node].at, run, node, frozenset({(run.id, node)})))
        elif node in run.children and (unit := _content(order, run, node, plan)):
            units.append(unit)
    if not run.together or not units:
        return units
    for one in units:
        behind = run.behind(one.node)
        for other in units:
            if other.node in behind:
                _link(order.before, other, one)
    last = max(units, key=lambda unit: unit.rank)
    return [last._replace(node="", keys=frozenset().union(*(unit.keys for unit in units)))]


def _content(order: Order, run: RunFact, node: str, plan: set[Key]) -> _Unit | None:
    of_children = [units for child in run.children[node] if (units := _units(order, child, plan))]
    if not of_children:
        return None
    if run.together:
        for units in of_children:
            _in_sequence(order, units)
    every = [unit for units in of_children for unit in units]
    if not run.together:
        _in_sequence(order, every)
    step = run.steps.get(node)
    is_open = step is None or step.status != "COMPLETED"
    at = max(unit.at for unit in every) if is_open or step is None else step.at
    return _Unit(is_open, at, run, node, frozenset().union(*(unit.keys for unit in every)))


def _in_sequence(order: Order, units: Sequence[_Unit]) -> None:
    for one, other in combinations(units, 2):
        first, then = (one, other) if one.rank > other.rank else (other, one)
        if one.rank == other.rank:
            _link(order.apart, one, other)
            if one.run is not other.run:
                continue
            if other.node in one.run.behind(one.node):
                first, then = other, one
            elif one.node in one.run.behind(other.node):
                first, then = one, other
            else:
                continue
        _link(order.before, first, then)


def _link(pairs: set[tuple[Key, Key]], first: _Unit, then: _Unit) -> None:
    pairs |= {(one, other) for one in first.keys for other in then.keys}


def statuses(run: RunFact) -> set[str]:
    """How a run may have ended."""
    undoings = [one for each in run.every() for one in each.undoings.values()]
    drivers = {one.driver for one in undoings}
    is_undone = run.id in drivers or bool(drivers - {each.id for each in run.every()})
    gave_up = any(one.given_up for one in undoings)
    if run.failed:
        return {"FAILED"} if gave_up or not is_undone else {"COMPENSATED"}
    if run.cancelled and not gave_up:
        return {"CANCELLED"}
    if run.cancelled:
        return {"FAILED"} if is_undone else {"CANCELLED", "FAILED"}
    if is_undone:
        return {"FAILED"} if gave_up else {"COMPENSATED"}
    return {"COMPLETED", "CONTINUED"}


def broken_promises(root: RunFact) -> list[str]:
    """What does not hold of this tree, in words."""
    return [*_left(root), *_misplaced(root), *_of_drivers(root, ()), *_misnamed(root)]


def _left(root: RunFact) -> Iterator[str]:
    wanted = to_undo(root)
    found = {(run.id, node) for run in root.every() for node in run.undoings}
    for run, node in sorted(wanted - found):
        yield f"{run}/{node} was done and is not undone"
    for run, node in sorted(found - wanted):
        yield f"{run}/{node} is undone, and nothing asked for that"


def _misplaced(root: RunFact) -> Iterator[str]:
    undoings = {(run.id, node): one for run in root.every() for node, one in run.undoings.items()}
    for driver in root.every():
        plan = {key for key, one in undoings.items() if one.driver == driver.id}
        order = order_of(driver, plan)
        for first, then in sorted(order.before):
            if undoings[first].ended > undoings[then].began:
                yield f"{then} was undone before {first} was settled"
        for one, other in sorted(order.apart):
            a, b = undoings[one], undoings[other]
            if a.ended > b.began and b.ended > a.began:
                yield f"{one} and {other} were undone at the same time"


def _of_drivers(run: RunFact, above: tuple[RunFact, ...]) -> Iterator[str]:
    """The plan of a run is one that it, or a run above it, may make; and whatever is below is over by then."""
    way = (*above, run)
    drivers = {one.id: one for one in way}
    for node, undoing in run.undoings.items():
        if undoing.driver not in drivers or not drivers[undoing.driver].undoes:
            yield f"{run.id}/{node} was undone by {undoing.driver}, which undoes nothing"
    own = [one for each in run.every() for one in each.undoings.values() if one.driver == run.id]
    for child in (child for runs in run.children.values() for child in runs):
        theirs = [
            one
            for each in child.every()
            for one in each.undoings.values()
            if one.driver in {below.id for below in child.every()}
        ]
        if own and theirs and max(one.ended for one in theirs) > min(one.began for one in own):
            yield f"{run.id} undid something before {child.id} was over"
        yield from _of_drivers(child, way)


def _misnamed(root: RunFact) -> Iterator[str]:
    for run in root.every():
        if run.status not in (allowed := statuses(run)):
            yield f"{run.id} is {run.status}, and not {' or '.join(sorted(allowed))}"
