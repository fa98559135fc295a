"""What is shown of runs has the fields that their typed rows declare."""

import pytest

from runs.reading.presentation import brief_rows, rows_of_items, run_row, step_rows
from runs.reading.run_view import COLUMNS, RunView, StepView
from runs.reading.stored import LISTED, ONE_RUN
from tests import factories as make

pytestmark = pytest.mark.django_db


def fits(row, view):
    """Whether a row has all of its fields and no others."""
    return view.__required_keys__ <= row.keys() <= view.__annotations__.keys()


def test_runs_steps_and_items_have_the_fields_that_are_declared():
    tenant = make.a_tenant().pk
    [run] = make.start(make.mapped(), {"items": [1, 2]})
    for _ in range(2):
        row = run_row(tenant, run)
        assert fits(row, RunView)
        assert {step["node"]: fits(step, StepView) for step in row["steps"]} == {"each": True, "after": True}
        make.work()
    assert all(fits(step, StepView) for step in step_rows(tenant, run, "each"))
    assert all(fits(item, StepView) for item in rows_of_items(tenant, run, "each", [0, 1], ONE_RUN))
    [(brief, _)] = brief_rows(tenant, [run], LISTED)
    assert fits(brief, RunView)


def test_columns_are_shown_as_they_are():
    [run] = make.start(make.chain("noop"), by="ann")
    row, stored = run_row(make.a_tenant().pk, run), make.run(run)
    assert {name: row[name] for name in COLUMNS} == {name: getattr(stored, name) for name in COLUMNS}
