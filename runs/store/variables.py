"""The statements about variables of runs as typed functions (SQL in `sql/variables.sql`)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, TypedDict

from engine.catalogue import Json
from lib.clock import now_or_none
from runs.store.hot import SQL, document


class VariableRow(TypedDict):
    """A variable that a step sets, after `place` others of that name (`set_variables`)."""

    run_id: str
    node: str
    name: str
    value: Json
    index: int | None
    place: int
    beside: list[str]


class AssignedRow(TypedDict):
    """What a step sets of its run's variables at once, for history (`set_variables`)."""

    ordinal: int
    run_id: str
    node: str
    index: int | None
    given: Mapping[str, Json]
    beside: Mapping[str, Json] | None


class Writer(NamedTuple):
    """A step that has set a variable; `child`: which child of a container did so last, `place`: among all writers."""

    run: str
    name: str
    node: str
    child: int | None
    place: int


def writers(names: Iterable[tuple[str, str]]) -> list[Writer]:
    """Who has set these variables (run, name), the first one first."""
    rows = [{"run_id": run, "name": name} for run, name in sorted(names)]
    return [Writer(*row) for row in SQL.value("writers", {"names": document(rows)})]


def count_variables(runs: Collection[str]) -> dict[str, int]:
    """How many variables each of the runs has that has any."""
    return dict(SQL.execute("count_variables", {"runs": sorted(runs)}).fetchall())


def set_variables(rows: Sequence[VariableRow], events: Sequence[AssignedRow]) -> None:
    """Set variables of runs that are held alone, each step once for each name, and say so in their history."""
    params = {"rows": document(rows), "events": document(events), "now": now_or_none()}
    SQL.execute("set_variables", params)


def copy_variables(run: str, steps: Iterable[str]) -> None:
    """Give a run what these steps of another one have set, of which it keeps what they did."""
    SQL.execute("copy_variables", {"run": run, "steps": sorted(steps)})
