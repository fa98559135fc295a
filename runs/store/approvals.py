"""The statements of approvals as typed functions (SQL in `sql/approvals.sql`)."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypedDict

from engine.catalogue import Json
from lib.clock import now_or_none
from runs.store.hot import SQL, document


class ApprovalRow(TypedDict):
    """A decision that covers steps; those of the decision `base`, and its uses, stay (`insert_approvals`)."""

    id: str
    tenant_id: int
    run_id: str
    shard: int
    step_id: str
    node: str
    outcome: Json
    digest: str
    covers: Mapping[str, Json]
    base: str | None


class BeginningRow(TypedDict):
    """A step that begins, the steps whose decisions may cover it, and all steps before it (`approvals_of_steps`)."""

    step: str
    run_id: str
    node: str
    deciders: Sequence[str]
    before: Sequence[str]


class UseRow(TypedDict):
    """A step that begins by an approval (`use_approvals`)."""

    tenant_id: int
    approval_id: str
    node: str
    run_id: str
    shard: int


class Standing(NamedTuple):
    """The newest decision of `decider` as it stands to the step `step`.

    `entry`: what it says of it; None: nothing. `used_by`: the run in which it has begun by it. `changed`: the steps
    before it that a person has changed since.
    """

    step: str
    decider: str
    decider_step: str
    id: str
    outcome: Json
    digest: str
    entry: Mapping[str, Json] | None
    used_by: str | None
    changed: Sequence[str]


def insert(rows: Sequence[ApprovalRow]) -> None:
    """Write decisions whose runs are held FOR UPDATE."""
    SQL.execute("insert_approvals", {"approvals": document(rows), "now": now_or_none()})


def of_steps(rows: Sequence[BeginningRow]) -> list[Standing]:
    """The decisions that stand to these steps."""
    return [Standing(*row) for row in SQL.value("approvals_of_steps", {"steps": document(rows)})]


def last_change(run: str) -> tuple[str, str] | None:
    """Who was the last to change what a run does, and why."""
    row = SQL.value("last_change", {"run": run})
    return None if row is None else (row[0], row[1])


def use(rows: Sequence[UseRow]) -> dict[tuple[str, str], str]:
    """Note which steps begin by which approvals; gives by approval and step the run whose use it is."""
    uses = SQL.value("use_approvals", {"uses": document(rows), "now": now_or_none()})
    return {(approval, node): run for approval, node, run in uses}


def of_run(run: str) -> list[tuple[str, list[tuple[str, bool]]]]:
    """The steps whose decisions cover steps of a run that are not over, with these, and whether each waits."""
    rows = SQL.value("approvals_of_run", {"run": run})
    return [(node, [(name, begun) for name, begun in steps]) for node, steps in rows]


def covered_above(run: str) -> tuple[str, str, str] | None:
    """The nearest run above this one in which a decision covers what leads down to it, who decided, and that step."""
    row = SQL.value("covered_above", {"run": run})
    return None if row is None else (row[0], row[1], row[2])
