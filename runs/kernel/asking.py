"""Steps that have failed and ask an operator what becomes of that: their dead letters, and what they waited for before.

Who calls has their runs alone.
"""

from collections.abc import Sequence

from lib.uuid7 import uuid7
from runs.kernel import wait_kinds
from runs.kernel.plan import Planned, runs_of
from runs.store import failing, hot, waits
from runs.store.attempts import SkippedByOperator, TimerFired


def tell(plans: Sequence[Planned]) -> None:
    """Of these endings, which were written, tell of steps that ask from now on, and of those that ask no more."""
    if begun := [planned for planned in plans if planned.asks]:
        _begin(begun)
    if askers := [planned for planned in plans if _may_have_asked(planned)]:
        steps = [planned.step.id for planned in askers]
        failing.settle_questions(runs_of(askers), steps, resolution="discarded")


def _begin(plans: Sequence[Planned]) -> None:
    hot.insert_dead_letters([{"id": uuid7(), "step_id": planned.step.id} for planned in plans])
    fired = {planned.result.timer for planned in plans if planned.result.timer}
    steps = [planned.step.id for planned in plans]
    waits.settle_timers(runs_of(plans), steps, fired, of_waits=True)
    wait_kinds.waits_ended(runs_of(plans))


def _may_have_asked(planned: Planned) -> bool:
    """Whether a timer or an operator has ended a step that asks when it has failed."""
    if planned.graph is None or not isinstance(planned.result, TimerFired | SkippedByOperator):
        return False
    return planned.graph.step(planned.step.node, planned.step.index).asks
