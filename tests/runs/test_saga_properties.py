"""Random graphs that undo what they did: the SQL against what the page says (R-134 to R-141, H-24)."""

import random

import pytest

from runs.models import StepExecution
from tests import factories as make
from tests.engine.strategies import BYTES, Case, case_from
from tests.engine.telling import read, told_by_page
from tests.engine.undoing import may_begin, misplaced, status_after, to_undo
from tests.families import shown
from tests.runs.fleet import Fleet
from tests.runs.undoer import UNDO, Undoer

pytestmark = pytest.mark.django_db

QUICK = range(3)
SOAK = range(100, 200)
RUNS = 25


def closed(seed: int, *, strictly: bool) -> Undoer:
    """Runs that have closed, and what they had done was undone."""
    fleet = Fleet(random.Random(seed), strictly=strictly)
    cases = [case_from(fleet.dice.randbytes(BYTES), races=strictly, saga=True) for _ in range(RUNS)]
    fleet.start(case for case in cases if not read(case, case.order).tied)
    fleet.drive()
    undoer = Undoer(fleet, fleet.dice)
    undoer.drive()
    assert fleet.stuck() == {}
    fleet.drive()
    return undoer


def first_times(begun: list[tuple[str, object]]) -> list[str]:
    """The nodes in the order in which their compensations were begun first."""
    return list(dict.fromkeys(name for name, _ in begun))


def may_have_done(step: StepExecution, unknown: bool) -> bool:
    """Whether a step did its work, or began it and nobody knows: then it counts only where `unknown` does."""
    if step.status == "CANCELLED":
        return unknown and step.attempt > 0 and step.cancel_cause in ("unknown", "timer")
    slow = step.status == "FAILED" and step.error["code"] == "Timeout"
    return step.status == "COMPLETED" or (unknown and slow)


def check_what_was_given(case: Case, run_id: str, undoer: Undoer) -> None:
    """Each compensation got what the step had got and given, and its key, as often as people had it tried again."""
    steps = make.steps(run_id)
    begun = undoer.begun.get(run_id, [])
    given = {step.pk: step.output for step in steps.values()}
    for node, got in begun:
        step = steps[node]
        known = given.get(step.input_from, case.run_input) if step.input_from else step.input
        key = f"{run_id}/{node}"
        same = {"idempotency_key": key, "idempotency_keys": [key]}
        assert got == {"input": known, "output": step.output, **same}
    for node in first_times(begun):
        times = 1 + case.undo[node].count("retry")
        assert [name for name, _ in begun].count(node) == times, (node, case)


def check_what_was_together(case: Case, run_id: str, undoer: Undoer, wanted: set[str]) -> None:
    """Where branches are undone at the same time, all that may be undone is at each moment."""
    if case.definition.get("compensation") == "parallel":
        for begun, over in undoer.stands.get(run_id, []):
            assert begun == may_begin(case.definition, wanted, over), case


def prove_undoing_in_the_order_of_the_page(seed: int) -> None:
    """Each run's outcomes one at a time: what is undone, in which order, and how the run ends is what the page says."""
    undoer = closed(seed, strictly=True)
    told = undoer.fleet.told()
    for run_id, case in undoer.fleet.cases.items():
        final = read(case, case.order)
        wanted = to_undo(case.definition, final)
        order = first_times(undoer.begun.get(run_id, []))
        assert set(order) == wanted, case
        ended = {name: step.at for name, step in final.steps.items()}
        assert misplaced(case.definition, order, ended) == [], case
        assert told[run_id]["status"] == status_after(final, wanted, case.undo), case
        check_what_was_given(case, run_id, undoer)
        check_what_was_together(case, run_id, undoer, wanted)
        steps = {name: step for name, step in told[run_id]["steps"].items() if not name.endswith(UNDO)}
        assert steps == told_by_page(final)["steps"], case


def prove_undoing_in_any_order(seed: int) -> None:
    """Any batches: what is undone is what the rows say was done, the last that ended first, each once."""
    undoer = closed(seed, strictly=False)
    for run_id, case in undoer.fleet.cases.items():
        steps = make.steps(run_id)
        order = first_times(undoer.begun.get(run_id, []))
        over = make.run(run_id).status == "COMPLETED"
        unsaid = {node["id"] for node in case.nodes if node.get("compensate_on_unknown", True)}
        wanted = {name for name in case.undo if name in steps and may_have_done(steps[name], name in unsaid)}
        assert set(order) == (set() if over else wanted), case
        assert misplaced(case.definition, order, {name: steps[name].completed_at for name in order}) == []
        check_what_was_given(case, run_id, undoer)
        check_what_was_together(case, run_id, undoer, wanted)


@pytest.mark.parametrize("seed", shown(QUICK, 1))
def test_what_was_done_is_undone_as_the_page_says(seed):
    prove_undoing_in_the_order_of_the_page(seed)


@pytest.mark.parametrize("seed", shown(QUICK, 1))
def test_what_was_done_is_undone_whatever_the_batches(seed):
    prove_undoing_in_any_order(seed)


@pytest.mark.soak
@pytest.mark.parametrize("seed", SOAK)
@pytest.mark.parametrize(
    "prove",
    [prove_undoing_in_the_order_of_the_page, prove_undoing_in_any_order],
    ids=lambda prove: prove.__name__,
)
def test_thousands_of_random_sagas(prove, seed):
    prove(seed)
