"""Many scripted runs moved through the real claim and advance at once, their outcomes dealt out in batches by dice."""

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.statuses import RUN_ENDED
from runs import leases, scopes, store
from runs.advance import advance
from runs.claimed import Broken, Done, Ending, Held
from runs.execute import execute
from runs.models import HistoryEvent, Run, StepExecution
from runs.plan import Keep
from runs.starts import NewRun, Terms, start_runs
from tests import factories as make
from tests.engine.strategies import Case, Pick
from tests.engine.telling import Told, plain, step_told

Json = Any

QUEUES = ("default", "outside", "engine")
WORKER = "w"


@dataclass
class Fleet:
    """Runs by id with their cases. `strictly`: the outcomes of one run come one at a time, in its case's order.

    Otherwise steps also end that their worker had handed back, and that were given to somebody else since.
    """

    dice: random.Random
    strictly: bool
    cases: dict[str, Case] = field(default_factory=dict)
    picks: dict[str, Pick] = field(default_factory=dict)
    in_hand: dict[str, list[Held]] = field(default_factory=dict)
    released: dict[str, Held] = field(default_factory=dict)
    ghosts: list[Held] = field(default_factory=list)

    def start(self, cases: Iterable[Case]) -> None:
        """Publish and start each case."""
        for case in cases:
            version = make.a_version(case.definition)
            terms = Terms(tenant=version.tenant_id, version=version.pk, by="test")
            run_id = start_runs(terms, [NewRun(case.run_input)])[0].id
            self.cases[run_id] = case
            self.picks[run_id] = case.order.pick()

    def drive(self) -> None:
        """Claim and advance until no run has a step to do."""
        while self._take() or any(self.in_hand.values()):
            endings = self._endings()
            while endings:
                size = self.dice.randint(1, len(endings))
                batch, endings = endings[:size], endings[size:]
                self._keep(advance(batch, self._may_keep()).kept)

    def _take(self) -> bool:
        """Claim all there is; of each run only what its order picks next stays in hand."""
        by_run: dict[str, dict[str, Held]] = {}
        for step in self._claimed():
            by_run.setdefault(step.run_id, {})[step.node] = step
        spare: list[Held] = []
        for run_id, steps in by_run.items():
            picked = [] if self._busy(run_id) else self._pick(run_id, list(steps))
            self._keep(steps.pop(name) for name in picked)
            spare += steps.values()
        leases.hand_back(spare)
        self.released |= {step.id: step for step in spare}
        return bool(by_run)

    def _busy(self, run_id: str) -> bool:
        return self.strictly and bool(self.in_hand.get(run_id))

    def _pick(self, run_id: str, names: list[str]) -> list[str]:
        if self.strictly:
            return self.picks[run_id](names)
        return self.dice.sample(names, self.dice.randint(1, len(names)))

    def _claimed(self) -> list[Held]:
        found: list[Held] = []
        for queue in QUEUES:
            found += store.claim(queue=queue, worker=WORKER, cursor=0, limit=10_000)
            while alone := store.claim_alone(queue=queue, worker=WORKER):
                found += alone
        if not self.strictly:
            self.ghosts += [self.released.pop(step.id) for step in found if step.id in self.released]
        return found

    def _keep(self, steps: Iterable[Held]) -> None:
        kept = list(steps)
        scopes.load(kept)
        for step in kept:
            self.in_hand.setdefault(step.run_id, []).append(step)

    def _may_keep(self) -> Keep | None:
        if self.strictly or self.dice.random() < 0.5:
            return None
        return Keep(WORKER, self.dice.choice(QUEUES), self.dice.randint(0, 20))

    def _endings(self) -> list[tuple[Held, Ending]]:
        """One outcome of each run, or any number of each."""
        found: list[tuple[Held, Ending]] = []
        for run_id, steps in self.in_hand.items():
            count = min(1, len(steps)) if self.strictly else self.dice.randint(0, len(steps))
            if not self.strictly:
                self.dice.shuffle(steps)
            found += [(step, self._ending(run_id, step)) for step in steps[:count]]
            self.in_hand[run_id] = steps[count:]
        scopes.load(self.ghosts)
        found += [(step, Done("a late outcome of somebody who lost the step")) for step in self.ghosts]
        self.ghosts = []
        self.dice.shuffle(found)
        return found

    def _ending(self, run_id: str, step: Held) -> Ending:
        script = self.cases[run_id].script
        if step.node not in script:
            # A step of the engine's own that failed and was resumed.
            return execute(step)
        kind, value = script[step.node]
        return Done(value) if kind == "completed" else Broken(value)

    def told(self) -> dict[str, Told]:
        """What the database says of each run."""
        ids = list(self.cases)
        found: dict[str, Told] = {run_id: {"steps": {}, "taken": set()} for run_id in ids}
        for run in Run.unsafe_all_tenants.filter(id__in=ids):
            found[str(run.id)] |= {"status": run.status, "output": plain(run.output)}
        rows = list(StepExecution.unsafe_all_tenants.filter(run_id__in=ids))
        given = {row.id: row.output for row in rows}
        for row in rows:
            run_id = str(row.run_id)
            known = given.get(row.input_from, self.cases[run_id].run_input) if row.input_from else row.input
            found[run_id]["steps"][row.node] = step_told(row.status, known, row.output, row.error)
        for event in HistoryEvent.unsafe_all_tenants.filter(run_id__in=ids, payload__has_key="taken"):
            taken = found[str(event.run_id)]["taken"]
            links = {(event.node, target) for target in event.payload["taken"]}
            assert not links & taken, "an edge resolves once"
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
