"""The time that a run has waited, added up plainly: whenever time passes the rows of its tree say how it stands."""

from datetime import datetime
from random import Random

from runs.kernel.refused import RunRefused
from runs.maintenance import sla
from runs.models import Run, StepExecution
from runs.reading.presentation import run_row
from runs.store.attempts import ClaimedStep
from tests import factories as make
from tests.timing import Clock

SECONDS = 100
WAITING = {"sla_seconds": SECONDS, "sla_pauses": "waiting"}
FOR_OTHERS = ("run", "children")
ENDED = ("COMPLETED", "CANCELLED", "COMPENSATED")


def tree_of(run_id: str) -> list[Run]:
    """The run and all runs below it."""
    found = [Run.unsafe_all_tenants.get(pk=run_id)]
    for run in found:
        found += Run.unsafe_all_tenants.filter(parent_id=run.pk).order_by("pk")
    return found


def only_waits(run_id: str) -> bool:
    """Whether something of the tree of a run waits, and nothing of it is to be done or is done."""
    open_runs = [run for run in tree_of(run_id) if run.completed_at is None]
    rows = StepExecution.unsafe_all_tenants.filter(run_id__in=[run.pk for run in open_runs])
    steps = list(rows.values_list("status", "waiting"))
    waits = any(status == "WAITING" and wait["kind"] not in FOR_OTHERS for status, wait in steps)
    waits |= any(run.status == "WAITING_FOR_MANUAL_ACTION" for run in open_runs)
    return waits and not any(status in ("QUEUED", "RUNNING") for status, _ in steps)


class Ledger:
    """What of the time of a run counts (`used`) and what does not (`moved`), by how it stood whenever time passed."""

    def __init__(self, clock: Clock, run_id: str) -> None:
        self.clock, self.run_id, self.pauses = clock, run_id, "waiting"
        self.used = self.moved = self.dead = 0
        self.said: list[str] = []
        self.is_stopped = False

    def advance(self, seconds: int) -> None:
        """Let time pass."""
        run = Run.unsafe_all_tenants.get(pk=self.run_id)
        waits = run.status != "PAUSED" and only_waits(self.run_id) and self.pauses == "waiting"
        self.is_stopped &= run.status == "PAUSED"
        if run.completed_at is not None:
            self.dead += seconds
        elif self.is_stopped or (waits and "SLA_BREACHED" not in self.said):
            self.moved += seconds
        else:
            self.used += seconds
        self.clock.advance(seconds)

    def look(self) -> None:
        """Have the deadlines looked at, and note what must be told by that."""
        sla.look()
        run = Run.unsafe_all_tenants.get(pk=self.run_id)
        if run.completed_at is not None or self.is_stopped or "SLA_BREACHED" in self.said:
            return
        if self.used >= SECONDS:
            self.said.append("SLA_BREACHED")
        elif self.used >= SECONDS * 0.8 and not self.said:
            self.said.append("SLA_WARNING")

    def check(self, *said: object) -> None:
        """Compare it with what the product shows and has told; `said`: what to show where it differs."""
        row = run_row(make.a_tenant().pk, self.run_id)
        if row["completed_at"] is None:
            # It goes on: the time in which it stood still counts.
            self.used, self.dead = self.used + self.dead, 0
        given = (row["sla_deadline"] - row["created_at"]).total_seconds() - SECONDS
        stands = "breached" if self.used >= SECONDS else "warning" if self.used >= 80 else "ok"
        if row["completed_at"] is not None and stands == "warning":
            stands = "ok"
        told = [event for event in make.history(self.run_id) if event.startswith("SLA")]
        expected = (self.moved - _since(row["sla_paused_at"], self.clock.now), stands, self.said)
        assert (given, row["sla"], told) == expected, ((given, row["sla"], told), expected, self.used, said)


def _since(stopped_at: datetime | None, now: datetime) -> float:
    """What is added when the clock of the deadline runs again."""
    return (now - stopped_at).total_seconds() if stopped_at else 0


USUAL = [*["time"] * 7, *["end"] * 4, *["signal"] * 3, *["fail"] * 3, "look", "look"]
USUAL += ["retry", "skip", "pause", "migrate", "pause_below"]
UNDOES = ["time", "time", "fail", "fail", "end", "signal", "look", "retry", "skip"]
VERBS = {
    "FAILED": ["time", "look", "resume", "resume_on", "retry"],
    "COMPENSATING": UNDOES,
    "WAITING_FOR_MANUAL_ACTION": UNDOES,
}
"""What is done to a run, by its status."""


