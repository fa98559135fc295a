"""Whoever acts on a tree of runs at random: workers, people, operators, time, and death at a crash point."""

import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime

from accounts.principal import EVERYWHERE, Principal
from accounts.roles import ADMIN, SCOPES
from lib import crash_points
from lib.clock import set_now
from lib.refusals import Refusal
from runs.commands.lifecycle import cancel_runs, resolve_compensation
from runs.commands.operators import leave_failed
from runs.kernel import messages
from runs.kernel.refused import RunRefused
from runs.maintenance import leases, stuck
from runs.models import Repair, Run, StepExecution
from runs.store import child_runs
from runs.store.attempts import ClaimedStep
from tasks_inbox.actions import deciding
from tasks_inbox.actions.decision import Decision
from tasks_inbox.models import OPEN, ManualTask
from tests import factories as make
from tests.crash import victim
from tests.inbox.asking import read
from tests.runs.fleet import LONG_AGO
from tests.runs.tree_cases import UNDO, WORK, TreeCase, signals_of
from tests.timing import Clock

OWN_QUEUES = ("engine", "default", "blocking")
STEPS = (0, 0, 0.5, 1, 7, 30, 61)
"""By how many seconds the clock moves between what happens."""
LAST = 60
"""In so many rounds everything must be over."""


POINTS = (
    "before_commit",
    "after_commit",
    "after_claim",
    "before_take_messages",
    "before_advance",
    "before_tell_to_undo",
)
"""Where processes are killed."""


class Died(BaseException):
    """A process was killed at a crash point: whatever it had not committed is gone."""


def drain_at(now: datetime) -> None:
    """What a process of its own does, by this clock: all that needs nobody outside."""
    set_now(now)
    victim.drain()


@dataclass
class Death:
    """Dies at the `left`-th crash point that is come by."""

    left: int

    def hit(self, name: str) -> None:
        self.left -= 1
        if self.left <= 0:
            raise Died(name)


Label = tuple[str, str, int | None]


