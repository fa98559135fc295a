"""The statements of the check of ended runs as typed functions (SQL in `sql/history_checks.sql`)."""

from collections.abc import Collection, Sequence
from typing import NamedTuple, TypedDict

from lib.clock import now_or_none
from runs.store.hot import SQL, document


class DifferenceRow(TypedDict):
    """A run that differs from its history (`note_history_check`): how often, and how first."""

    run_id: str
    tenant_id: int
    workflow_id: int
    differences: int
    detail: str


class RunToCheck(NamedTuple):
    """A run, whether it is over, and how many events its history has; of a very long one, that these are too many.

    `workflow_id` is 0 where the run is gone, and only its history or a seal is left.
    """

    id: str
    tenant_id: int
    workflow_id: int
    is_over: bool
    events: int


def begin(seconds: float) -> str | None:
    """The id of the last run that was looked at; None while the check rests, a round at most each `seconds`."""
    row = SQL.execute("begin_history_check", {"seconds": seconds, "now": now_or_none()}).fetchone()
    return None if row is None else str(row[0])


def next_runs(after: str, *, limit: int, events: int, most: int) -> list[RunToCheck]:
    """The runs behind this one, up to so many `events` in all; of a run `most` + 1 are counted."""
    params = {"after": after, "limit": limit, "events": events, "most": most, "now": now_or_none()}
    return [RunToCheck(*row) for row in SQL.value("runs_to_check", params)]


def gone(after: str, *, limit: int, tenant: int | None = None) -> tuple[str | None, list[str]]:
    """Of the `limit` runs behind this one that history or a seal names those that are gone; and the last run that was
    looked at, None where that is all."""
    last, runs = SQL.value("runs_gone", {"after": after, "limit": limit, "tenant": tenant})
    return last, runs


def note(
    after: str | None, *, checked: Collection[str], found: Sequence[DifferenceRow], left_out: int
) -> None:
    """These runs were checked, of which these differ; the check has come to the run `after`, or (None) to the end."""
    params = {"after": after, "checked": sorted(checked), "found": document(found), "left_out": left_out}
    SQL.execute("note_history_check", params | {"now": now_or_none()})
