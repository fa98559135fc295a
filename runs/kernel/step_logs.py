"""What attempts say on their way, kept with how they end; where they say nothing it costs no statement."""

from collections.abc import Iterable

from runs.store import step_logs
from runs.store.attempts import ClaimedStep
from runs.store.step_logs import LogRow
from steps.attempt_log import AttemptLog

LogCounts = list[tuple[AttemptLog, int]]
"""Logs, and how many of what each had said were written."""


def write(steps: Iterable[ClaimedStep]) -> LogCounts:
    """Write what these have said that is not kept yet, within the caller's transaction; `keep` after its commit."""
    counts: LogCounts = []
    rows: list[LogRow] = []
    for step in steps:
        if step.log is None or not step.log.has_news:
            continue
        lines, count = step.log.news()
        counts.append((step.log, count))
        for line in lines:
            rows.append(
                {
                    "place": len(rows),
                    "step_id": step.id,
                    "epoch": step.epoch,
                    "attempt": max(step.attempt, 1),
                    "seq": line.seq,
                    "at": line.at.isoformat() if line.at else None,
                    "level": line.level,
                    "text": line.text,
                }
            )
    if rows:
        step_logs.keep_log(rows)
    return counts


def keep(counts: LogCounts) -> None:
    """What was written is committed: it need not be written again."""
    for log, count in counts:
        log.keep(count)
