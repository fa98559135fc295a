"""The rows that statements take as one JSON document: what stands between a plan and its SQL, with types.

Each class has the columns of its `jsonb_to_recordset`, by name (`tests/store/test_rows.py`); a key that is left out is
NULL.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TypedDict

from engine.catalogue import Json


class EndedBy(StrEnum):
    """Who ends a step; nobody named: the worker that holds it. It decides in which statuses the step may be."""

    LEASE = "lease"
    """Its lease ran out; the write asks the clock again."""
    WAIT = "wait"
    """What it waited for has come, or its time is over."""
    TIMER = "timer"
    """A boundary timer interrupts it, or nobody began it in time."""
    OPERATOR = "operator"
    """A person passes it by."""
    REOPENING = "reopening"
    """It completed while its run was failing: only its edges are resolved."""


class EndedRow(TypedDict, total=False):
    """The end of a step's attempt, and of the step where it is over (`advance`).

    `final`: its run completes with its output. `pending`: its edges stay unresolved. `sinks`: how many sinks fall with
    it. `waiting`: for whom it waits now, as it has failed and asks. `anchor`: by what the rows that follow from it name
    it, if not by its id.
    """

    id: str
    epoch: int
    status: str
    output: Json
    error: Mapping[str, Json] | None
    taken: Sequence[str]
    sinks: int
    final: bool
    delay: float
    held: bool
    pending: bool
    cause: str | None
    by: EndedBy
    said: Mapping[str, Json] | None
    usage: Json
    waiting: Mapping[str, Json]
    anchor: str


ASKS: Mapping[str, Json] = {"kind": "operator", "source": "person"}
"""What a step waits for that has failed and asks an operator what becomes of that."""


class AnchorRow(TypedDict):
    """A cause that is not an ended step: a started run, or a join that fired (`advance`)."""

    id: str
    run_id: str
    tenant_id: int
    shard: int
    version_id: int
    sinks: int


class StepRow(TypedDict, total=False):
    """A step to create; `after` is its cause (`advance`)."""

    after: str
    ordinal: int
    id: str
    node: str
    type: str
    queue: str
    priority: int
    status: str
    held: bool
    lease_seconds: int
    timeout_seconds: int | None
    input: Json
    input_from: str
    output: Json
    error: Mapping[str, Json] | None
    taken: Sequence[str]
    cause: str | None
    said: Mapping[str, Json] | None
    fired: Sequence[str]
    revision: int


class ArrivalRow(TypedDict):
    """An edge that reached a join (`advance`)."""

    after: str
    ordinal: int
    node: str
    source: str
    taken: bool


class ContainerRow(TypedDict, total=False):
    """A container that begins to wait for its children; without `items` it has begun before (`open_containers`)."""

    step_id: str
    anew: bool
    rounds: bool
    items: list[Json]
    at_once: int
    tolerated: int


class ChildEndsRow(TypedDict):
    """How many of a container's children are over now, and have failed (`count_children`)."""

    run_id: str
    node: str
    ended: int
    failed: int


class OpeningRow(TypedDict):
    """The next children of a container, one for each of `ids`, as its body says (`open_children`)."""

    run_id: str
    node: str
    ids: list[str]
    type: str
    queue: str
    priority: int | None
    lease_seconds: int
    timeout_seconds: int | None


class RoundRow(OpeningRow):
    """The next round of a loop (`open_rounds`)."""

    index: int
    input: Json


class DecidedRow(TypedDict):
    """A join that is decided, and the sources whose outputs it is given (`fire_joins`)."""

    run_id: str
    node: str
    sources: list[str]


class FinishedRow(TypedDict, total=False):
    """A run whose sinks are resolved, and the workflow of which a run follows it (`finish_runs`)."""

    run_id: str
    output: Json
    next: str | None


class ScopeRow(TypedDict):
    """What expressions read of a run: these nodes, or `every` one, and its variables (`read_scope`)."""

    run_id: str
    nodes: list[str]
    every: bool
    vars: bool


class ClosingRow(TypedDict, total=False):
    """A run that fails or is cancelled; `undo`: what it did is undone then (`close_runs`)."""

    run_id: str
    status: str
    error: Mapping[str, Json] | None
    undo: bool
    payload: Mapping[str, Json]


