"""What workers have in hand of the children of containers: items, rounds, and jobs in runs that steps began."""

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from engine.statuses import STEP_OPEN
from runs.kernel import scopes
from runs.kernel.advance import advance
from runs.kernel.hand_back import hand_back
from runs.models import Run, StepExecution
from runs.store import hot
from runs.store.attempts import AttemptResult, ClaimedStep, Errored, Succeeded
from runs.workers.execute import execute
from tests.engine.nested import INSIDE, child_ending
from tests.engine.strategies import NAMES, Case

WORKER = "w"

Container = tuple[str, str]
Endings = list[tuple[ClaimedStep, AttemptResult]]


@dataclass(frozen=True)
class Child:
    """A step that a worker has: of which container it is, and which child."""

    step: ClaimedStep
    container: Container
    index: int | None


@dataclass
class Inside:
    """The children that workers have. `strictly`: only of those containers whose turn it is, while it is."""

    dice: random.Random
    strictly: bool
    held: list[Child] = field(default_factory=list)

    def begin(self, items: Iterable[ClaimedStep]) -> None:
        """Items that are runs of their own begin to wait for them."""
        if found := list(items):
            scopes.load(found)
            advance([(step, execute(step)) for step in found])

    def endings(self, cases: Mapping[str, Case], turn: Iterable[Container]) -> Endings:
        """How children end of the containers whose turn it is, and those of containers that are over."""
        self.held += self._placed(self._claimed())
        now = {*turn}
        over = self._over()
        theirs = [child for child in self.held if child.container in now]
        some = theirs if self.strictly else self.dice.sample(theirs, self.dice.randint(0, len(theirs)))
        ending = [*some, *(child for child in self.held if child.container in over)]
        rest = [child for child in self.held if child not in ending]
        if self.strictly:
            hand_back([child.step for child in rest])
            rest = []
        self.held = rest
        scopes.load([child.step for child in ending])
        return [(child.step, self._result(cases, child)) for child in ending]

    def _claimed(self) -> list[ClaimedStep]:
        found: list[ClaimedStep] = []
        for queue in (*NAMES, INSIDE):
            found += hot.claim(queue=queue, worker=WORKER, cursor=0, limit=10_000)
            while alone := hot.claim_alone(queue=queue, worker=WORKER):
                found += alone
        return found

    def _placed(self, steps: list[ClaimedStep]) -> list[Child]:
        runs = Run.unsafe_all_tenants.filter(
            id__in={step.run_id for step in steps}, parent_step_id__isnull=False
        )
        began = dict(runs.values_list("id", "parent_step_id"))
        rows = StepExecution.unsafe_all_tenants.filter(id__in=began.values())
        places = {row.id: (str(row.run_id), row.node, row.index) for row in rows}
        by_run = {str(run): places[step] for run, step in began.items()}
        found = []
        for step in steps:
            run, node, index = by_run.get(step.run_id, (step.run_id, step.node, step.index))
            found.append(Child(step, (run, node), index))
        return found

    def _over(self) -> set[Container]:
        """The containers of what is held that wait no more, or whose run is about to end."""
        containers = {child.container for child in self.held}
        rows = StepExecution.unsafe_all_tenants.filter(
            run_id__in={run for run, _ in containers}, index__isnull=True, status__in=STEP_OPEN
        )
        return containers - {(str(run), node) for run, node in rows.values_list("run_id", "node")}

    def _result(self, cases: Mapping[str, Case], child: Child) -> AttemptResult:
        run, name = child.container
        case = cases.get(run)
        if case is None:
            return Succeeded(None)
        node = next(node for node in case.nodes if node["id"] == name)
        kind, value = child_ending(node, case.script[name], child.index)
        return Succeeded(value) if kind == "completed" else Errored(value)
