"""Resuming a tree of runs: what every child did is kept, with the idempotency keys that it had."""

import pytest

from runs.models import StepExecution
from tests import factories as make
from tests.runs.trees import (
    break_,
    children,
    container,
    do,
    ends_as,
    job,
    plain,
    settle,
    started,
    undone_nodes,
)

pytestmark = pytest.mark.django_db


def test_a_child_in_which_undoing_began_begins_anew_with_new_keys():
    run_id = started(container("subworkflow", job("charge"), plain("bad")))
    (before,) = do("charge")
    break_("bad")
    assert undone_nodes() == ["charge"]
    assert make.run(run_id).status == "FAILED"
    make.resume(run_id)
    settle()
    first, second = children(run_id)
    assert (first.status, second.status) == ("COMPENSATED", "RUNNING")
    (again,) = do("charge")
    assert again.run_id != before.run_id
    do("bad")
    ends_as(run_id, "COMPLETED")


def test_a_resume_keeps_what_every_child_did():
    """Fault 3: A fails, B completes its charge while it is cancelled; a resume charges neither again."""
    body = [{"id": "n", "type": "noop"}, plain("charge"), {"id": "z", "type": "noop"}]
    run_id = started(container("map", *body), run_input={"l": ["A", "B"]})
    first, second = make.claimed("charge")
    make.fail(first)
    settle()
    assert make.run(run_id).status == "FAILING"
    make.complete(second, output={"paid": True})
    settle()
    assert make.run(run_id).status == "FAILED"
    assert sorted(child.status for child in children(run_id)) == ["CANCELLED", "FAILED"]
    make.resume(run_id)
    settle()
    (again,) = make.claimed("charge")
    assert (again.run_id, again.id) == (first.run_id, first.id)
    make.complete(again, output={"paid": True})
    settle()
    assert len(children(run_id)) == 2
    assert StepExecution.unsafe_all_tenants.filter(node="charge").count() == 2
    ends_as(run_id, "COMPLETED")


def test_a_resume_keeps_what_a_subworkflow_did_beside_a_branch_that_failed():
    nodes = [container("subworkflow", plain("charge"), plain("ship")), plain("o")]
    (run_id,) = make.start(make.graph(nodes, []), {})
    settle()
    do("charge")
    break_("o")
    assert children(run_id)[0].status == "CANCELLED"
    make.resume(run_id)
    settle()
    do("ship")
    do("o")
    assert len(children(run_id)) == 1
    ends_as(run_id, "COMPLETED")


def test_a_child_that_completes_while_its_parent_fails_is_not_begun_again():
    nodes = [container("subworkflow", plain("charge")), plain("o")]
    (run_id,) = make.start(make.graph(nodes, []), {})
    settle()
    (charge,), (other,) = make.claimed("charge"), make.claimed("o")
    make.fail(other)
    make.complete(charge, output={})
    settle()
    assert make.run(run_id).status == "FAILED"
    make.resume(run_id)
    settle()
    do("o")
    assert [child.status for child in children(run_id)] == ["COMPLETED"]
    ends_as(run_id, "COMPLETED")
