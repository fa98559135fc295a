"""The statements of runs that go on beside a failure, by their other branches (SQL in `closing.sql`)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from engine.catalogue import Json
from engine.graph import Graph
from lib.clock import now_or_none
from runs.store.hot import SQL, document
from runs.store.rows import JoinsRow, NotedRow


class AtItsEnd(NamedTuple):
    """A run with a noted failure in which nothing is left to go on."""

    run: str
    error: Json


def note_failures(failures: Sequence[NotedRow]) -> None:
    """Keep with open runs, held FOR UPDATE, what failed of them first."""
    SQL.execute("note_failures", {"runs": document(failures)})


def settle_questions(runs: Iterable[str], steps: Iterable[str], *, resolution: str) -> None:
    """Resolve the dead letters of steps that had failed and asked what becomes of that."""
    params = {"runs": sorted(runs), "steps": sorted(steps), "resolution": resolution}
    SQL.execute("settle_questions", {**params, "now": now_or_none()})


def joins_never_fired(graphs: Mapping[str, Graph]) -> dict[str, str]:
    """Of these runs, whose sinks are resolved, those in which none has run, with a join that was skipped although an
    edge into it was taken.
    """
    rows: list[JoinsRow] = [
        {"run_id": run, "joins": joins, "sinks": graph.sinks}
        for run, graph in sorted(graphs.items())
        if (joins := graph.strict_joins)
    ]
    return dict(SQL.value("joins_never_fired", {"runs": document(rows)})) if rows else {}


def at_their_end(runs: Iterable[str]) -> list[AtItsEnd]:
    """Those of these runs that have a noted failure and nothing left that could go on."""
    return [AtItsEnd(*row) for row in SQL.value("runs_at_their_end", {"runs": sorted(runs)})]
