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


def changed_below():
    """Child runs of which a person says what they give, which is approved behind that."""
    member("ann", "admin")
    nap = {"id": "nap", "type": "signal", "params": {"name": "go"}}
    child = make.a_version(make.graph([nap], [])).workflow
    sub = {"id": "sub", "type": "subworkflow", "params": {"workflow": child.name}}
    ask = {"id": "ask", "type": "human.approval", "params": {"title": "Pay?"}}
    pay = {"id": "pay", "type": "text.clean", "input": "{{ steps.sub.output.text }}"}
    edges = [{"from": "ask", "to": "sub", "branch": "approved"}, "sub>pay"]
    return skip_below, (make.a_tenant().pk, make.start(make.graph([ask, sub, pay], edges), {}, {}))


def skip_below(tenant: int, runs: Sequence[str]) -> None:
    """Approve what is asked, say what the runs below give, and approve that."""
    victim.drain()
    _decide(tenant, runs)
    for run in runs:
        for below in make.children_of(run):
            with suppress(RunRefused, Refusal):
                operators.skip_step(tenant, str(below.pk), "nap", {"text": "x"}, by="test", who=_ann(tenant))
    victim.drain()
    _decide(tenant, runs)


def _ann(tenant: int) -> Principal:
    return Principal(tenant, "default", 1, "ann", ADMIN, SCOPES, "command", reach=EVERYWHERE)


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
    ann = _ann(tenant)
    for task in ManualTask.objects.for_tenant(tenant).filter(run_id__in=runs, status=OPEN):
        with suppress(Refusal, RunRefused):
            deciding.complete_task(ann, task.pk, Decision("approved", seen=presentation.hash_of(task, "ann")))
    victim.drain()
