"""The statements that count the runs of trees, as typed functions (SQL in `sql/tree_counts.sql`)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypedDict

from runs.store.hot import SQL, document

SLOTS = 8
"""In so many rows the runs of a tree are counted."""


class TreeCountRow(TypedDict):
    """Runs that a tree starts, counted in a slot (`count_runs`)."""

    tenant_id: int
    tree_id: str
    slot: int
    runs: int


class TreeRow(TypedDict):
    """A tree whose counts are locked (`lock_counts`)."""

    tenant_id: int
    tree_id: str


class Counts(NamedTuple):
    """By tree, how many runs were started, and how many are open that others wait for."""

    started: Mapping[str, int]
    open: Mapping[str, int]


def count_runs(counts: Sequence[TreeCountRow]) -> None:
    """Count runs that trees start; each slot of a tree once."""
    SQL.execute("count_runs", {"counts": document(counts)})


def lock_counts(trees: Iterable[tuple[int, str]]) -> None:
    """Let nobody else count runs of these trees, each with its tenant, before the transaction ends."""
    rows: list[TreeRow] = [{"tenant_id": tenant, "tree_id": tree} for tenant, tree in sorted(trees)]
    SQL.execute("lock_counts", {"trees": document(rows), "slots": SLOTS})


def tree_counts(counts: Iterable[str], trees: Iterable[str], *, most: int) -> Counts:
    """What was started in these counts, and is open in these trees; no more than `most` are counted as open."""
    params = {"counts": sorted(counts), "trees": sorted(trees), "most": most}
    return Counts(*SQL.value("tree_counts", params))
