"""The statements of approvals as typed functions (SQL in `sql/approvals.sql`)."""

from collections.abc import Iterable, Mapping, Sequence
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
    """A step that begins, and the steps whose decisions may cover it (`approvals_of_steps`)."""

    step: str
    run_id: str
    node: str
    deciders: Sequence[str]


class UseRow(TypedDict):
    """A step that begins by an approval (`use_approvals`)."""

    tenant_id: int
    approval_id: str
    node: str
    run_id: str
    shard: int


class Standing(NamedTuple):
    """The newest decision of `decider` as it stands to the step `step`, written in the run `run`.

    `id`: None where nothing is written of it; then `output` is what the decider gave. `entry`: what it says of the
    step; None: nothing. `at`: when that was decided, in the approval `origin`. `use`: whether the step has begun by it
    in the run or in one that the run goes on for ("own"), in "other" runs, or in "none". `is_changed`: whether a person
    may have changed something since. `times`: when it was decided about each step that it covers.
    """

    step: str
    decider: str
    decider_step: str
    id: str | None
    run: str | None
    outcome: Json
    digest: str
    entry: Mapping[str, Json] | None
    at: str
    output: Json
    origin: str | None
    use: str
    is_changed: bool
    times: Mapping[str, str] | None


class PersonalChange(NamedTuple):
    """Who has changed what a run does, and why.

    `node`: the step that was changed, or that leads down to what was; None: the run as a whole. `is_other`: whether it
    was given, or gives, anything else by that. `is_input`: it is the input of the step itself. `is_rerun`: it is that
    from which a rerun began.
    """

    by: str
    reason: str
    node: str | None
    is_other: bool
    is_input: bool
    is_rerun: bool
    at: str


class Above(NamedTuple):
    """A run above another one in which a decision of the step `decider` covers what leads down.

    `way`: the steps from below up to the covered one, each with the version of its run.
    """

    run: str
    decider: str
    way: Sequence[tuple[int, str | None]]


def insert(rows: Sequence[ApprovalRow]) -> None:
    """Write decisions whose runs are held FOR UPDATE."""
    SQL.execute("insert_approvals", {"approvals": document(rows), "now": now_or_none()})


def of_steps(rows: Sequence[BeginningRow]) -> list[Standing]:
    """The decisions that stand to these steps."""
    return [Standing(*row) for row in SQL.value("approvals_of_steps", {"steps": document(rows)})]


def mark_changed(runs: Iterable[str]) -> None:
    """Note that people change what these runs do, which are held FOR UPDATE."""
    SQL.execute("mark_changed", {"runs": [*runs], "now": now_or_none()})


def changes_since(run: str, since: str) -> list[PersonalChange]:
    """What people have changed of what a run does since a moment, in their order.

    Also below it, and in the runs that it is a rerun of.
    """
    return [PersonalChange(*row) for row in SQL.value("changes_since", {"run": run, "since": since})]


def use(rows: Sequence[UseRow]) -> dict[tuple[str, str], str]:
    """Note which steps begin by which approvals; gives by approval and step the run whose use it is."""
    uses = SQL.value("use_approvals", {"uses": document(rows), "now": now_or_none()})
    return {(approval, node): run for approval, node, run in uses}


def of_run(run: str, types: Sequence[str]) -> list[tuple[str, str, Mapping[str, str | None]]]:
    """The steps, of these types, whose decisions cover others: what was decided, and these with their statuses."""
    return [(*row,) for row in SQL.value("approvals_of_run", {"run": run, "types": [*types]})]


def covered_above(run: str, types: Sequence[str], node: str | None, *, least: int) -> Above | None:
    """The nearest run, `least` levels above this one or more, in which a decision of a step of these types covers what
    leads down to the step `node` of the run, or to the run as a whole.
    """
    row = SQL.value("covered_above", {"run": run, "types": [*types], "node": node, "least": least})
    return None if row is None else Above(row[0], row[1], [(version, step) for version, step in row[2]])
