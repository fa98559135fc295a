"""Steps that were withheld because they would do something else than people had approved: the next decision has them
begin, or fail (docs/security.md, "Approved = executed").
"""

from collections.abc import Mapping

from engine.catalogue import Json
from runs.commands.targets import requeue
from runs.kernel import approvals, scopes
from runs.kernel.unit_of_work import Change
from runs.store.attempts import AttemptResult, ClaimedStep, Succeeded
from runs.workers.beginning import not_approved


def is_withheld(wait: Mapping[str, Json]) -> bool:
    """Whether a step that waits for people has done so since it would do what they have not approved."""
    return "approves" in wait


def decide(
    change: Change, step: ClaimedStep, wait: Mapping[str, Json], result: AttemptResult, *, by: str
) -> None:
    """Have a withheld step begin, where it was decided as before, or fail. The caller has its run alone.

    What it would do is computed anew: where that is not what was shown, it is asked about once more.
    """
    withheld = wait["approves"]
    outcome = result.output["branch"] if isinstance(result, Succeeded) else None
    if outcome != withheld["outcome"]:
        why = f"{withheld['decider']} was decided otherwise: {outcome}."
        change.transition.wake([(step, not_approved(step, why))], change.locked)
        return
    scopes.load([step])
    if step.unreadable is None and approvals.described_now(step).digest == withheld["digest"]:
        approvals.renew(step, withheld, outcome)
    change.queues |= requeue(step, None, {"by": by, "reason": f"Approved as it is: {withheld['decider']}."})
