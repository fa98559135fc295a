"""Starts: the business key, what a start refuses, and what it leaves (docs/engine.md, "Starts"; R-034, C-20)."""

import pytest

from runs.commands.starts import NewRun, Terms, start_runs
from runs.kernel.refused import RunRefused
from runs.models import Run, RunKey
from tests import factories as make

pytestmark = pytest.mark.django_db


def start(version, *items, **how):
    return start_runs(Terms(version.tenant_id, version.pk, "test"), items, **how)


@pytest.fixture
def version():
    return make.a_version(make.chain("noop"))


def test_the_same_business_key_gives_the_same_run(version):
    first = start(version, NewRun({"n": 1}, "k"))[0]
    second = start(version, NewRun({"n": 2}, "k"))[0]

    assert (first.created, second.created) == (True, False)
    assert first.id == second.id
    assert make.run(first.id).input == {"n": 1}


def test_the_same_business_key_twice_in_one_batch_starts_one_run(version):
    found = start(version, NewRun({"n": 1}, "k"), NewRun({"n": 2}), NewRun({"n": 3}, "k"))

    assert [one.created for one in found] == [True, True, False]
    assert found[0].id == found[2].id != found[1].id
    assert Run.unsafe_all_tenants.count() == 2


def test_without_a_business_key_there_is_no_row_for_it(version):
    start(version, NewRun({}), NewRun({}))

    assert RunKey.unsafe_all_tenants.count() == 0


def test_a_key_is_one_of_its_workflow_only(version):
    other = make.a_version(make.chain("noop"))

    assert start(version, NewRun({}, "k"))[0].id != start(other, NewRun({}, "k"))[0].id


def test_a_key_of_an_ended_run_may_be_taken_over_where_the_caller_says_so(version):
    """H-12: a business key is unique in its generation."""
    first = start(version, NewRun({}, "k"))[0]
    assert start(version, NewRun({}, "k"), if_exists="new_if_ended")[0].id == first.id
    make.work()

    again = start(version, NewRun({}, "k"), if_exists="new_if_ended")[0]

    assert again.created
    assert again.id != first.id
    assert RunKey.unsafe_all_tenants.get().generation == 1


def test_a_batch_with_one_bad_input_starts_nothing():
    version = make.a_version(make.chain("noop", input_schema={"type": "object", "required": ["n"]}))

    with pytest.raises(RunRefused) as refused:
        start(version, NewRun({"n": 1}), NewRun({}))

    assert refused.value.field == "items[1].input"
    assert Run.unsafe_all_tenants.count() == 0


def test_a_start_whose_first_step_fails_at_once_gives_a_failed_run():
    bad = {"id": "a", "type": "transform", "params": {"set": {"x": "{{ input.no }}"}}}
    version = make.a_version(make.graph([bad, "b"], []))

    run_id = start(version, NewRun({}, "k"))[0].id

    assert make.run(run_id).status == "FAILED"
    assert make.statuses(run_id) == {"a": "FAILED", "b": "CANCELLED"}
    assert make.history(run_id)[0] == "RUN_STARTED"


def test_a_failed_start_can_be_resumed():
    bad = {"id": "a", "type": "transform", "params": {"set": {"x": "{{ input.no }}"}}}
    run_id = make.start(make.graph([bad, "b"], []))[0]

    make.resume(run_id)
    make.work()

    assert make.run(run_id).status == "FAILED"
    assert make.run(run_id).error["code"] == "ExpressionError"


def test_a_run_whose_business_key_has_passed_to_a_newer_run_is_not_resumed():
    version = make.a_version(make.graph([{"id": "a", "retry": "none"}], []))
    first = start(version, NewRun({}, "k"))[0]
    make.fail(*make.claimed())
    second = start(version, NewRun({}, "k"), if_exists="new_if_ended")[0]

    with pytest.raises(RunRefused) as refused:
        make.resume(first.id)

    assert (refused.value.code, refused.value.conflict) == ("key_taken", True)
    assert second.id in refused.value.message
    assert make.run(first.id).status == "FAILED"
    make.fail(*make.claimed())
    make.resume(second.id)
    assert make.run(second.id).status == "RUNNING"
