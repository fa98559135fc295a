"""What the attempts at a step have said."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from uuid import UUID

from django.db.models import QuerySet

from engine.catalogue import Json
from runs.limits import STEP_LOG_LINES
from runs.models import StepLog


@dataclass(frozen=True, slots=True)
class SaidOfAttempt:
    """What an attempt has said, its lines in order; `left_out`: how many more there were, which are not kept."""

    attempt: int
    lines: list[StepLog] = field(default_factory=list)
    left_out: int = 0


def lines_of(tenant: int, run_id: UUID, node: str, index: int | None = None) -> QuerySet[StepLog]:
    """All lines of a step, or of an item of a container; unordered."""
    return StepLog.objects.for_tenant(tenant).filter(run_id=run_id, node=node, index=index)


def said_by(
    tenant: int, run_id: UUID, node: str, index: int | None = None, until: datetime | None = None
) -> list[SaidOfAttempt]:
    """The last lines of a step by attempt, the first one first; `until`: those that were said by then."""
    lines = lines_of(tenant, run_id, node, index)
    if until is not None:
        lines = lines.filter(at__lte=until)
    return by_attempt(lines.order_by("-id")[:STEP_LOG_LINES])


def by_attempt(lines: Iterable[StepLog]) -> list[SaidOfAttempt]:
    """Lines, the newest first, by the attempts that have said them."""
    # Another step of that name, of a run that was begun anew from there, counts its attempts from the start.
    attempts: list[SaidOfAttempt] = []
    oldest_first = sorted(lines, key=lambda line: line.id)
    first: dict[tuple[UUID, int], int] = {}
    for line in oldest_first:
        first.setdefault(_attempt(line), line.id)
    ordered = sorted(oldest_first, key=lambda line: (first[_attempt(line)], line.seq))
    for _, group in groupby(ordered, key=_attempt):
        rows = [*group]
        log_lines = [line for line in rows if line.more is None]
        attempts.append(SaidOfAttempt(rows[0].attempt, log_lines, sum(line.more or 0 for line in rows)))
    return attempts


def _attempt(line: StepLog) -> tuple[UUID, int]:
    return line.step_id, line.epoch


def log_row(line: StepLog) -> dict[str, Json]:
    """A line as programs are given it."""
    return {
        "id": line.id,
        "attempt": line.attempt,
        "seq": line.seq,
        "at": line.at,
        "level": line.level,
        "text": line.text,
        "left_out": line.more or 0,
    }
