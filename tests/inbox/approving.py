"""What tests of approvals share: a payment that a person approves, and those who do the jobs."""

from accounts.principal import EVERYWHERE, Principal
from accounts.roles import ADMIN, SCOPES
from engine.overrides import RerunWith
from runs.commands import job_reports, jobs, operators
from tasks_inbox.actions import deciding
from tasks_inbox.actions.decision import Decision
from tasks_inbox.evidence import presentation
from tests import factories as make
from tests.inbox.asking import task_of

JOB = {"type": "job", "queue": "pay", "retry": "none"}
PAY = {
    "id": "pay",
    **JOB,
    "params": {"amount": "{{ input.amount }}"},
    "input": {"amount": "{{ input.amount }}"},
}
ASK = {
    "id": "ask",
    "type": "human.approval",
    "params": {"title": "Pay {{ input.amount }}?", "due_seconds": 60},
}
WAYS = [{"from": "ask", "to": "pay", "branch": "approved"}, {"from": "ask", "to": "no", "branch": "rejected"}]
PAYMENT = make.graph([ASK, PAY, "no"], WAYS)
NAP = {"id": "nap", "type": "signal", "params": {"name": "go"}}


def decide(who, run, outcome="approved", comment="It is so."):
    task = task_of(run)
    assert task.status == "OPEN", task
    decision = Decision(outcome, comment=comment, seen=presentation.hash_of(task, who.username))
    deciding.complete_task(who, task.pk, decision)
    make.work()
    return task


def poll(queue="pay"):
    claimed = jobs.poll(tenant=make.a_tenant().pk, worker="w", queues=[queue], max_jobs=1)
    return claimed[0] if claimed else None


def fail(job):
    say = {"tenant": make.a_tenant().pk, "job": job.step.id, "lease_token": job.lease_token}
    job_reports.fail(**say, code="Boom", message="It went wrong.", retryable=False)


def complete(job, output):
    say = {"tenant": make.a_tenant().pk, "job": job.step.id, "lease_token": job.lease_token}
    assert job_reports.complete(**say, output=output).applied
    make.work()


def begun(definition, who, amount=10):
    (run,) = make.start(definition, {"amount": amount})
    make.work()
    if who is not None:
        decide(who, run)
    return run


def edit(run, node, value, by="test"):
    operators.retry_step(make.a_tenant().pk, run, node, override=RerunWith(value), by=by, reason="because")


def pass_on(run, node, output, by="test"):
    who = Principal(make.a_tenant().pk, "default", 1, by, ADMIN, SCOPES, "command", reach=EVERYWHERE)
    operators.skip_step(make.a_tenant().pk, run, node, output, by=by, reason="because", who=who)
    make.work()
