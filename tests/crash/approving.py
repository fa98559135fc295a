"""A worker dies while a step begins that people have approved, or have not."""

from collections.abc import Sequence
from contextlib import suppress

from accounts.principal import EVERYWHERE, Principal
from accounts.roles import ADMIN, SCOPES
from engine.overrides import RerunWith
from lib.refusals import Refusal
from runs.commands import operators
from runs.kernel.refused import RunRefused
from tasks_inbox.actions import deciding
from tasks_inbox.actions.decision import Decision
from tasks_inbox.evidence import presentation
from tasks_inbox.models import OPEN, ManualTask
from tests import factories as make
from tests.crash import victim
from tests.inbox.asking import approval, member

COVERED = approval(covers=["yes"])
COVERED["nodes"][1] = {"id": "yes", "type": "text.clean", "retry": "none"}


def withheld():
    """Runs in which a step fails that was approved; it is tried again with an input that was not."""
    member("ann", "admin")
    return approve, (make.a_tenant().pk, make.start(COVERED, {"amount": 1}, {"amount": 2}))


def approve(tenant: int, runs: Sequence[str]) -> None:
    """Approve what is asked, try what fails again with another input, and approve that."""
    victim.drain()
    _decide(tenant, runs)
    for run in runs:
        with suppress(RunRefused):
            other = RerunWith({"text": "x"})
            operators.retry_step(tenant, run, "yes", override=other, despite_unknown=True, by="test")
    victim.drain()
    _decide(tenant, runs)


def _decide(tenant: int, runs: Sequence[str]) -> None:
    ann = Principal(tenant, "default", 1, "ann", ADMIN, SCOPES, "command", reach=EVERYWHERE)
    for task in ManualTask.objects.for_tenant(tenant).filter(run_id__in=runs, status=OPEN):
        with suppress(Refusal, RunRefused):
            deciding.complete_task(ann, task.pk, Decision("approved", seen=presentation.hash_of(task, "ann")))
    victim.drain()