class Player:
    """Does things to a run and to the runs below it, as dice say. `done`: which verbs had an effect, and the statuses
    that the run came to; `held`: jobs that a worker has."""

    def __init__(self, ledger: Ledger, dice: Random, again: dict[str, object]) -> None:
        self.ledger, self.dice, self.again = ledger, dice, again
        self.done: set[str] = set()
        self.held: list[ClaimedStep] = []

    def play(self, turns: int) -> None:
        """So many verbs, each followed by a comparison."""
        story = []
        for _ in range(turns):
            verb = self.dice.choice(VERBS.get(make.run(self.ledger.run_id).status, USUAL))
            try:
                changed = getattr(self, verb)()
            except RunRefused:
                continue
            make.work("engine")
            if changed is not False:
                self.done |= {verb, make.run(self.ledger.run_id).status}
                story.append(verb)
                self.ledger.check(story, self._stand())

    def _stand(self) -> list[object]:
        return [(run.status, make.statuses(str(run.pk))) for run in tree_of(self.ledger.run_id)]

    def time(self) -> None:
        self.ledger.advance(self.dice.randrange(1, 20))

    def look(self) -> None:
        self.ledger.look()

    def _some(self, **filters: object) -> StepExecution | None:
        # A child that goes on by itself while its parent has ended is for a test of its own.
        root, *others = tree_of(self.ledger.run_id)
        runs = [root.pk, *(run.pk for run in others if None is root.completed_at is run.completed_at)]
        steps = list(StepExecution.unsafe_all_tenants.filter(run_id__in=runs, **filters).order_by("pk"))
        return self.dice.choice(steps) if steps else None

    def end(self) -> bool:
        """One job is done, or begun."""
        return self._job(lambda step: make.complete(step, output={}))

    def fail(self) -> bool:
        """One job fails, for good or to be tried again."""
        retryable = self.dice.random() < 0.4
        return self._job(lambda step: make.fail(step, retryable=retryable))

    def _job(self, end) -> bool:
        runs = {str(run.pk) for run in tree_of(self.ledger.run_id)}
        self.held += [
            step for step in make.claimed("jobs", limit=self.dice.randrange(1, 3)) if step.run_id in runs
        ]
        if not self.held:
            return False
        if self.dice.random() < 0.3:
            self.ledger.advance(self.dice.randrange(1, 10))
        end(self.held.pop(self.dice.randrange(len(self.held))))
        return True

    def signal(self) -> bool:
        step = self._some(status="WAITING", waiting__kind="signal")
        return step is not None and make.send(str(step.run_id), step.waiting["name"])

    def retry(self) -> bool | None:
        step = self._some(status__in=["FAILED", "QUEUED"], index=None)
        return False if step is None else make.retry(str(step.run_id), step.node)

    def skip(self) -> bool | None:
        step = self._some(status__in=["FAILED", "WAITING"], index=None)
        if step is None or (step.waiting or {}).get("kind") in FOR_OTHERS:
            return False
        return make.skip(str(step.run_id), step.node, {})

    def pause(self) -> None:
        is_paused = make.run(self.ledger.run_id).status == "PAUSED"
        (make.unpause if is_paused else make.pause)(self.ledger.run_id)
        self.ledger.is_stopped = not is_paused and self.ledger.pauses is not False

    def pause_below(self) -> bool | None:
        runs = [run for run in tree_of(self.ledger.run_id)[1:] if run.completed_at is None]
        if not runs:
            return False
        run = self.dice.choice(runs)
        return (make.unpause if run.status == "PAUSED" else make.pause)(str(run.pk))

    def resume(self) -> None:
        make.resume(self.ledger.run_id)

    def resume_on(self) -> None:
        make.resume_on(self.ledger.run_id, self._version())

    def migrate(self) -> None:
        pauses = self.dice.choice(["waiting", "waiting", True, False])
        make.migrate(self.ledger.run_id, self._version(sla_pauses=pauses))
        self.ledger.pauses = pauses

    def _version(self, **settings: object):
        settings = {"sla_pauses": self.ledger.pauses, "title": f"t{self.dice.random()}", **settings}
        return make.newer(self.ledger.run_id, self.again | settings)
