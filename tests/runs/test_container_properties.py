"""Random maps, many in each batch, paused and resumed at random: what comes together is what their items gave."""

import random
from dataclasses import dataclass

import pytest

from engine.containers import SLICE, Counts
from runs.kernel.advance import advance
from runs.store.attempts import AttemptResult, ClaimedStep, Errored, Succeeded
from tests import factories as make
from tests.families import shown

pytestmark = pytest.mark.django_db

QUICK = range(3)
SOAK = range(100, 160)
RUNS = 12
BAD = {"code": "Bad", "message": "It went wrong.", "retryable": False}


@dataclass
class Case:
    """A map and what is to become of its items."""

    total: int
    at_once: int
    tolerated: int
    bad: frozenset[int]

    @property
    def definition(self):
        return make.mapped(max_concurrency=self.at_once, tolerate_failures=self.tolerated)


def a_case(dice: random.Random) -> Case:
    total = dice.choice((0, 1, 2, 5, 17, 40))
    bad = frozenset(index for index in range(total) if dice.random() < dice.choice((0, 0.05, 0.3)))
    return Case(total, dice.randint(1, 12), dice.choice((0, 0, 1, 3, 40)), bad)


def result(step: ClaimedStep, case: Case) -> AttemptResult:
    """How a step ends; `before` and `after` give on what they are given."""
    if step.index is None:
        return Succeeded(step.input)
    return Errored(BAD) if step.index in case.bad else Succeeded({"of": step.input})


def drive(dice: random.Random, cases: dict[str, Case]) -> None:
    """Until nothing can be claimed: batches of any steps of any runs, while runs are paused and go on."""
    hand: list[ClaimedStep] = []
    while True:
        make.work("engine")
        hand += make.claimed(limit=dice.randint(1, 30))
        if not hand:
            return
        dice.shuffle(hand)
        ending = [hand.pop() for _ in range(dice.randint(1, len(hand)))]
        open_now = [run for run in cases if make.run(run).status == "RUNNING"]
        paused = [run for run in open_now if dice.random() < 0.1]
        if paused:
            make.pause(*paused)
        advance([(step, result(step, cases[step.run_id])) for step in ending])
        for run_id in cases:
            states = [child.status for child in make.children(run_id, "each")]
            assert sum(state in ("QUEUED", "RUNNING") for state in states) <= cases[run_id].at_once
        still = [run for run in paused if make.run(run).status == "PAUSED"]
        if still:
            make.unpause(*still)


def expected(case: Case) -> list[object]:
    return [{"error": BAD} if index in case.bad else {"of": f"item {index}"} for index in range(case.total)]


def prove(seed: int) -> None:
    dice = random.Random(seed)
    cases = {}
    for _ in range(RUNS):
        case = a_case(dice)
        items = [f"item {index}" for index in range(case.total)]
        (run_id,) = make.start(case.definition, {"items": items})
        cases[run_id] = case
    drive(dice, cases)

    failed = {run_id for run_id, case in cases.items() if len(case.bad) > case.tolerated}
    for run_id, case in cases.items():
        run = make.run(run_id)
        assert run.status == ("FAILED" if run_id in failed else "COMPLETED"), case
        assert run_id in failed or run.output == {"results": expected(case)}, case
    if not failed:
        return
    done = {
        run_id: {child.id for child in make.children(run_id, "each") if child.status == "COMPLETED"}
        for run_id in failed
    }
    again = {run_id: Case(cases[run_id].total, cases[run_id].at_once, 0, frozenset()) for run_id in failed}
    make.resume(*failed)
    drive(dice, again)
    for run_id, case in again.items():
        assert make.run(run_id).output == {"results": expected(case)}, case
        assert done[run_id] <= {child.id for child in make.children(run_id, "each")}, "done once"


@pytest.mark.parametrize("seed", shown(QUICK, 1))
def test_random_maps(seed):
    prove(seed)


@pytest.mark.soak
@pytest.mark.parametrize("seed", SOAK)
def test_many_random_maps(seed):
    prove(seed)


def test_counts_let_every_child_begin_once_and_never_too_many_at_a_time():
    for seed in range(200):
        prove_counts(random.Random(seed))


def prove_counts(dice: random.Random) -> None:
    total, at_once, tolerated = dice.randint(0, 3000), dice.randint(1, 2500), dice.randint(0, 5)
    opened = ended = failed = 0
    while not (counts := Counts(total, at_once, tolerated, opened, ended, failed)).is_over:
        assert 0 <= counts.to_open <= SLICE
        opened += counts.to_open
        assert opened <= total
        assert opened - ended <= at_once
        assert opened > ended, "something is open, or nothing would go on"
        over = dice.randint(1, opened - ended)
        ended += over
        failed += sum(dice.random() < 0.001 for _ in range(over))
    assert counts.to_open == 0
    assert counts.has_failed or (opened, ended) == (total, total)
