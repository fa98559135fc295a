"""Random graphs through the real SQL, many runs in each batch: what the page says is what the tables hold (R-263)."""

import random
from dataclasses import replace

import pytest

from runs.commands.lifecycle import resume_runs
from runs.kernel.refused import RunRefused
from runs.models import Run, StepJoin
from tests import factories as make
from tests.engine.nested import completed
from tests.engine.strategies import BYTES, Case, case_from, handling
from tests.engine.telling import Told, read, told_by_page, wrong_joins
from tests.families import shown
from tests.runs.fleet import Fleet

pytestmark = pytest.mark.django_db

QUICK = range(2)
SOAK = range(100, 200)
RUNS = 25


def random_cases(dice: random.Random, *, races: bool) -> list[Case]:
    return [case_from(dice.randbytes(BYTES), races=races) for _ in range(RUNS)]


def prove_the_order_of_the_page(seed: int) -> None:
    """Each run's outcomes one at a time, as the reference takes them; batches mix many runs."""
    fleet = Fleet(random.Random(seed), strictly=True)
    fleet.start(case for case in random_cases(fleet.dice, races=True) if not read(case, case.order).tied)
    fleet.drive()

    for run_id, told in fleet.told().items():
        case = fleet.cases[run_id]
        assert told == told_by_page(read(case, case.order)), case


def prove_any_partition(seed: int) -> None:
    """Any number of outcomes of any run in any batch, and steps that stay with their worker."""
    fleet = Fleet(random.Random(seed), strictly=False)
    fleet.start(random_cases(fleet.dice, races=False))
    fleet.drive()

    for run_id, told in fleet.told().items():
        case = fleet.cases[run_id]
        page = told_by_page(read(case, case.order))
        assert told["status"] == page["status"], case
        # Where a failure stops the others it is chance how far they were.
        stops = case.definition.get("on_failure") != "finish_others"
        assert told == page or (stops and told["status"] == "FAILED"), case
    done = Run.unsafe_all_tenants.filter(id__in=fleet.cases, status="COMPLETED")
    assert set(done.values_list("open_sinks", flat=True)) == {0}


def prove_no_run_is_stuck(seed: int) -> None:
    """With races, whatever the batches: every run ends, joins were right, and none waits that has all its edges."""
    fleet = Fleet(random.Random(seed), strictly=False)
    fleet.start(random_cases(fleet.dice, races=True))
    fleet.drive()

    assert fleet.stuck() == {}
    told = fleet.told()
    assert all(wrong_joins(case, told[run_id]) == [] for run_id, case in fleet.cases.items())
    for join in StepJoin.unsafe_all_tenants.filter(run_id__in=fleet.cases, fired=False):
        run_id = str(join.run_id)
        assert (
            join.arrived < len(fleet.cases[run_id].sources_of(join.node))
            or told[run_id]["status"] == "FAILED"
        )


def prove_resume(seed: int) -> None:
    """What failed is done again and does well this time: the run ends as if it had never failed."""
    for run_id, (case, told) in resumed(seed, races=False).items():
        page = told_by_page(read(case, case.order))
        assert told["status"] == page["status"], (run_id, case)
        assert told["status"] == "FAILED" or told == page, (run_id, case)


def prove_resume_with_races(seed: int) -> None:
    """The same where the order matters: each run ends, by joins that were right."""
    for run_id, (case, told) in resumed(seed, races=True).items():
        assert wrong_joins(case, told) == [], (run_id, case)


def prove_resume_on(seed: int) -> None:
    """A version with the same graph: the run ends as if it had been that from the start, and had never failed."""
    fleet, failed = failed_fleet(seed)
    gone_on, refusals = [], set()
    for run_id in failed:
        try:
            make.resume_on(run_id, make.newer(run_id, fleet.cases[run_id].definition))
            gone_on.append(run_id)
        except RunRefused as refused:
            # Its edges can't be resolved; or the timer that led to what is done has not fired anew.
            rung = bool(fleet.cases[run_id].rung) and "would not have reached it yet" in refused.message
            refusals.add((refused.code, rung or "leads nowhere" in refused.message))
    fleet.cases = {run_id: fleet.cases[run_id] for run_id in gone_on}
    fleet.drive()

    assert gone_on
    assert refusals <= {("does_not_fit", True)}
    for run_id, told in fleet.told(anew=True).items():
        case = fleet.cases[run_id]
        page = told_by_page(read(case, case.order))
        assert told["status"] == page["status"], (run_id, case)
        assert told["status"] == "FAILED" or told["steps"] == page["steps"], (run_id, case)


