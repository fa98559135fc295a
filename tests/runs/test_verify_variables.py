"""A variable of a run that is not as history says is found (R-064, I12)."""

import pytest

from runs.models import RunVariable
from tests import factories as make
from tests.runs.test_verify_history import EVENT, after, told

pytestmark = pytest.mark.django_db


def a_setting_one():
    """Two steps that set the same variable beside each other, and a loop whose rounds set others."""
    body = {
        "steps": [{"id": "plus", "type": "noop", "set_vars": {"sum": "{{ vars.sum + index }}", "last": 1}}]
    }
    nodes = [
        {"id": "a", "type": "noop", "set_vars": {"sum": 0, "x": {"of": "a"}}},
        {"id": "b", "type": "noop", "set_vars": {"x": None}},
        {"id": "again", "type": "loop", "params": {"body": body, "count": 3}},
    ]
    run_id = make.start(make.graph(nodes, ["a>again"]))[0]
    make.work()
    return run_id


def test_a_variable_that_was_changed_is_found():
    run_id = a_setting_one()
    variables = RunVariable.unsafe_all_tenants.filter(run_id=run_id)
    assert told(run_id) == []
    assert sorted(variables.values_list("node", "name")) == [
        *[("a", "sum"), ("a", "x"), ("again", "last"), ("again", "sum"), ("b", "x")]
    ]
    changes = ["value = '17'", "index = coalesce(index, 0) + 1", "node = node || 'x'", "name = name || 'x'"]
    for variable in variables:
        for change in changes:
            sql = f"UPDATE runs_runvariable SET {change} WHERE id = %s"
            field = (variable.node, f"variable {variable.name}")
            assert field in after(run_id, (sql, [variable.pk])), (variable.name, change)
        assert after(run_id, ("DELETE FROM runs_runvariable WHERE id = %s", [variable.pk])) == [field]
    turned = "UPDATE runs_runvariable SET place = -place WHERE run_id = %s AND name = 'x'"
    assert after(run_id, (turned, [run_id])) == [(None, "order of variable x")]


def test_a_variable_that_was_taken_over_was_set_elsewhere():
    chain = [
        {"id": "a", "type": "noop", "set_vars": {"x": 1}},
        {"id": "b", "type": "noop", "set_vars": {"x": 2}},
    ]
    run_id = make.start(make.graph(chain, ["a>b"]))[0]
    make.work()
    again = make.rerun(run_id, "b")
    assert told(again) == []
    make.work()
    assert told(again) == []


def test_an_event_that_says_no_more_what_was_set_is_found():
    run_id = a_setting_one()
    events = make.events(run_id, "VARIABLES_SET")
    assert len(events) == 5
    # What a later event of the same step says counts.
    for event in {event.node: event for event in events}.values():
        for change in ("payload = '{}'", "node = node || 'x'"):
            assert after(run_id, (EVENT.format(change), [event.id])) != [], (event.node, change)
