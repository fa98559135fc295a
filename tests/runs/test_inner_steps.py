"""Steps within containers, counted over all items, with one as an example."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from lib import named_sql
from runs.reading import last_runs
from runs.reading.inner_steps import inner_steps
from tests import factories as make
from workflows.models import Workflow

pytestmark = pytest.mark.django_db

SHARE = {"id": "share", "type": "transform", "params": {"set": {"of": "{{ 10 / item }}"}}}
TELL = {"id": "tell", "type": "transform", "params": {"set": {"said": "{{ string(steps.share.output.of) }}"}}}


def sharing(items, *steps, **params):
    """A run of a map that does these steps, or two, for each of the items."""
    body = {"steps": list(steps) or [SHARE, TELL]}
    run_id = make.start(make.mapped(body, **params), {"items": items})[0]
    make.work()
    return run_id


def told(run_id):
    """How its inner steps stand, as the API gives them, by node."""
    return {one.counted.node: one.as_dict() for one in inner_steps(make.a_tenant().pk, run_id)}


def test_they_are_counted_over_all_items_with_the_first_that_completed_and_the_first_that_failed():
    run_id = sharing([0, 5, 0, 2], tolerate_failures=4)
    steps = told(run_id)
    assert (steps["share"]["container"], steps["share"]["total"]) == ("each", 4)
    assert steps["share"]["counts"] == {"COMPLETED": 2, "FAILED": 2}
    assert steps["tell"]["counts"] == {"COMPLETED": 2}, "of those that failed before nothing is to be told"
    first, failed = steps["share"]["first"], steps["share"]["failed"]
    assert (first["index"], first["places"], first["output"]) == (1, [1], {"of": 2})
    assert (failed["index"], failed["status"], failed["error"]["code"]) == (0, "FAILED", "ExpressionError")
    assert first["run_id"] in {str(part.pk) for part in make.children_of(run_id)}
    assert steps["tell"]["first"]["output"] == {"said": "2"}
    assert steps["tell"]["failed"] is None


def test_as_many_statements_are_asked_for_one_item_as_for_many():
    tenant = make.a_tenant().pk

    def asked(run_id):
        names = []
        named_sql.watchers.append(names.append)
        try:
            with CaptureQueriesContext(connection) as others:
                found = inner_steps(tenant, run_id)
        finally:
            named_sql.watchers.remove(names.append)
        return names, len(others), [sum(one.counted.counts.values()) for one in found]

    few, many = sharing([1]), sharing([1] * 60)
    told(few), told(many)
    names, others, counts = asked(few)
    assert (names, others, counts) == (["inner_steps", "show_runs"], 0, [1, 1])
    assert asked(many) == (names, others, [60, 60])


def test_maps_within_maps_say_the_places_on_the_way_to_the_item():
    inner = {"id": "inner", "type": "map", "params": {"items": "{{ item }}", "body": {"steps": [SHARE]}}}
    steps = told(sharing([[], [4, 5]], inner))
    assert (steps["share"]["container"], steps["share"]["total"]) == ("inner", 2)
    assert steps["share"]["counts"] == {"COMPLETED": 2}
    assert (steps["share"]["first"]["places"], steps["share"]["first"]["index"]) == ([1, 0], 0)
    assert steps["inner"]["counts"] == {"COMPLETED": 2}


def test_rounds_of_a_loop_count_as_items_as_far_as_they_have_begun():
    again = {"id": "again", "type": "loop", "params": {"body": {"steps": [SHARE]}, "count": 3}}
    run_id = make.start(make.graph([again | {"input": {"of": 1}}], []), {})[0]
    make.work()
    steps = told(run_id)
    assert (steps["share"]["total"], sum(steps["share"]["counts"].values())) == (1, 1)
    assert steps["share"]["failed"]["places"] == [0]


def test_of_more_parts_than_are_counted_it_says_so():
    run_id = sharing([0, 1, 2, 3])
    steps = {most: inner_steps(make.a_tenant().pk, run_id, most=most)[0] for most in (3, 4)}
    counted = [(one.counted.cut, sum(one.counted.counts.values())) for one in steps.values()]
    assert counted == [(True, 3), (False, 4)]
    assert [one.as_dict()["cut"] for one in steps.values()] == [True, False]


def test_the_one_step_of_a_body_that_waits_is_left_out_and_another_one_of_its_name_is_not(clock):
    wait = {"type": "wait", "params": {"duration": "PT1M"}}
    ask = {"id": "ask", "type": "map", "params": {"items": "{{ input.items }}", "body": wait}}
    step = {"id": "step", "type": "transform", "params": {"set": {"n": "{{ item }}"}}}
    do = {"id": "do", "type": "map", "params": {"items": "{{ input.items }}", "body": {"steps": [step]}}}
    run_id = make.start(make.graph([ask, do], []), {"items": [1, 2]})[0]
    make.work()
    clock.advance(60)
    make.tick()
    make.work()
    assert [(one.counted.container, one.counted.node) for one in inner_steps(make.a_tenant().pk, run_id)] == [
        ("do", "step")
    ]
    workflow = Workflow.unsafe_all_tenants.get(pk=make.run(run_id).workflow_id)
    assert last_runs.last_run(workflow).outputs["step"] == {"n": 1}


def test_those_that_failed_are_read_only_for_who_asks_for_them():
    run_id = sharing([0, 5], tolerate_failures=1)
    share, tell = inner_steps(make.a_tenant().pk, run_id, failed=False)
    assert (share.first.step["output"], share.failed, tell.failed) == ({"of": 2}, None, None)
    assert share.counted.counts == {"COMPLETED": 1, "FAILED": 1}


def test_a_run_without_containers_is_asked_once_and_has_none():
    run_id = make.start(make.chain("noop"))[0]
    assert inner_steps(make.a_tenant().pk, run_id) == []


def test_another_tenants_run_has_none_here():
    run_id = sharing([1])
    assert inner_steps(make.a_tenant("other").pk, run_id) == []


def test_the_last_run_of_a_workflow_is_none_of_its_parts_and_tells_what_these_gave():
    run_id = sharing([4, 0], tolerate_failures=1)
    workflow = Workflow.unsafe_all_tenants.get(pk=make.run(run_id).workflow_id)
    last = last_runs.last_run(workflow)
    assert (last.run_id, last.input) == (run_id, {"items": [4, 0]})
    assert (last.outputs["share"], last.outputs["tell"]) == ({"of": 2}, {"said": "2"})
    assert last.inputs["share"] == 4
    assert "results" in last.outputs["each"]
