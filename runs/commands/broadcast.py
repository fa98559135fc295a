"""One signal for every open run that it concerns: by workflow, business key and what its input has (R-131).

A part is done at a time, and what is asked again with the same `signal_id` and goes on behind `next` sends no run the
signal twice: so a caller who was cut off begins anew.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q, QuerySet

from accounts import audit
from accounts.principal import Principal
from accounts.roles import OPERATE, RUNS_SIGNAL
from engine.catalogue import Json
from engine.statuses import RUN_OPEN
from lib.english import counted
from lib.refusals import Invalid
from runs.access import readable_runs
from runs.commands.signals import NewSignal, send_signals
from runs.kernel.refused import RunRefused, storable
from runs.limits import BROADCAST_RUNS, SIGNAL_BYTES
from runs.models import Run
from runs.reading import queries
from runs.reading.inputs import BYTES, holds, inputs_beside
from workflows.access import guard_workflow

TOGETHER = 50
"""So many in one transaction, which has them all alone."""
LOOKED_AT, LOOKED_AT_BYTES = 5_000, 16 * 1024 * 1024
"""Through so many runs, and so much of inputs as stored, a call looks for values at most: no index has them."""


@dataclass(frozen=True, slots=True)
class Concerned:
    """Which runs a signal is for; what is None doesn't matter. `input`: what an input has at least, objects within
    objects, the values as they are.
    """

    workflow: str | None = None
    business_key: str | None = None
    input: dict[str, Json] | None = None


@dataclass(frozen=True, slots=True)
class Broadcast:
    """What became of a part: who was sent it, who had it before, who refused it; where to go on, if there are more."""

    sent: Sequence[str]
    duplicates: Sequence[str]
    refused: Mapping[str, RunRefused]
    next: str | None


def broadcast(
    who: Principal,
    signal: NewSignal,
    concerned: Concerned,
    *,
    after: UUID | None = None,
    reason: str | None = None,
) -> Broadcast:
    """Send open runs that it concerns a signal, the oldest first, behind `after`; no test runs and no child runs: their
    waits are found by the root of their tree.

    Runs that they may not operate are left out. Raises Missing and Forbidden where the workflow is not theirs to
    signal, Invalid where nothing says whom it concerns, RunRefused for a payload that can't be kept.
    """
    who.require(RUNS_SIGNAL)
    if concerned == Concerned():
        raise Invalid("Name `workflow`, `business_key` or `input`.", code="required", field="workflow")
    if concerned.workflow is not None:
        guard_workflow(who, RUNS_SIGNAL, concerned.workflow)
    storable(signal.payload, "payload", max_bytes=SIGNAL_BYTES)
    runs, following = _part(who, concerned, after)
    sent: list[str] = []
    duplicates: list[str] = []
    refused: dict[str, RunRefused] = {}
    for start in range(0, len(runs), TOGETHER):
        _send(who, signal, runs[start : start + TOGETHER], sent, duplicates, refused)
    if sent:
        audit.record(
            who, "signal", f"{signal.name} ({signal.signal_id}) to {counted(len(sent), 'run')}", reason=reason
        )
    return Broadcast(sent, duplicates, refused, following)


def _send(
    who: Principal,
    signal: NewSignal,
    runs: Sequence[str],
    sent: list[str],
    duplicates: list[str],
    refused: dict[str, RunRefused],
) -> None:
    try:
        became = send_signals(who.tenant_id, [(run, signal) for run in runs], by=who.username)
    except RunRefused as why:
        if len(runs) == 1:
            refused[runs[0]] = why
            return
        # One has ended meanwhile, or had another message of this id: none was sent it.
        for run in runs:
            _send(who, signal, [run], sent, duplicates, refused)
        return
    for run, one in zip(runs, became, strict=True):
        (sent if one.is_new else duplicates).append(run)


def _part(who: Principal, concerned: Concerned, after: UUID | None) -> tuple[list[str], str | None]:
    """The next runs that it concerns, and behind which run it goes on, if there are more to look at."""
    mine = readable_runs(who, OPERATE)
    open_runs = queries.runs_of(
        who.tenant_id,
        workflow=concerned.workflow,
        business_key=concerned.business_key,
        statuses=sorted(RUN_OPEN),
        within=mine if after is None else mine.filter(id__gt=after),
    )
    # A signal to a root finds the waits of the runs below it.
    runs = open_runs.filter(completed_at=None, tree_id=None).order_by("id")
    if concerned.input is None:
        return _cut(runs.values_list("id", flat=True)[: BROADCAST_RUNS + 1])
    looked_at, is_all = _looked_at(runs)
    if not looked_at:
        return [], None
    among = runs.filter(pk__in=looked_at)
    beside = [run for run, value in inputs_beside(among) if holds(value, concerned.input)]
    has = among.filter(Q(input__contains=concerned.input) | Q(pk__in=beside))
    fitting, following = _cut(has.values_list("id", flat=True)[: BROADCAST_RUNS + 1])
    return fitting, following or (None if is_all else str(looked_at[-1]))


def _cut(ids: Iterable[UUID]) -> tuple[list[str], str | None]:
    runs = [str(run) for run in ids]
    return runs[:BROADCAST_RUNS], runs[BROADCAST_RUNS - 1] if len(runs) > BROADCAST_RUNS else None


def _looked_at(runs: QuerySet[Run]) -> tuple[list[UUID], bool]:
    """The first runs through whose inputs one call looks, and whether there are none behind them."""
    rows = list(runs.annotate(size=BYTES).values_list("id", "size")[: LOOKED_AT + 1])
    looked_at: list[UUID] = []
    read = 0
    for run, size in rows[:LOOKED_AT]:
        # The first one always, so that each call gets on.
        if looked_at and read + size > LOOKED_AT_BYTES:
            break
        looked_at.append(run)
        read += size
    return looked_at, len(looked_at) == len(rows)
