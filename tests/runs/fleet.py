"""Many scripted runs moved through the real claim and advance at once, their outcomes dealt out in batches by dice.

Time passes for single timers: those that are to fire are made due.
"""

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from engine.catalogue import Json
from engine.statuses import RUN_CLOSING, RUN_ENDED, RUN_OPEN, STEP_OPEN
from lib.uuid7 import uuid7
from runs.commands.lifecycle import cancel_runs
from runs.commands.operators import leave_failed
from runs.commands.signals import NewSignal, send_signals
from runs.commands.starts import NewRun, Terms, start_runs
from runs.kernel import messages, scopes
from runs.kernel.advance import advance
from runs.kernel.hand_back import hand_back
from runs.kernel.plan import Affinity
from runs.maintenance import timers
from runs.maintenance.leases import sweep
from runs.models import HistoryEvent, Run, RunVariable, StepExecution, Timer
from runs.store import hot
from runs.store.attempts import AttemptResult, ClaimedStep, Errored, Succeeded
from runs.workers.execute import execute
from tests import factories as make
from tests.engine.nested import CHILD, CHILD_DEFINITION, CONTAINERS
from tests.engine.strategies import Case, Pick
from tests.engine.telling import Told, plain, step_told
from tests.runs.inside import Inside

QUEUES = ("default", "outside", "engine")
WORKER = "w"
LONG_AGO = datetime(2001, 1, 1, tzinfo=UTC)
ROUNDS = 5_000
WAITING = ("wait", "signal", *CONTAINERS)


@dataclass
class Round:
    """How runs, steps in hand and their timers stand as a round begins, and what happens in it."""

    runs: Mapping[str, str]
    steps: Mapping[str, tuple[str, frozenset[str]]]
    timers: Mapping[str, list[Timer]]
    endings: list[tuple[ClaimedStep, AttemptResult]] = field(default_factory=list)
    due: list[Timer] = field(default_factory=list)
    containers: list[ClaimedStep] = field(default_factory=list)
    sent: list[tuple[str, NewSignal]] = field(default_factory=list)
    given_back: list[ClaimedStep] = field(default_factory=list)
    lost: list[ClaimedStep] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)

    @classmethod
    def now(cls, steps: Iterable[ClaimedStep]) -> "Round":
        """As the database says of these steps."""
        held = list(steps)
        ids = [step.id for step in held]
        runs = Run.unsafe_all_tenants.filter(id__in={step.run_id for step in held}).values_list(
            "id", "status"
        )
        rows = StepExecution.unsafe_all_tenants.filter(id__in=ids).values_list("id", "status", "fired")
        timers: dict[str, list[Timer]] = {step.id: [] for step in held}
        for timer in Timer.unsafe_all_tenants.filter(step_id__in=ids, status="PENDING").order_by("id"):
            timers[str(timer.step_id)].append(timer)
        return cls(
            {str(run): status for run, status in runs},
            {str(step): (status, frozenset(fired or ())) for step, status, fired in rows},
            timers,
        )

    def boundary(self, step: ClaimedStep, target: str, *, interrupting: bool) -> list[Timer]:
        """The timers of a step that may still fire and lead there."""
        return [
            timer
            for timer in self.timers[step.id]
            if (timer.kind, timer.target, timer.interrupting) == ("boundary", target, interrupting)
        ]


