"""The statements of runs that go on as new ones, as typed functions (SQL in `sql/continuing.sql`)."""

from typing import NamedTuple

from lib.clock import now_or_none
from runs.store.hot import SQL


class Rest(NamedTuple):
    """A loop between two rounds; `is_quiet`: nothing else of its run is open, and no timer runs."""

    node: str
    is_quiet: bool


def at_rest(run: str, step: str) -> Rest | None:
    """How a loop rests whose run is held FOR UPDATE; None where it waits no more, or a round of it is open."""
    row = SQL.value("loop_at_rest", {"run": run, "step": step})
    return None if row is None else Rest(*row)


def end_as_continued(run: str, step: str, follower: str) -> None:
    """End a run that goes on as `follower`; it is held FOR UPDATE."""
    SQL.execute("end_as_continued", {"run": run, "step": step, "follower": follower, "now": now_or_none()})


def carry(run: str, follower: str, node: str) -> None:
    """Hand on what the loop has come to, the deadline, and whose request it is."""
    SQL.execute("carry_over", {"run": run, "follower": follower, "node": node, "now": now_or_none()})
