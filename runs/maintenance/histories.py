"""The check of all ended runs: seals against history and history against rows, in turn (docs/engine.md, "History").

A pass takes about half a second, in statements that read a few runs each and no transaction; the next one goes on where
it ended, in whichever process. What differs is kept until the run is as it should be again: an alert tells of it.
"""

import logging
import time
from collections.abc import Iterable, Sequence
from itertools import groupby

from lib.database_errors import OPERATIONAL_ERRORS, is_away
from lib.messages import first_line
from runs.integrity.compare import Difference
from runs.integrity.verify import verify
from runs.limits import DIFFERENCE_CHARACTERS, HISTORY_BATCHES, VERIFIED_EVENTS
from runs.store import history_checks
from runs.store.history_checks import DifferenceRow, RunToCheck

log = logging.getLogger("handoff.history")

TICK_SECONDS = 0.5
ROUND_SECONDS = 3600.0
"""A round begins no sooner after the one before: a small installation isn't read all the time."""
BATCH = 100
BATCH_EVENTS = 2_000


def check(seconds: float = TICK_SECONDS) -> int:
    """Check ended runs behind the last ones for at most `seconds`; gives how many were checked."""
    after = history_checks.begin(ROUND_SECONDS)
    until, count = time.monotonic() + seconds, 0
    for _ in range(HISTORY_BATCHES):
        if after is None or (count and time.monotonic() >= until):
            break
        runs = history_checks.next_runs(after, limit=BATCH, events=BATCH_EVENTS, most=VERIFIED_EVENTS)
        after = runs[-1].id if runs else None
        count += _check(runs, after)
    return count


def _check(runs: Sequence[RunToCheck], after: str | None) -> int:
    due = {one.id: one for one in runs if one.is_over}
    short = [run for run, one in due.items() if one.events <= VERIFIED_EVENTS]
    differences, unread = _differences(short) if short else ([], set[str]())
    rows = [_row(due[run], list(some)) for run, some in groupby(differences, key=_run_of)]
    checked = set(short) - unread
    if rows:
        log.error("%d runs differ from their history, such as %s", len(rows), rows[0]["run_id"])
    history_checks.note(after, checked=checked, found=rows, left_out=len(due) - len(checked))
    return len(checked)


def _differences(runs: Sequence[str]) -> tuple[list[Difference], set[str]]:
    """What is wrong with these runs, and those that could not be read in time. What nobody can read differs.

    Raises what a database that is away raises.
    """
    try:
        return list(verify(runs)), set()
    except Exception as error:
        if is_away(error):
            raise
        if len(runs) > 1:
            return _united(_differences([run]) for run in runs)
        if isinstance(error, OPERATIONAL_ERRORS):
            return [], set(runs)
        log.exception("The history of run %s can't be checked", runs[0])
        return [Difference(runs[0], None, "history", "readable", first_line(error))], set()


def _united(results: Iterable[tuple[list[Difference], set[str]]]) -> tuple[list[Difference], set[str]]:
    differences, unread = list[Difference](), set[str]()
    for some, others in results:
        differences += some
        unread |= others
    return differences, unread


def _run_of(one: Difference) -> str:
    return one.run


def _row(run: RunToCheck, differences: Sequence[Difference]) -> DifferenceRow:
    return {
        "run_id": run.id,
        "tenant_id": run.tenant_id,
        "workflow_id": run.workflow_id,
        "differences": len(differences),
        "detail": _detail(differences[0]),
    }


def _detail(one: Difference) -> str:
    where = f"{one.node}: " if one.node else ""
    return f"{where}{one.field}: expected {one.expected}, found {one.actual}"[:DIFFERENCE_CHARACTERS]