@dataclass
class Fleet:
    """Runs by id with their cases. `strictly`: the outcomes of one run come one at a time, in its case's order.

    Otherwise steps also end that their worker had handed back, and that were given to somebody else since; and runs
    are paused while all that happens, and go on behind it.
    """

    dice: random.Random
    strictly: bool
    cases: dict[str, Case] = field(default_factory=dict)
    picks: dict[str, Pick] = field(default_factory=dict)
    in_hand: dict[str, list[ClaimedStep]] = field(default_factory=dict)
    released: dict[str, ClaimedStep] = field(default_factory=dict)
    queued: list[ClaimedStep] = field(default_factory=list)
    ghosts: list[ClaimedStep] = field(default_factory=list)
    ended: Counter[str] = field(default_factory=Counter)
    inside: Inside = field(init=False)
    tenant_id: int = field(init=False)

    def __post_init__(self) -> None:
        self.inside = Inside(self.dice, self.strictly)

    def start(self, cases: Iterable[Case]) -> None:
        """Publish and start each case."""
        tenant = make.a_tenant()
        self.tenant_id = tenant.pk
        make.VersionFactory(
            workflow__tenant=tenant,
            workflow__name=CHILD,
            workflow__draft_definition=CHILD_DEFINITION,
        )
        for case in cases:
            version = make.a_version(case.definition, tenant=tenant)
            terms = Terms(tenant=tenant.pk, version=version.pk, by="test")
            run_id = start_runs(terms, [NewRun(case.run_input)])[0].id
            self.cases[run_id] = case
            self.picks[run_id] = case.order.pick()
            early = [name for name in case.script if not self.strictly and self.dice.random() < 0.3]
            self._send([(run_id, signal) for name in early if (signal := self._early(case, name))])

    def _early(self, case: Case, name: str) -> NewSignal | None:
        """The signal that a step is to wait for, unless timers are to fire meanwhile."""
        (node,) = (node for node in case.nodes if node["id"] == name)
        kind, value = case.script[name]
        waits = node["type"] == "signal" and kind == "completed" and name not in case.rung
        return NewSignal(uuid7(), name, value) if waits else None

    def drive(self) -> None:
        """Claim, advance, fire timers and send signals until no run has a step to do or to wait for."""
        for _ in range(ROUNDS):
            if not self._take() and not any(self.in_hand.values()) and not self.inside.held:
                return
            self._happen(self._round())
        raise AssertionError(f"still in hand: {self.in_hand}")

    def _take(self) -> bool:
        """Claim all there is; of each run only what its order picks next stays in hand."""
        self._unpause()
        by_run: dict[str, dict[str, ClaimedStep]] = {}
        for step in self._claimed():
            by_run.setdefault(step.run_id, {})[step.node] = step
        self.queued = []
        for run_id, steps in by_run.items():
            picked = [] if self._busy(run_id) else self._pick(run_id, list(steps))
            self._keep(steps.pop(name) for name in picked)
            self.queued += steps.values()
        hand_back(self.queued)
        self.released |= {step.id: step for step in self.queued}
        return bool(by_run) or self._deliver()

    def _deliver(self) -> bool:
        """Have runs told what others have for them; gives whether there was anything."""
        told = messages.deliver()
        return bool(told)

    def _busy(self, run_id: str) -> bool:
        return self.strictly and bool(self.in_hand.get(run_id))

    def _pick(self, run_id: str, names: list[str]) -> list[str]:
        if self.strictly:
            return self.picks[run_id](names)
        return self.dice.sample(names, self.dice.randint(1, len(names)))

    def _claimed(self) -> list[ClaimedStep]:
        found: list[ClaimedStep] = []
        for queue in QUEUES:
            found += hot.claim(queue=queue, worker=WORKER, cursor=0, limit=10_000)
            while alone := hot.claim_alone(queue=queue, worker=WORKER):
                found += alone
        self.inside.begin(step for step in found if step.index is not None)
        found = [step for step in found if step.index is None]
        if not self.strictly:
            self.ghosts += [self.released.pop(step.id) for step in found if step.id in self.released]
        return found

    def _keep(self, steps: Iterable[ClaimedStep]) -> None:
        """Take steps in hand; those that wait begin to at once, all in one batch."""
        every = list(steps)
        self.inside.begin(step for step in every if step.index is not None)
        kept = [step for step in every if step.index is None]
        scopes.load(kept)
        for step in kept:
            self.in_hand.setdefault(step.run_id, []).append(step)
        if waiting := [step for step in kept if self._type(step) in WAITING]:
            advance([(step, execute(step)) for step in waiting])

    def _type(self, step: ClaimedStep) -> str:
        found = (node["type"] for node in self.cases[step.run_id].nodes if node["id"] == step.node)
        return next(found)

    def _may_keep(self) -> Affinity | None:
        if self.strictly or self.dice.random() < 0.5:
            return None
        return Affinity(WORKER, self.dice.choice(QUEUES), self.dice.randint(0, 20))

    def _round(self) -> Round:
        """The next of one step of each run, or of any number of each."""
        found = Round.now([*(step for steps in self.in_hand.values() for step in steps), *self.queued])
        for run_id, steps in self.in_hand.items():
            count = min(1, len(steps)) if self.strictly else self.dice.randint(0, len(steps))
            if not self.strictly:
                self.dice.shuffle(steps)
            rest = [step for step in steps[:count] if self._stays(step, found)]
            self.in_hand[run_id] = rest + steps[count:]
        if not self.strictly:
            # Timers also fire beside a step that nobody has taken yet.
            for step in self.queued:
                if self.dice.random() < 0.5:
                    found.due += self._due(step, found)[:1]
        turn = [(step.run_id, step.node) for step in found.containers]
        found.endings += self.inside.endings(self.cases, turn)
        scopes.load(self.ghosts)
        found.endings += [
            (step, Succeeded("a late outcome of somebody who lost the step")) for step in self.ghosts
        ]
        self.ghosts = []
        self.dice.shuffle(found.endings)
        return found

    def _stays(self, step: ClaimedStep, now: Round) -> bool:
        """Have the next thing happen that is scripted for a step in hand; gives whether more may come."""
        case, (status, fired) = self.cases[step.run_id], now.steps[step.id]
        kind, value = case.script.get(step.node, ("", None))
        waits = self._type(step) in WAITING
        if status not in STEP_OPEN and (waits or kind == "interrupted"):
            return False
        if now.runs[step.run_id] not in RUN_OPEN:
            closing = now.runs[step.run_id] in RUN_CLOSING
            if kind == "interrupted" or not fired.issuperset(case.rung.get(step.node, ())):
                # Its timers don't fire any more.
                now.given_back.append(step)
            elif closing and step.node in case.lost:
                now.lost.append(step)
            elif not waits:
                now.endings.append((step, self._ending(step)))
            return False
        due = self._due(step, now)
        if not due and self._type(step) in CONTAINERS:
            # It ends when enough of its children have.
            now.containers.append(step)
            return True
        if not due or due[0].interrupting:
            now.ended.append(step.run_id)
        if due:
            now.due.append(due[0])
        elif self._type(step) == "signal" and kind == "completed":
            now.sent.append((step.run_id, NewSignal(uuid7(), step.node, value)))
        elif waits:
            now.due += [timer for timer in now.timers[step.id] if timer.kind != "boundary"]
        else:
            now.endings.append((step, self._ending(step)))
            return False
        return True

    def _due(self, step: ClaimedStep, now: Round) -> list[Timer]:
        """The boundary timers of a step that are to fire, the next one first."""
        case = self.cases[step.run_id]
        kind, value = case.script.get(step.node, ("", None))
        ringing = [
            timer
            for target in case.rung.get(step.node, ())
            for timer in now.boundary(step, target, interrupting=False)
        ]
        return ringing + (now.boundary(step, value, interrupting=True) if kind == "interrupted" else [])

    def _happen(self, now: Round) -> None:
        """Have it all happen, in any order."""
        hand_back(now.given_back)
        ways = [
            lambda: self._end(now.endings),
            lambda: self._fire(now.due),
            lambda: self._send(now.sent),
            lambda: self._lose(now.lost),
            self._pause,
        ]
        self.dice.shuffle(ways)
        for way in ways:
            way()
        while self._deliver() and self.strictly:
            pass
        self._leave()
        self._cancel(now.ended + self._over(now.containers))

    def _over(self, containers: list[ClaimedStep]) -> list[str]:
        """The runs of those of these that wait no more, once for each."""
        if not containers:
            return []
        rows = StepExecution.unsafe_all_tenants.filter(id__in=[step.id for step in containers])
        return [str(run) for run in rows.exclude(status__in=STEP_OPEN).values_list("run_id", flat=True)]

    def _leave(self) -> None:
        """Whoever is asked what becomes of a failure leaves it as it is."""
        runs = [
            run_id
            for run_id, case in self.cases.items()
            if any(node.get("on_error") == "ask" for node in case.nodes)
        ]
        asking = StepExecution.unsafe_all_tenants.filter(run_id__in=runs, waiting__kind="operator")
        for run_id, node in asking.values_list("run_id", "node") if runs else ():
            leave_failed(self.tenant_id, str(run_id), node)

    def _lose(self, steps: list[ClaimedStep]) -> None:
        """The workers of these steps are gone: their leases run out."""
        if steps:
            ids = [step.id for step in steps]
            StepExecution.unsafe_all_tenants.filter(id__in=ids).update(lease_expires_at=LONG_AGO)
            sweep()

    def _pause(self) -> None:
        found = self._standing("RUNNING") if not self.strictly else []
        if chosen := [run for run in found if self.dice.random() < 0.05]:
            make.pause(*chosen)

    def _unpause(self) -> None:
        if not self.strictly and (found := self._standing("PAUSED")):
            make.unpause(*found)

    def _standing(self, status: str) -> list[str]:
        runs = Run.unsafe_all_tenants.filter(id__in=self.cases, status=status).order_by("id")
        return [str(run) for run in runs.values_list("id", flat=True)]

    def _cancel(self, runs: list[str]) -> None:
        """Cancel the runs of which as many steps have ended as their cases say, and undo what they did."""
        self.ended.update(runs)
        asked = {run for run in runs if self.ended[run] >= self.cases[run].cancel_at > 0}
        running = Run.unsafe_all_tenants.filter(id__in=asked, status="RUNNING").values_list("id", flat=True)
        if found := [str(run) for run in running]:
            cancel_runs(self.tenant_id, found, by="test", compensate=True)

    def _end(self, endings: list[tuple[ClaimedStep, AttemptResult]]) -> None:
        while endings:
            size = self.dice.randint(1, len(endings))
            batch, endings = endings[:size], endings[size:]
            self._keep(advance(batch, self._may_keep()).kept)

    def _fire(self, due: list[Timer]) -> None:
        if due:
            Timer.unsafe_all_tenants.filter(id__in=[timer.pk for timer in due]).update(fire_at=LONG_AGO)
            timers.fire()

    def _send(self, signals: list[tuple[str, NewSignal]]) -> None:
        """Send signals to those of the runs that still take any."""
        if not signals:
            return
        runs = Run.unsafe_all_tenants.filter(id__in=[run for run, _ in signals], status__in=RUN_OPEN)
        taking = {str(run) for run in runs.values_list("id", flat=True)}
        send_signals(self.tenant_id, [sent for sent in signals if sent[0] in taking], by="test")

    def _ending(self, step: ClaimedStep) -> AttemptResult:
        script = self.cases[step.run_id].script
        if step.node not in script:
            # A step of the engine's own that failed and was resumed.
            return execute(step)
        kind, value = script[step.node]
        return Succeeded(value) if kind == "completed" else Errored(value)

    def told(self, *, anew: bool = False) -> dict[str, Told]:
        """What the database says of each run; `anew`: its graph was walked again, and edges resolved once more."""
        ids = list(self.cases)
        found: dict[str, Told] = {run_id: {"steps": {}, "taken": set(), "variables": {}} for run_id in ids}
        for run in Run.unsafe_all_tenants.filter(id__in=ids):
            found[str(run.id)] |= {"status": run.status, "output": plain(run.output)}
        rows = list(StepExecution.unsafe_all_tenants.filter(run_id__in=ids, index__isnull=True))
        given = {row.id: row.output for row in rows}
        for row in rows:
            run_id = str(row.run_id)
            known = given.get(row.input_from, self.cases[run_id].run_input) if row.input_from else row.input
            found[run_id]["steps"][row.node] = step_told(row.status, known, row.output, row.error)
        for one in RunVariable.unsafe_all_tenants.filter(run_id__in=ids).order_by("place"):
            found[str(one.run_id)]["variables"][one.name] = one.value
        for event in HistoryEvent.unsafe_all_tenants.filter(run_id__in=ids, payload__has_key="taken"):
            taken = found[str(event.run_id)]["taken"]
            links = {(event.node, target) for target in event.payload["taken"]}
            assert anew or not links & taken, "an edge resolves once"
            taken |= links
        return found

    def stuck(self) -> dict[str, Mapping[str, Json]]:
        """The runs that have not ended, or that have ended and left a step open."""
        return {
            run_id: told
            for run_id, told in self.told().items()
            if told["status"] not in RUN_ENDED
            or any(status in ("QUEUED", "RUNNING", "WAITING") for status, *_ in told["steps"].values())
        }
