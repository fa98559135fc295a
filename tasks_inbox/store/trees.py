"""The statements of tasks over the runs of a tree as typed functions (SQL in `sql/trees.sql`)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple
from uuid import UUID

from engine.catalogue import Json
from tasks_inbox.store.statements import SQL


class LastDecision(NamedTuple):
    """The last decision at a step of a run, or below it in the round or `item`; `total`: how many items there are."""

    run: str
    version_id: int
    node: str
    item: int | None
    is_below: bool
    outcomes: list[Json]
    outcome: str
    decided_at: str
    total: int | None


def last_decisions(tenant: int, runs: Sequence[str], for_operators: Sequence[str]) -> list[LastDecision]:
    """The last decision at each step of these runs, which no step started; tasks `for_operators` don't count."""
    params = {"tenant": tenant, "runs": list(runs), "for_operators": list(for_operators)}
    return [LastDecision(*row) for row in SQL.value("last_decisions", params)]


@dataclass(frozen=True, slots=True)
class Inside:
    """A container of a run, or one item of it; or these `runs` alone."""

    run: UUID | str | None = None
    node: str | None = None
    index: int | None = None
    runs: Sequence[str] = ()


class Questions(NamedTuple):
    """What is asked inside a container: how many tasks are `open`, the `first` of them (task, run, step), why one of
    them bars somebody (None: none does), the `versions` of the runs below, and whether something has not begun.
    """

    open: int
    first: list[tuple[str, str, str]]
    barred: str | None
    versions: list[int]
    unbegun: bool


def _params(place: Inside) -> dict[str, Json]:
    return asdict(place) | {"runs": list(place.runs)}


def questions_inside(place: Inside, key: str, *, most: int) -> Questions:
    """What is asked inside a container whose run is held, and what of it bars whose name has this key."""
    row = SQL.value("questions_inside", {**_params(place), "key": key, "most": most})
    return Questions(**row)


def is_undecided_inside(place: Inside, nodes: Mapping[int, Sequence[str]]) -> bool:
    """Whether one of these steps, by the ids of their versions, is not over in a run below a container."""
    pairs = [(version, node) for version, names in nodes.items() for node in names]
    params = {"versions": [version for version, _ in pairs], "nodes": [node for _, node in pairs]}
    return bool(pairs) and bool(SQL.value("is_undecided_inside", {**_params(place), **params}))


def askers(runs: Iterable[str]) -> dict[str, list[str]]:
    """Who asked for each of these runs, and for whom: of runs above, before and rerun as well."""
    run_ids = sorted(runs)
    return dict(SQL.value("askers", {"runs": run_ids})) if run_ids else {}


def decided_around(runs: Iterable[str], besides: tuple[str, str] | None = None) -> dict[str, list[str]]:
    """Who has decided something in each of these runs or in one above or below it, in person or through somebody else.

    What was decided at the step `besides` (run, node) does not count, in whichever round.
    """
    run, node = besides or (None, None)
    params = {"runs": sorted(runs), "run": run, "node": node}
    return dict(SQL.value("decided_around", params)) if params["runs"] else {}


def decided_inside(place: Inside) -> list[str]:
    """Who has decided something in the runs below a container that go on for it, in its own, or in one above."""
    return list(SQL.value("decided_inside", _params(place)))