@dataclass
class Player:
    """Acts on one tree. `charged`, `refunded`: how often an effect was acknowledged, by idempotency key.

    `kills`: processes of their own are killed, too. `unknown`: the keys of which nobody knows whether they took
    effect; `log` what was done.
    """

    case: TreeCase
    dice: random.Random
    clock: Clock
    kills: bool = False
    root: str = ""
    held: dict[str, ClaimedStep] = field(default_factory=dict)
    charged: Counter[Label] = field(default_factory=Counter)
    refunded: Counter[Label] = field(default_factory=Counter)
    unknown: set[Label] = field(default_factory=set)
    sent: int = 0
    log: list[str] = field(default_factory=list)

    def begin(self) -> None:
        """Publish the workflows, and start the root."""
        self.tenant = make.a_tenant().pk
        for name, definition in self.case.workflows.items():
            make.VersionFactory(
                workflow__tenant=make.a_tenant(), workflow__name=name, workflow__draft_definition=definition
            )
        (self.root,) = make.start(self.case.definition, {})

    @property
    def current(self) -> str:
        """The root, or the newest run as which it goes on."""
        runs = Run.unsafe_all_tenants.filter(root_id=self.root, parent_id=None)
        return str(runs.order_by("pk").values_list("pk", flat=True).last())

    def play(self, turns: int) -> None:
        """Have this much happen, whatever it is, then drive everything to quiet."""
        for _ in range(turns):
            self.clock.advance(self.dice.choice(STEPS))
            self.do(self.dice.choices(*zip(*WAYS.items(), strict=True))[0])
            if self.dice.random() < 0.75:
                self.do(Player.settle)
        self.drive()

    def do(self, act: Callable[["Player"], object]) -> None:
        """Do this; now and then the process dies in the middle."""
        self.log.append(act.__name__)
        if self.kills and self.dice.random() < 0.07:
            self.kill()
        if self.dice.random() > 0.15:
            act(self)
            return
        death = Death(self.dice.choice((1, 2, 3, 5, 8, 13, 21, 34, 55, 89)))
        former, crash_points.hit = crash_points.hit, death.hit
        try:
            act(self)
        except Died as died:
            self.log.append(f"died at {died}")
            crash_points.hit = former
            self.recover()
        finally:
            crash_points.hit = former

    def kill(self) -> None:
        """A process is killed while it does what needs nobody outside."""
        point = f"{self.dice.choice(POINTS)}:{self.dice.choice((1, 1, 2, 3))}"
        if victim.dies(point, drain_at, self.clock.now):
            self.log.append(f"killed at {point}")
        self.recover()

    def recover(self) -> None:
        """What the dead process had in hand is found: its leases run out. What the test has it keeps."""
        rows = StepExecution.unsafe_all_tenants.filter(status="RUNNING")
        for row in rows.exclude(pk__in=self.held):
            row.lease_expires_at = LONG_AGO
            row.save(update_fields=["lease_expires_at"])
            self._lost(str(row.run_id), row.node, row.index)
        leases.sweep()
        for id, step in [*self.held.items()]:
            self._look(id, step)

    def _lost(self, run: str, node: str, index: int | None) -> None:
        self.unknown.add((run, node, index))

    def _look(self, id: str, step: ClaimedStep) -> None:
        """A process died that may have ended this one."""
        row = StepExecution.unsafe_all_tenants.filter(pk=id, epoch=step.epoch).first()
        if row is not None and row.status == "RUNNING":
            return
        del self.held[id]
        if row is not None and row.status == "COMPLETED":
            self._acknowledge(step)
        elif row is None or row.status != "FAILED":
            self._lost(step.run_id, step.node, step.index)

    def _acknowledge(self, step: ClaimedStep) -> None:
        ledger = self.refunded if step.undoes else self.charged
        ledger[step.run_id, step.undoes or step.node, step.index] += 1
        assert ledger[step.run_id, step.undoes or step.node, step.index] == 1, (step, self.log)

    def settle(self) -> None:
        """Do what needs nobody outside; now and then messages are delivered one by one, in any order."""
        if self.dice.random() < 0.5:
            while self.tell():
                pass
        for _ in range(100):
            if not make.work(*OWN_QUEUES):
                return

    def tell(self) -> bool:
        """Deliver one message that is due; gives whether there was one."""
        due = [id for id, _ in child_runs.due_messages(100)]
        if due:
            messages._delivered([self.dice.choice(due)])
        return bool(due)

    def claim(self) -> None:
        """Take what there is to do."""
        for queue in (WORK, UNDO):
            for step in make.claimed(queue):
                key = step.run_id, step.undoes or step.node, step.index
                ledger = self.refunded if step.undoes else self.charged
                assert not ledger[key], (f"{key} is handed out again", self.log)
                self.held[step.id] = step

    def _one(self) -> ClaimedStep | None:
        if not self.held:
            self.claim()
        if not self.held:
            return None
        return self.held[self.dice.choice(sorted(self.held))]

    def complete(self) -> None:
        if (step := self._one()) is not None:
            self._end(step)

    def _end(self, step: ClaimedStep) -> None:
        """Its effect counts once its end is acknowledged."""
        applied = make.complete(step, output={"of": step.node}).applied
        self.held.pop(step.id, None)
        if applied:
            self._acknowledge(step)
        else:
            self._lost(step.run_id, step.node, step.index)

    def fail(self) -> None:
        if (step := self._one()) is None:
            return
        applied = make.fail(step, retryable=self.dice.random() < 0.3).applied
        self.held.pop(step.id, None)
        if not applied:
            self._lost(step.run_id, step.node, step.index)

    def lose(self) -> None:
        """A worker is gone with one step."""
        if (step := self._one()) is None:
            return
        del self.held[step.id]
        row = StepExecution.unsafe_all_tenants.filter(pk=step.id, epoch=step.epoch, status="RUNNING")
        if row.update(lease_expires_at=LONG_AGO):
            self._lost(step.run_id, step.node, step.index)
            leases.sweep()

    def cancel(self) -> None:
        with suppress(RunRefused):
            cancel_runs(self.tenant, [self.current], by="test", compensate=self.dice.random() < 0.6)

    def _child(self) -> str | None:
        runs = Run.unsafe_all_tenants.filter(tree_id=self.root)
        ids = [str(pk) for pk in runs.order_by("pk").values_list("pk", flat=True)]
        return self.dice.choice(ids) if ids else None

    def cancel_child(self) -> None:
        if (child := self._child()) is not None:
            with suppress(RunRefused):
                cancel_runs(self.tenant, [child], by="test", compensate=self.dice.random() < 0.4)

    def resume_child(self) -> None:
        if (child := self._child()) is not None:
            with suppress(RunRefused):
                make.resume(child)

    def pause(self) -> None:
        with suppress(RunRefused):
            make.pause(self.current)

    def unpause(self) -> None:
        with suppress(RunRefused):
            make.unpause(self.current)

    def resume(self) -> None:
        with suppress(RunRefused):
            make.resume(self.current)

    def _node(self) -> str:
        return self.dice.choice(self.case.definition["nodes"])["id"]

    def retry(self) -> None:
        with suppress(RunRefused):
            make.retry(self.current, self._node())

    def skip(self) -> None:
        """An operator skips a step of the root that nobody has in hand."""
        node = self._node()
        with suppress(RunRefused, Refusal):
            make.skip(self.current, node, {"of": node})

    def tick(self) -> None:
        make.tick()

    def decide(self) -> None:
        """Somebody decides what people are asked."""
        who = Principal(self.tenant, "default", 1, "ann", ADMIN, SCOPES, "command", reach=EVERYWHERE)
        tasks = ManualTask.objects.for_tenant(self.tenant).filter(status=OPEN).exclude(kind="compensation")
        for task in tasks.order_by("pk")[:1]:
            with suppress(Refusal):
                outcome = self.dice.choice(("approved", "rejected"))
                deciding.complete_task(who, task.pk, Decision(outcome, seen=read(who, task)))

    def send(self) -> None:
        """Send a signal that a step waits for, or will."""
        definitions = (self.case.definition, *self.case.workflows.values())
        names = [name for one in definitions for name in signals_of(one["nodes"])]
        if names:
            with suppress(RunRefused):
                self.sent += make.send(self.current, self.dice.choice(names))

    def answer(self) -> None:
        """Say what becomes of a step that asks."""
        asking = StepExecution.unsafe_all_tenants.filter(waiting__kind="operator").order_by("pk").first()
        if asking is None:
            return
        with suppress(RunRefused):
            if self.dice.random() < 0.5:
                make.retry(str(asking.run_id), asking.node)
            else:
                leave_failed(self.tenant, str(asking.run_id), asking.node)

    def see_to(self, how: str | None = None) -> None:
        """Settle a compensation that failed for good."""
        failed = StepExecution.unsafe_all_tenants.filter(undoes__isnull=False, status="FAILED")
        if (step := failed.order_by("pk").first()) is not None:
            way = how or self.dice.choice(("retry", "done", "abandon"))
            resolve_compensation(self.tenant, str(step.run_id), step.pk, way, by="test", reason="seen")

    def check(self) -> None:
        """Nothing is stuck."""
        assert stuck.check() == 0, (self.open_rows(), self.log)
        assert not Repair.unsafe_all_tenants.exists(), (self.open_rows(), self.log)

    def drive(self) -> None:
        """Do all there is to do until everything is over."""
        for _ in range(LAST):
            self.settle()
            self.check()
            if not Run.unsafe_all_tenants.filter(completed_at=None).exists():
                for step in self.held.values():
                    self._lost(step.run_id, step.node, step.index)
                self.held.clear()
                return
            self.unpause()
            self.claim()
            for step in [*self.held.values()]:
                self._end(step)
            self.decide()
            self.answer()
            self.see_to("done")
            for name in StepExecution.unsafe_all_tenants.filter(waiting__kind="signal").values_list(
                "node", flat=True
            ):
                with suppress(RunRefused):
                    self.sent += make.send(self.current, name)
            self.clock.advance(self.dice.choice((1, 30, 400)))
            make.tick()
        raise AssertionError(("it never ends", self.open_rows(), self.log))

    def open_rows(self) -> list[tuple[object, ...]]:
        """What is open: for whoever reads the failure."""
        runs = Run.unsafe_all_tenants.filter(completed_at=None).values_list("pk", "status", "parent_id")
        steps = StepExecution.unsafe_all_tenants.filter(status__in=("QUEUED", "RUNNING", "WAITING"))
        repairs = Repair.unsafe_all_tenants.values_list("run_id", "what", "node", "done", "detail")
        return [*runs, *steps.values_list("run_id", "node", "index", "status", "waiting"), *repairs]


WAYS: dict[Callable[[Player], object], int] = {
    Player.settle: 10,
    Player.claim: 15,
    Player.tell: 8,
    Player.complete: 60,
    Player.fail: 14,
    Player.lose: 4,
    Player.cancel: 2,
    Player.cancel_child: 3,
    Player.resume_child: 4,
    Player.pause: 3,
    Player.unpause: 4,
    Player.resume: 8,
    Player.retry: 3,
    Player.skip: 2,
    Player.tick: 8,
    Player.decide: 6,
    Player.send: 4,
    Player.answer: 5,
    Player.see_to: 6,
    Player.check: 3,
}