class JoinsRow(TypedDict):
    """The strict joins and the sinks of a run (`joins_never_fired`)."""

    run_id: str
    joins: Sequence[str]
    sinks: Sequence[str]


class NotedRow(TypedDict):
    """A failure that a run goes on beside (`note_failures`)."""

    run_id: str
    error: Mapping[str, Json]


class LetterRow(TypedDict):
    """A dead letter to write for a step (`insert_dead_letters`)."""

    id: str
    step_id: str


class BeatRow(TypedDict, total=False):
    """A step whose lease is renewed (`heartbeat`)."""

    id: str
    epoch: int
    progress: Json


class LeaseRow(TypedDict):
    """A step whose lease was taken just now and lasts otherwise (`set_leases`)."""

    id: str
    epoch: int


class ReturnedRow(TypedDict):
    """A step that goes back to its queue (`hand_back`)."""

    id: str
    epoch: int
    held: bool


class GivenRow(TypedDict):
    """What a worker says that a step gave (`gave`); `sha256`: of what would be kept beside the database."""

    place: int
    step_id: str
    output: Json
    sha256: str | None


class LateRow(TypedDict, total=False):
    """A result that came too late (`keep_late_results`)."""

    step_id: str
    epoch: int
    reason: str
    worker: str | None
    output: Json
    error: Json


class CompensationRow(TypedDict):
    """A node that can be undone, and the step that would (`next_compensations`)."""

    run_id: str
    id: str
    node: str
    undo: str
    unknown: bool
    type: str
    queue: str
    priority: int | None
    lease_seconds: int
    timeout_seconds: int | None


class KeyRow(TypedDict):
    """A business key that a new run claims (`claim_keys`)."""

    business_key: str
    run_id: str
    ordinal: int


class InputRow(TypedDict):
    """What an existing run's input is compared with (`other_inputs`); `sha256` as in `GivenRow`."""

    place: int
    run_id: str
    input: Json
    sha256: str | None
    by: str
    is_filed: bool


class RunRow(TypedDict, total=False):
    """A run to create (`insert_runs`)."""

    id: str
    shard: int
    business_key: str | None
    input: Json
    rerun_of: str
    said: Mapping[str, Json]
    parent_id: str
    parent_step_id: str
    depth: int
    follows: str
    chained: int
    counted_in: str
    root: str
    tree: str
    place: Sequence[tuple[str, int | None]]
    traceparent: str
    tracestate: str | None


class ChildWaitRow(TypedDict):
    """A step, and the run that it waits for (`child_states`)."""

    step_id: str
    chain: str


class FormerWaitRow(TypedDict):
    """A step that begins to wait for a run (`former_children`), of a workflow or, as a `part`, of an item's steps."""

    step_id: str
    run_id: str
    node: str
    index: int | None
    input: Json
    part: bool
    workflow: str | None
    version: int | None


class AgainRow(TypedDict):
    """A step, and the run that it waits for once more (`resume_children`)."""

    step_id: str
    child: str


class RepairRow(TypedDict):
    """Something that was stuck (`note_repairs`)."""

    tenant_id: int
    run_id: str
    life: int
    node: str | None
    index: int | None
    what: str
    done: bool
    detail: str


class CountedRow(TypedDict):
    """What a join has counted, as history has it (`mend_run`)."""

    node: str
    arrived: int
    taken: list[str]
    fired: bool


class WaitRow(TypedDict, total=False):
    """A step that begins to wait, with its timer if it has one (`enter_waits`)."""

    id: str
    epoch: int
    wait: Mapping[str, Json]
    usage: Json
    timer_id: str
    timer: str
    seconds: float
    until: str


class TimerRow(TypedDict):
    """A boundary timer to arm (`arm_timers`); without a target: by then the step must have begun. `calendar`: the id
    and revision of that by which it was counted.
    """

    id: str
    step_id: str
    target: str | None
    interrupting: bool
    seconds: float
    calendar: Mapping[str, int] | None


class LimitRow(TypedDict):
    """How long a step may wait for its beginning: of a step (`limit_again`), or by its timer (`unbegun`)."""

    id: str
    seconds: float


class QueuedRow(TypedDict):
    """A step that is queued, with what the version that it moves to says of its claims."""

    id: str
    queue: str
    priority: int | None
    lease_seconds: int
    timeout_seconds: int | None
