"""The ways out of a step as named ports, and which of its edges each port takes. Pure.

The engine, the validator, the pages and the preview all ask here, so that what is shown is what happens.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, Literal, Protocol, TypeVar

from engine.catalogue import Json, StepSpec

EdgeKind = Literal["always", "branch", "when", "default", "error", "timer"]
PortKind = Literal["outcome", "otherwise", "failed", "deadline"]

RULES: Final = 3
"""The rules of versions that are published now; the number is stored with each version.

1: an outcome of a person for which no edge is there is an error. A join is skipped as soon as it can't fire any more.
2: the outcome ends its path. A join is skipped once all of its edges are decided, and a run with no other end fails.
3: params have today's defaults; those of versions before are kept by their step types (`StepSpec.defaults_by`).
"""


class Way(Protocol):
    """An edge or a boundary timer, compiled or as written."""

    @property
    def kind(self) -> EdgeKind: ...
    @property
    def branch(self) -> str | None: ...
    @property
    def target(self) -> str: ...


AnyWay = TypeVar("AnyWay", bound=Way)


@dataclass(frozen=True, slots=True)
class Written:
    """A way as a definition has it; `index` is the place of the edge, or of the timer in its node."""

    index: int
    kind: EdgeKind
    target: str
    branch: str | None = None


@dataclass(frozen=True, slots=True)
class Port(Generic[AnyWay]):
    """One way in which a step can end. `takes`: the edges that it takes; `may_take`: those that conditions decide.

    Without any of them the path ends there. `name` is the outcome; other kinds have none.
    """

    kind: PortKind
    name: str
    takes: tuple[AnyWay, ...] = ()
    may_take: tuple[AnyWay, ...] = ()

    @property
    def ends(self) -> bool:
        """Whether nothing follows."""
        return not self.takes and not self.may_take


def kind_of(edge: Mapping[str, Json]) -> EdgeKind:
    """When an edge of a definition is taken."""
    if edge.get("on") == "error":
        return "error"
    if edge.get("branch") is not None:
        return "branch"
    if edge.get("when") is not None:
        return "when"
    return "default" if edge.get("default") else "always"


def outcomes_of(spec: StepSpec, params: Mapping[str, Json]) -> tuple[str, ...] | None:
    """The outcomes of a step, in their order; empty where only a run knows them, None of a type that has none."""
    properties = (spec.output_schema(params) or {}).get("properties", {})
    branch = properties.get("branch") if isinstance(properties, Mapping) else None
    names = branch.get("enum", ()) if isinstance(branch, Mapping) else ()
    known = tuple(name for name in names if isinstance(name, str))
    return known if known or spec.asks_people else None


def parts_by_outcome(spec: StepSpec, outcomes: tuple[str, ...] | None) -> bool:
    """Whether an edge after the step must say which outcome takes it: people choose among several."""
    return spec.asks_people and outcomes is not None and len(outcomes) != 1


def followed(
    ways: Iterable[AnyWay], branch: Json, holds: Callable[[AnyWay], bool], *, first_only: bool = False
) -> Iterator[AnyWay]:
    """The success edges that are taken when a step ends with `branch`; a default where no condition holds.

    `holds` decides `when` edges; `first_only` is how a decision goes on.
    """
    matched, defaults = False, []
    for way in ways:
        if way.kind in ("error", "timer"):
            continue
        if way.kind == "default":
            defaults.append(way)
            continue
        if not (way.branch == branch if way.kind == "branch" else way.kind == "always" or holds(way)):
            continue
        yield way
        if first_only:
            return
        matched = matched or way.kind != "always"
    if not matched:
        yield from defaults[:1] if first_only else defaults


def port_of(ways: Sequence[AnyWay], outcome: str) -> Port[AnyWay]:
    """What follows one outcome of a step that doesn't decide."""
    conditions = [way for way in ways if way.kind == "when"]
    sure = list(followed(ways, outcome, lambda way: False))
    defaults = [way for way in sure if way.kind == "default"] if conditions else []
    takes = tuple(way for way in sure if way not in defaults)
    return Port("outcome", outcome, takes, tuple(way for way in ways if way in [*conditions, *defaults]))


def ports_of(ways: Sequence[AnyWay], outcomes: Sequence[str]) -> list[Port[AnyWay]]:
    """The ports of a step with these outcomes, in the order in which they are shown.

    Outcomes that are known only in a run meet in `otherwise`; a step without failure edge or timer has no such port.
    """
    ports = [port_of(ways, name) for name in outcomes]
    of_kind = {kind: tuple(way for way in ways if way.kind == kind) for kind in ("default", "timer", "error")}
    if not outcomes and of_kind["default"]:
        ports.append(Port("otherwise", "", of_kind["default"]))
    ports += [Port("deadline", "", (way,)) for way in of_kind["timer"]]
    return [*ports, *([Port("failed", "", of_kind["error"])] if of_kind["error"] else [])]


def written_ways(node: Mapping[str, Json], edges: Iterable[Json]) -> list[Written]:
    """The ways out of a node of a definition, of whatever quality."""
    leaving = [
        Written(index, kind_of(edge), edge["to"], edge.get("branch"))
        for index, edge in enumerate(edges)
        if isinstance(edge, Mapping)
        and edge.get("from") == node.get("id")
        and isinstance(edge.get("to"), str)
    ]
    timers = node.get("boundary_timers")
    return leaving + [
        Written(index, "timer", timer["to"])
        for index, timer in enumerate(timers if isinstance(timers, list) else ())
        if isinstance(timer, Mapping) and isinstance(timer.get("to"), str)
    ]
