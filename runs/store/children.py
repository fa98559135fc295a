"""The statements of containers and their children as typed functions (SQL in `sql/children.sql`)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.catalogue import Json
from engine.containers import Counts
from engine.statuses import STEP_OPEN
from lib.clock import now_or_none
from runs.store.attempts import ClaimedStep, claimed_of
from runs.store.hot import SQL, document
from runs.store.rows import ChildEndsRow, ContainerRow, OpeningRow, RoundRow
from runs.store.waits import LostWait

Container = tuple[str, str]
"""A container's run and node."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A container that is over: `results` of its children in their order, None where they are too much together.

    `first`: place and error of the first child that failed.
    """

    step: ClaimedStep
    total: int
    tolerated: int
    failed: int
    results: list[Json] | None
    first: tuple[int, dict[str, Json]] | None


@dataclass(frozen=True, slots=True)
class Round:
    """The last round of a loop that waits: `most` there may be, and `count` there are to be if that is said.

    `is_long`: the history of its run is, and nothing else of the run is open.
    """

    step: ClaimedStep
    most: int
    count: int | None
    index: int
    output: Json
    error: dict[str, Json] | None
    is_long: bool


def open_containers(containers: Sequence[ContainerRow]) -> dict[Container, Counts]:
    """Let containers, in runs that are held FOR UPDATE, begin to count their children."""
    params = {"containers": document(containers), "now": now_or_none()}
    return _counts(SQL.value("open_containers", params))


def count_children(ends: Sequence[ChildEndsRow]) -> dict[Container, Counts]:
    """Count children that are over; their containers' rows are locked from now on."""
    return _counts(SQL.value("count_children", {"ends": document(ends)}))


def open_children(opening: Sequence[OpeningRow]) -> set[str]:
    """Queue as many of the next children as there are ids; gives the queues that have work."""
    return set(SQL.value("open_children", {"opening": document(opening), "now": now_or_none()}))


def containers_over(containers: Iterable[Container], *, most: int) -> list[Finished]:
    """Those of the containers that wait, with what their children gave: at most so many bytes of each."""
    rows = [{"run_id": run, "node": node} for run, node in sorted(containers)]
    rows_over = SQL.value("containers_over", {"containers": document(rows), "most": most})
    return [Finished(step, *columns) for step, columns in map(claimed_of, rows_over)]


def last_rounds(containers: Iterable[Container], *, each: int, most_events: int) -> list[Round]:
    """Those of the containers that are loops and wait, each with its last round; after each so many of them it is asked
    whether history has `most_events`.
    """
    rows = [{"run_id": run, "node": node} for run, node in sorted(containers)]
    params = {"containers": document(rows), "each": each, "most_events": most_events}
    return [Round(step, *columns) for step, columns in map(claimed_of, SQL.value("last_rounds", params))]


def ask_to_continue(steps: Iterable[str]) -> None:
    """Ask for loops, whose runs are held FOR UPDATE, that these go on as new ones."""
    SQL.execute("ask_to_continue", {"steps": sorted(steps), "now": now_or_none()})


def open_rounds(opening: Sequence[RoundRow]) -> set[str]:
    """Queue the next rounds of loops, whose runs are held FOR UPDATE; gives the queues that have work."""
    return set(SQL.value("open_rounds", {"opening": document(opening), "now": now_or_none()}))


def cancel_children(runs: Iterable[str]) -> None:
    """Cancel what is open of containers that wait no more, in runs held FOR UPDATE that go on."""
    params = {
        "runs": sorted(runs),
        "cause": "container ended",
        "statuses": sorted(STEP_OPEN),
        "now": now_or_none(),
    }
    SQL.execute("cancel_children", params)


def containers_without_children(runs: Iterable[str]) -> list[LostWait]:
    """Containers of these runs that wait for no child: run, tenant, life, node."""
    return [LostWait(*row) for row in SQL.value("containers_without_children", {"runs": sorted(runs)})]


def _counts(rows: Sequence[Sequence[Json]]) -> dict[Container, Counts]:
    return {(run, node): Counts(*counts) for run, node, *counts in rows}


class Inner(NamedTuple):
    """How a step within a container stands over all items: how many at which status, and how many items there are.

    `version`: that of the run which has the containers. `cut`: there are more parts than were counted.
    `first`, `failed`: the run in which it completed first, or failed first, and the places of the items on the way
    there. `undone`: of how many items its compensation is done.
    """

    container: str
    node: str
    version: int
    counts: dict[str, int]
    total: int | None
    cut: bool
    first: tuple[str, list[int]] | None
    failed: tuple[str, list[int]] | None
    undone: int


def inner_steps(tenant: int, run: str, *, loops: Sequence[str], most: int) -> list[Inner]:
    """How the steps within the containers of a run stand, of up to `most` parts of it; `loops`: the types of loops."""
    params = {"tenant": tenant, "run": run, "loops": list(loops), "most": most}
    return [Inner(*row) for row in SQL.value("inner_steps", params)]
