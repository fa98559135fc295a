"""Random changes between a decision and what it leads to, by every way that changes a run: no effect that was not shown
to who decided or given by a machine, and none twice by one decision.
"""

import random
from collections import defaultdict
from contextlib import suppress
from unittest.mock import patch

import pytest
from django.test import override_settings

from accounts.principal import EVERYWHERE, Principal
from accounts.roles import ADMIN, SCOPES
from engine.overrides import RerunWith
from lib.refusals import Refusal
from runs.commands import items, job_reports, jobs, operators
from runs.commands.items import ItemPlace
from runs.kernel import rounds
from runs.kernel.refused import RunRefused
from runs.models import Approval, Run, StepExecution
from tasks_inbox.actions import deciding
from tasks_inbox.actions.decision import Decision
from tasks_inbox.evidence import presentation
from tasks_inbox.evidence.approves import approves_of
from tasks_inbox.models import ManualTask
from tests import factories as make
from tests.inbox.asking import member
from workflows.models import Workflow

pytestmark = pytest.mark.django_db

ASK = {"id": "ask", "type": "human.approval", "params": {"title": "Pay?", "due_seconds": 60}}
TO = {"from": "ask", "branch": "approved"}


def rate(amount):
    return {"id": "rate", "type": "job", "queue": "rate", "retry": "none", "input": {"amount": amount}}


OTHERWISE = "{{ prev.rate + 1 }}"


def made(rate="{{ prev.rate }}"):
    return {"id": "made", "type": "transform", "params": {"set": {"rate": rate}}}


def pay(amount, memo="{{ input.memo }}"):
    params = {"rate": "{{ steps.made.output.rate }}", "memo": memo, "fixed": 5}
    return {
        "id": "pay",
        "type": "job",
        "queue": "pay",
        "retry": "none",
        "input": {"amount": amount},
        "params": params,
    }


def flat(amount="{{ input.amount }}", memo="{{ input.memo }}", mid="{{ prev.rate }}"):
    way = {"id": "way", "type": "decision"}
    edges = [
        {**TO, "to": "rate"},
        "rate>made",
        "made>way",
        {"from": "way", "to": "pay", "when": "steps.made.output.rate != 1"},
    ]
    return make.graph([ASK, rate(amount), made(mid), way, pay(amount, memo)], edges)


def in_item(amount="{{ item.amount }}", memo="{{ item.memo }}", mid="{{ prev.rate }}"):
    steps = [ASK, rate(amount), made(mid), pay(amount, memo)]
    further = [{"from": "rate", "to": "made"}, {"from": "made", "to": "pay"}]
    body = {"steps": steps, "edges": [{**TO, "to": "rate"}, *further]}
    return make.graph([{"id": "each", "type": "map", "params": {"items": "{{ [input] }}", "body": body}}], [])


def above_items(amount="{{ item.amount }}", memo="{{ item.memo }}", mid="{{ prev.rate }}"):
    body = {"steps": [rate(amount), made(mid), pay(amount, memo)]}
    each = {"id": "each", "type": "map", "params": {"items": "{{ [input] }}", "body": body}}
    return make.graph([ASK, each], [{**TO, "to": "each"}])


def above_rounds(amount="{{ item.amount }}", memo="{{ item.memo }}", mid="{{ prev.rate }}"):
    kept = {"id": "kept", "type": "transform", "params": {"set": {"amount": amount, "memo": memo}}}
    body = {"steps": [rate(amount), made(mid), pay(amount, memo), kept]}
    each = {"id": "each", "type": "loop", "input": "{{ input }}", "params": {"body": body, "count": 4}}
    return make.graph([ASK, each], [{**TO, "to": "each"}])


def above_workflow(amount="{{ input.amount }}", memo="{{ input.memo }}", mid="{{ prev.rate }}"):
    """The child workflow is another one than the version's: `mid` is no part of it."""
    child = (
        Workflow.objects.for_tenant(make.a_tenant().pk)
        .filter(name__startswith="graph-")
        .order_by("id")
        .first()
    )
    if child is None:
        steps = [rate("{{ input.amount }}"), made(), pay("{{ input.amount }}")]
        child = make.a_version(make.graph(steps, ["rate>made", "made>pay"])).workflow
    given = {"workflow": child.name, "input": {"amount": amount, "memo": memo}}
    return make.graph([ASK, {"id": "sub", "type": "subworkflow", "params": given}], [{**TO, "to": "sub"}])