def prove_rerun(seed: int) -> None:
    """From whatever step a run is rerun, with what its steps gave: it ends as that run did."""
    fleet = Fleet(random.Random(seed), strictly=False)
    fleet.start(random_cases(fleet.dice, races=False))
    fleet.drive()
    again, refusals = {}, set()
    for run_id, told in fleet.told().items():
        case = fleet.cases[run_id]
        fresh = told["status"] == "FAILED" and mended(case) != case
        reached = sorted(name for name, (status, *_) in told["steps"].items() if status != "SKIPPED")
        node = fleet.dice.choice(reached)
        try:
            again[make.rerun(run_id, node)] = mended(case) if fresh else case
        except RunRefused as refused:
            refusals.add(refused.code)
    fleet.cases, fleet.picks = again, {run_id: case.order.pick() for run_id, case in again.items()}
    fleet.drive()

    assert again
    assert refusals <= {"does_not_fit"}
    for run_id, told in fleet.told().items():
        case = fleet.cases[run_id]
        page = told_by_page(read(case, case.order))
        assert told["status"] == page["status"], (run_id, case)
        assert told["status"] == "FAILED" or told == page, (run_id, case)


def failed_fleet(seed: int) -> tuple[Fleet, list[str]]:
    """Runs that failed, with scripts by which what failed does well now."""
    fleet = Fleet(random.Random(seed), strictly=False)
    fleet.start(random_cases(fleet.dice, races=False) + random_cases(fleet.dice, races=False))
    fleet.drive()
    failed = [run_id for run_id, told in fleet.told().items() if told["status"] == "FAILED"]
    fleet.cases = {run_id: mended(fleet.cases[run_id]) for run_id in failed}
    return fleet, failed


def resumed(seed: int, *, races: bool) -> dict[str, tuple[Case, Told]]:
    """Runs that failed, were resumed and have ended again, by id."""
    fleet = Fleet(random.Random(seed), strictly=False)
    fleet.start(random_cases(fleet.dice, races=races) + random_cases(fleet.dice, races=races))
    fleet.drive()
    failed = [run_id for run_id, told in fleet.told().items() if told["status"] == "FAILED"]
    fleet.cases = {run_id: mended(fleet.cases[run_id]) for run_id in failed}
    resume_runs(make.a_tenant().pk, failed, by="test")
    fleet.drive()

    assert failed
    assert fleet.stuck() == {}
    return {run_id: (fleet.cases[run_id], told) for run_id, told in fleet.told().items()}


def mended(case: Case) -> Case:
    """The case with every failure that fails the run turned into success."""
    hard = {node["id"] for node in case.nodes if handling(node) in ("fail", "ask")}
    nodes = {node["id"]: node for node in case.nodes}
    script = {
        name: completed(nodes[name], {"n": 1, "ok": True})
        if name in hard and kind == "failed"
        else (kind, value)
        for name, (kind, value) in case.script.items()
    }
    return replace(case, script=script)


@pytest.mark.parametrize("seed", shown(QUICK, 1))
def test_in_the_same_order_every_run_ends_as_the_page_says(seed):
    prove_the_order_of_the_page(seed)


@pytest.mark.parametrize("seed", shown(QUICK, 1))
def test_any_partition_of_the_outcomes_into_batches_leads_to_the_same_end(seed):
    prove_any_partition(seed)


@pytest.mark.parametrize("seed", shown(QUICK, 1))
def test_no_run_is_ever_stuck(seed):
    prove_no_run_is_stuck(seed)


@pytest.mark.parametrize("seed", shown(QUICK, 1))
def test_a_resumed_run_ends_as_if_it_had_never_failed(seed):
    prove_resume(seed)


@pytest.mark.parametrize("seed", shown(QUICK, 1))
def test_a_resumed_run_ends_also_where_the_order_matters(seed):
    prove_resume_with_races(seed)


@pytest.mark.parametrize("seed", QUICK)
def test_a_run_resumed_on_the_same_graph_ends_as_if_it_had_never_failed(seed):
    prove_resume_on(seed)


@pytest.mark.parametrize("seed", shown(QUICK, 1))
def test_a_rerun_ends_as_the_run_that_it_repeats(seed):
    prove_rerun(seed)


@pytest.mark.soak
@pytest.mark.parametrize("seed", SOAK)
@pytest.mark.parametrize(
    "prove",
    [
        prove_the_order_of_the_page,
        prove_any_partition,
        prove_no_run_is_stuck,
        prove_resume,
        prove_resume_with_races,
        prove_resume_on,
        prove_rerun,
    ],
    ids=lambda prove: prove.__name__,
)
def test_thousands_of_random_graphs(prove, seed):
    prove(seed)
