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

    `id`: None where nothing is written of it; then `output` is what the decider gave. `entry`: what it says of the
    step; None: nothing. `at`: when it was decided. `use`: whether the step has begun by it in the run or in one that
    the run goes on for ("own"), in "other" runs, or in "none". `changed`: the steps before it that a person has changed
    since.
    """

    step: str
    decider: str
    decider_step: str
    id: str | None
    outcome: Json
    digest: str
    entry: Mapping[str, Json] | None
    at: str
    output: Json
    use: str
    changed: Sequence[str]


class PersonalChange(NamedTuple):
    """Who has changed what a run does, and why; `node`: the step, None where it is the run as a whole."""

    by: str
    reason: str
    node: str | None


def insert(rows: Sequence[ApprovalRow]) -> None:
    """Write decisions whose runs are held FOR UPDATE."""
    SQL.execute("insert_approvals", {"approvals": document(rows), "now": now_or_none()})


def of_steps(rows: Sequence[BeginningRow]) -> list[Standing]:
    """The decisions that stand to these steps."""
    return [Standing(*row) for row in SQL.value("approvals_of_steps", {"steps": document(rows)})]


def mark_changed(run: str) -> None:
    """Note that a person changes what a run, which is held FOR UPDATE, does, if it is below another one."""
    SQL.execute("mark_changed", {"run": run, "now": now_or_none()})


def changes_since(run: str, since: str) -> list[PersonalChange]:
    """What people have changed of what a run does since a moment, in their order.

    Also below it, and in the runs that it is a rerun of.
    """
    return [PersonalChange(*row) for row in SQL.value("changes_since", {"run": run, "since": since})]


def use(rows: Sequence[UseRow]) -> dict[tuple[str, str], str]:
    """Note which steps begin by which approvals; gives by approval and step the run whose use it is."""
    uses = SQL.value("use_approvals", {"uses": document(rows), "now": now_or_none()})
    return {(approval, node): run for approval, node, run in uses}


def of_run(run: str, types: Sequence[str]) -> list[tuple[str, list[tuple[str, bool]]]]:
    """The steps, of these types, whose decisions cover steps of a run that are not over, with these, and whether each
    waits.
    """
    rows = SQL.value("approvals_of_run", {"run": run, "types": [*types]})
    return [(node, [(name, begun) for name, begun in steps]) for node, steps in rows]


def covered_above(run: str, types: Sequence[str], node: str | None = None) -> tuple[str, str, str] | None:
    """The nearest run above this one in which a decision of a step of these types covers what leads down to it, that
    step, and the one that is covered; with a `node`, as of what is below that step of the run.
    """
    row = SQL.value("covered_above", {"run": run, "types": [*types], "node": node})
    return None if row is None else (row[0], row[1], row[2])