SHAPES = {
    "flat": flat,
    "in an item": in_item,
    "above items": above_items,
    "above a workflow": above_workflow,
    "above rounds": above_rounds,
}


def scalars(value):
    if isinstance(value, dict):
        return {each for one in value.values() for each in scalars(one)}
    if isinstance(value, list):
        return {each for one in value for each in scalars(one)}
    return {value}


class Case:
    """A run, those who change and decide it, and what they know of it."""

    def __init__(self, seed, shape):
        self.random = random.Random(seed)
        self.shape = SHAPES[shape]
        self.tenant = make.a_tenant().pk
        self.admin = Principal(self.tenant, "default", 1, "test", ADMIN, SCOPES, "command", reach=EVERYWHERE)
        self.ann = member("ann", "approver")
        (self.root,) = make.start(self.shape(), {"amount": self.number(), "memo": self.number()})
        self.shown = {}
        self.machine = set()
        self.keys = defaultdict(set)
        self.log = []
        make.work()

    def number(self):
        return self.random.randrange(10**6, 10**9)

    def runs(self):
        return [
            str(one)
            for one in Run.objects.for_tenant(self.tenant).order_by("id").values_list("pk", flat=True)
        ]

    def steps(self, **at):
        return list(StepExecution.objects.for_tenant(self.tenant).filter(**at).order_by("id"))

    def decide(self):
        tasks = ManualTask.objects.for_tenant(self.tenant).filter(status="OPEN").exclude(kind="incident")
        for task in tasks.order_by("id"):
            outcome = self.random.choice(["approved", "approved", "approved", "rejected", None])
            if outcome is None:
                continue
            approves = approves_of([task]).get(task.pk)
            row = None if approves is None else approves.row()
            values = {
                step["node"]: set().union(*(scalars(value["value"]) for value in step["values"]))
                for one in (row or {"outcomes": []})["outcomes"]
                for step in one["steps"]
            }
            base = (
                self.shown.get(approves.withheld.get("approval"), {})
                if approves and approves.withheld
                else {}
            )
            seen = presentation.hash_of(task, "ann")
            deciding.complete_task(self.ann, task.pk, Decision(outcome, comment="So.", seen=seen))
            self.log.append((outcome, task.round))
            if outcome == "approved" and (newest := self.newest(task.run_id)):
                # The others stay as they were approved.
                run = Run.objects.for_tenant(self.tenant).select_related("version").get(pk=task.run_id)
                # Who decides knows the version.
                written = {OTHERWISE} if OTHERWISE in str(run.version.definition) else set()
                self.shown[newest] = {**base, **values, "version": written}

    def newest(self, run):
        approval = Approval.objects.for_tenant(self.tenant).filter(run_id=run).order_by("-id").first()
        return approval and str(approval.pk)

    def approval_of(self, job):
        """The decision by which a job was begun: its own, or that of the runs above it."""
        if job.step.approval is not None:
            return job.step.approval[0]
        run = Run.objects.for_tenant(self.tenant).get(pk=job.step.run_id)
        while run.parent_id is not None:
            run = Run.objects.for_tenant(self.tenant).get(pk=run.parent_id)
            for ask in self.steps(run_id=run.pk, node="ask"):
                while ask is not None:
                    if newest := self.newest(ask.run_id):
                        return newest
                    ask = next(iter(self.steps(pk=ask.kept_from)), None) if ask.kept_from else None
        return None

    def is_left(self, run):
        """Whether no step waits for a child run any more."""
        row = Run.objects.for_tenant(self.tenant).get(pk=run)
        return (
            row.parent_id is not None
            and not self.steps(pk=row.parent_step_id, status="WAITING")
            and not row.is_part
        )

    def top(self, job):
        """The chain of runs in which a job is done."""
        run = Run.objects.for_tenant(self.tenant).get(pk=job.step.run_id)
        return run.tree_id or run.root_id

    def is_started_anew(self, job):
        """Whether a run of the child workflow was started by itself, which asks nobody."""
        run = Run.objects.for_tenant(self.tenant).get(pk=job.step.run_id)
        while run.parent_id is not None:
            run = Run.objects.for_tenant(self.tenant).get(pk=run.parent_id)
        return not self.steps(run_id=run.pk, node="ask") and self.shape is above_workflow

    def take(self, queue):
        for job in jobs.poll(tenant=self.tenant, worker="w", queues=[queue], max_jobs=10):
            if queue == "pay":
                self.check(job)
            end = {"tenant": self.tenant, "job": job.step.id, "lease_token": job.lease_token}
            if self.random.random() < 0.6:
                job_reports.fail(**end, code="Boom", message="It went wrong.", retryable=False)
            else:
                # Without a rate the step behind it fails, which makes one of it.
                output = {"rate": self.number()} if self.random.random() < 0.8 else {}
                self.machine |= {*output.values()}
                job_reports.complete(**end, output=output)

    def check(self, job):
        if self.is_started_anew(job):
            return
        approval = self.approval_of(job)
        effect = {job.step.input["amount"], job.params["memo"]}
        self.log.append(("effect", job.step.input, job.params, approval))
        assert approval in self.shown, self.log
        # Below a container, or a step that runs a workflow, it is that which was approved.
        shown = set().union(*(values for name, values in self.shown[approval].items() if name != "rate"))
        if "{{ item.amount + 1 }}" in shown:
            # What is done for each item is shown as it is written.
            shown = shown | {one + more for one in shown if isinstance(one, int) for more in range(1, 5)}
        assert effect <= shown, (effect, shown, self.log)
        machine = self.machine | ({one + 1 for one in self.machine} if OTHERWISE in shown else set())
        assert job.params["rate"] in machine | shown, self.log
        self.keys[approval].add(self.top(job) if self.shape is above_rounds else job.idempotency_key)
        assert len(self.keys[approval]) == 1, self.log

    def change(self):
        """Something that a person does to a run."""
        way = self.random.choice(
            [
                "retry",
                "retry",
                "edit",
                "edit",
                "skip",
                "rerun",
                "rerun with",
                "resume on",
                "migrate",
                "resume",
                "item",
            ]
        )
        run = self.random.choice(self.runs())
        self.log.append((way, run[-4:]))
        if self.is_left(run):
            return
        failed = [
            step
            for step in self.steps(run_id=run, index=None)
            if step.node in ("rate", "made", "way", "pay", "sub", "each")
        ]
        step = self.random.choice(failed) if failed else None
        other = {"amount": self.number(), "memo": self.number(), "rate": self.number()}
        mine = {"by": "test", "reason": "because"}
        if way == "resume":
            make.resume(run)
        elif way in ("resume on", "migrate"):
            amount, memo, mid = "{{ input.amount }}", "{{ input.memo }}", "{{ prev.rate }}"
            what = self.random.choice(["nothing", "amount", "memo", "between", "between"])
            amount = "{{ input.amount + 1 }}" if what == "amount" else amount
            memo = str(self.number()) if what == "memo" else memo
            mid = OTHERWISE if what == "between" else mid
            if self.shape in (in_item, above_items, above_rounds):
                amount, memo = (each.replace("input.", "item.") for each in (amount, memo))
            version = make.newer(run, self.shape(amount, memo, mid))
            (make.resume_on if way == "resume on" else make.migrate)(run, version)
        elif step is None:
            return
        elif way in ("retry", "edit"):
            override = RerunWith(other) if way == "edit" else None
            operators.retry_step(self.tenant, run, step.node, override=override, **mine)
        elif way == "skip":
            operators.skip_step(self.tenant, run, step.node, {"rate": self.number()}, who=self.admin, **mine)
        elif way in ("rerun", "rerun with"):
            make.rerun(run, step.node, *([other] if way == "rerun with" else []))
        elif way == "item":
            verb = self.random.choice(["retry", "skip", "cancel"])
            items.act_on_item(
                self.tenant, ItemPlace(run, step.node, 0), verb, output={"rate": self.number()}, **mine
            )

    def play(self, length):
        self.decide()
        for _ in range(length):
            make.work()
            for queue in self.random.sample(["rate", "pay"], 2):
                self.take(queue)
            with suppress(RunRefused, Refusal):
                self.change()
            make.work()
            self.decide()


def play(seed):
    shapes = list(SHAPES)
    with override_settings(HANDOFF_CONTINUE_AFTER_EVENTS=8), patch.object(rounds, "LOOKS_EACH", 2):
        Case(seed, shapes[seed % len(shapes)]).play(8)


@pytest.mark.parametrize("seed", range(200))
def test_no_effect_that_was_not_approved_and_none_twice_by_one_approval(seed):
    play(seed)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(200, 10_200))
def test_no_effect_that_was_not_approved_at_length(seed):
    play(seed)
