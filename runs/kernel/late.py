"""Results that came too late: kept in history as evidence of what was worked out, and applied to nothing.

An evidence event tells no state: `history.fold` passes it over, and it may stand behind the end of its run.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass

import orjson
import psycopg
from django.db import Error

from engine.catalogue import Json
from engine.errors import StepError
from lib.database_errors import is_away
from runs.limits import LATE_ERROR_CHARACTERS
from runs.store import hot
from runs.store.rows import LateRow
from steps.base import storable
from steps.limits import MAX_OUTPUT_BYTES

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LateResult:
    """What an attempt at a step gave when the step was not its any more: an output, or an error.

    `epoch` is that of the attempt; `worker`: who had it, None where history knows.
    """

    step: str
    epoch: int
    reason: str
    output: Json = None
    error: Json = None
    worker: str | None = None

    def row(self) -> LateRow:
        """As the statement takes it; an output that could not be kept is told by why."""
        row: LateRow = {
            "step_id": self.step,
            "epoch": self.epoch,
            "reason": self.reason,
            "worker": self.worker,
        }
        if self.error is not None:
            row["error"] = {
                name: str(self.error.get(name))[:LATE_ERROR_CHARACTERS] for name in ("code", "message")
            }
            return row
        try:
            encoded = storable(self.output, "output", code="BadOutput", max_bytes=MAX_OUTPUT_BYTES)
            row["output"] = orjson.Fragment(encoded)
        except StepError as why:
            row["error"] = {"code": why.code, "message": why.message[:LATE_ERROR_CHARACTERS]}
        return row


def keep(results: Iterable[LateResult]) -> None:
    """Keep late results in the histories of their runs. Never raises what the database raises: evidence that can't be
    written must not hold up what can.
    """
    results = list(results)
    if not results:
        return
    try:
        hot.keep_late_results([result.row() for result in results])
    except (psycopg.Error, Error, hot.Unstorable) as error:
        if len(results) > 1 and not is_away(error):
            for result in results:
                keep([result])
            return
        log.warning("Late results of %d steps could not be kept", len(results), exc_info=True)
