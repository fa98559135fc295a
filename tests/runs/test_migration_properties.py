"""Random runs, moved to graphs that were changed at random, through the real SQL: none gets stuck (R-010)."""

import random

import pytest

from runs.commands import migration
from runs.integrity.verify import verify
from runs.kernel.refused import RunRefused
from tests import factories as make
from tests.engine.strategies import BYTES, case_from
from tests.engine.test_migrating import is_valid, mutated

pytestmark = pytest.mark.django_db

RUNS = 16
OUTPUTS = ({}, {"branch": "x"}, {"branch": "y"}, {"branch": "z"})


def goes_on(run_id, case):
    """Ends one step of the run, whoever it waits for; whether there was one."""
    make.work("engine")
    held = make.claimed("default", limit=1) or make.claimed("outside", limit=1)
    for step in held:
        kind, value = case.script.get(step.node, ("completed", {}))
        if kind == "completed":
            make.complete(step, output=value)
        else:
            make.fail(step)
    if held:
        return True
    waiting = [node for node, status in make.statuses(run_id).items() if status == "WAITING"]
    if make.run(run_id).status != "RUNNING" or not waiting:
        return False
    for output in OUTPUTS:
        try:
            make.skip(run_id, waiting[0], output)
            return True
        except RunRefused:
            continue
    make.cancel(run_id)
    return True


@pytest.mark.parametrize("seed", [1, 2])
def test_a_run_that_was_moved_ends_and_its_rows_are_what_its_history_says(seed):
    dice = random.Random(seed)
    moved = 0
    for _ in range(RUNS):
        case = case_from(dice.randbytes(BYTES))
        run_id = make.start(case.definition, case.run_input)[0]
        for _ in range(dice.randrange(5)):
            goes_on(run_id, case)
        changed = mutated(case, dice.randrange(10_000))
        definition = changed if is_valid(changed) and dice.random() < 0.7 else case.definition
        version = make.newer(run_id, definition)
        checked = migration.check_run(make.a_tenant().pk, run_id, version.pk)
        fits, codes = checked.ok, {problem.code for problem in checked.problems}
        if definition is case.definition:
            failed = make.run(run_id).error is not None
            assert codes <= ({"not_open", "step_unclear"} if failed else {"not_open"}), (codes, definition)
        try:
            make.migrate(run_id, version)
            moved += 1
            assert fits
        except RunRefused:
            assert not fits
        assert list(verify([run_id])) == []
        while goes_on(run_id, case):
            pass
        assert make.run(run_id).status in ("COMPLETED", "FAILED", "CANCELLED"), (
            seed,
            case.definition,
            definition,
        )
        assert list(verify([run_id])) == []
    assert moved > 0
