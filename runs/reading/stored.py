"""Runs with their steps as the database gives them, in one statement; of single ones for callers that come together."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple
from uuid import UUID

from engine.catalogue import Json
from lib.blobs import BlobError
from lib.gathering import Gathered
from lib.stored_json import stored_loads
from runs.limits import STATEMENT_RUNS
from runs.reading.run_view import COLUMNS
from runs.store import hot, payloads
from runs.store.references import MARK
from steps.catalogue import EXECUTABLE


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many bytes of JSON are shown at most of each payload of a run (`own`), of each of its steps (`each`), and of
    those of all steps together (`total`); None: any number.

    `over`: of the steps that are over and didn't fail only the one of this node is shown with its values; None: each.
    """

    own: int | None
    each: int | None
    total: int | None
    over: str | None = None


WHOLE = Bounds(None, None, None)
ONE_RUN = Bounds(None, 256 * 1024, 4 * 1024 * 1024)
LISTED = Bounds(4 * 1024, 4 * 1024, 4 * 1024 * 1024)
NOTHING = Bounds(0, 0, 0)

_BEGIN_RUNS = [name for name, spec in EXECUTABLE.items() if spec.begins_run]
CONTAINERS = [name for name, spec in EXECUTABLE.items() if spec.collects is not None]
LOOPS = [name for name, spec in EXECUTABLE.items() if spec.conditions]


class StepRead(NamedTuple):
    """A step, and what is told with it."""

    id: str
    node: str
    place: int | None
    status: str
    attempt: int
    held: bool
    queue: str
    worker: str | None
    has_error: bool
    available_at: str
    lease_expires_at: str | None
    queued_at: str
    started_at: str | None
    completed_at: str | None
    waiting: Json
    is_listened: bool | None
    kept_from: str | None
    cause: str | None
    heartbeat_at: str | None
    child_run: str | None
    items: list[int] | None
    payloads: list[list[Json]]


class RunRead(NamedTuple):
    """A run, and what is told with it, as `show_runs` names it. `shown`: the columns that are shown as they are."""

    id: str
    version_id: int
    status: str
    business_key: str | None
    created_by: str
    created_at: str
    completed_at: str | None
    parent: str | None
    tree: str | None
    place: Sequence[tuple[str, int | None]] | None
    follows: str | None
    continues: str | None
    continued_as: str | None
    is_test: bool
    sla_deadline: str | None
    sla_paused_at: str | None
    sla_paused_seconds: float
    traceparent: str | None
    is_late: bool | None
    is_near: bool
    forecast: list[Json] | None
    variables: list[list[Json]] | None
    payloads: list[list[Json]]
    steps: list[StepRead]
    shown: dict[str, Json]


_FIELDS = itemgetter(*RunRead._fields)


def _run_read(text: str) -> RunRead:
    row = stored_loads(text)
    row["steps"] = [StepRead(*step) for step in row["steps"]]
    row["shown"] = {name: row[name] for name in COLUMNS}
    return RunRead._make(_FIELDS(row))


def _read_each(kind: tuple[int, Bounds], runs: Sequence[str]) -> list[RunRead | None]:
    """For each of the runs of a tenant what there is of it, as if it were read by itself; in one statement."""
    tenant, bounds = kind
    by_id = {run.id: run for run in read_runs(tenant, sorted({*runs}), bounds, apart=True)}
    return [by_id.get(run) for run in runs]


_read_together = Gathered(_read_each, most=STATEMENT_RUNS, reads=True)


def read_run(tenant: int, run: str, bounds: Bounds) -> RunRead | None:
    """One run; None where the tenant has none of this id. Callers that come together ask in one statement."""
    if bounds.total is None:
        return _read_each((tenant, bounds), [run])[0]
    return _read_together((tenant, bounds), run)


def read_runs(
    tenant: int,
    runs: Sequence[UUID | str],
    bounds: Bounds,
    *,
    node: str | None = None,
    items: bool = False,
    indexes: Sequence[int] | None = None,
    apart: bool = False,
) -> list[RunRead]:
    """Those of these runs that the tenant has: with a step for each node, or with those of one `node`, of `items` too.

    `apart`: each has as much room for payloads as if it were read alone.
    """
    rows = hot.show_runs(
        tenant=tenant,
        runs=[str(run) for run in runs],
        own=bounds.own,
        each=bounds.each,
        total=bounds.total,
        over=bounds.over,
        apart=apart,
        node=node,
        items=items,
        indexes=None if indexes is None else list(indexes),
        variables=bounds.own is None and indexes is None,
        begin_runs=_BEGIN_RUNS,
        containers=CONTAINERS,
        loops=LOOPS,
    )
    read = [_run_read(row) for row in rows]
    if any(_MARK in row for row in rows):
        for together in [[run] for run in read] if apart else [read]:
            _Room(bounds).fill(tenant, together)
    return read


_MARK = MARK.decode()


class _Room:
    """What is kept beside the database is read into what is shown as long as there is room for it."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._left = bounds.total

    def fill(self, tenant: int, runs: Sequence[RunRead]) -> None:
        """Put payloads in the places of their references: of steps the errors first, then outputs, inputs, progress."""
        for run in runs:
            run.payloads[:] = [self._filled(tenant, payload, self._bounds.own) for payload in run.payloads]
        of_steps = [
            (payload, step.payloads) for run in runs for step in run.steps for payload in step.payloads
        ]
        for payload, those in sorted(of_steps, key=lambda one: int(one[0][0])):
            those[those.index(payload)] = self._filled(tenant, payload, self._bounds.each, counts=True)

    def _filled(
        self, tenant: int, payload: list[Json], most: int | None, *, counts: bool = False
    ) -> list[Json]:
        """A payload (rank, value, size if it is left out, why it can't be read) with all that belongs to it."""
        rank, value, *_ = payload
        if not payloads.has_references(value):
            return payload
        size = payloads.size_of(value)
        if (most is not None and size > most) or (counts and self._left is not None and size > self._left):
            return [rank, None, size]
        if counts and self._left is not None:
            self._left -= size
        try:
            return [rank, payloads.whole(tenant, value), None]
        except BlobError as error:
            return [rank, None, size, error.message]
