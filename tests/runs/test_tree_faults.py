"""What random trees of runs have brought to light (`test_tree_properties`), each as small as it can be."""

import pytest

from runs.commands.lifecycle import cancel_runs
from runs.kernel.refused import RunRefused
from runs.models import StepExecution
from tests import factories as make
from tests.runs.fleet import LONG_AGO
from tests.runs.test_tree_saga import (
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


@pytest.mark.parametrize("body", [plain("do"), {"steps": [plain("do")]}], ids=["a step", "steps"])
def test_nothing_of_a_container_stays_open_that_is_skipped_as_the_last_step(body):
    each = {"id": "m", "type": "map", "params": {"items": [1, 2], "body": {**body}}}
    each["params"]["body"].pop("id", None)
    run_id = started(each)
    make.claimed("do", limit=1)
    make.skip(run_id, "m", {})
    settle()
    assert [child.status for child in make.children(run_id, "m")] == ["CANCELLED", "CANCELLED"]
    for step in StepExecution.unsafe_all_tenants.filter(status="RUNNING"):
        make.change(str(step.pk), lease_expires_at=LONG_AGO)
    make.leases_lost()
    settle()
    ends_as(run_id, "COMPLETED")


def test_content_that_a_compensation_of_its_container_stood_for_is_not_undone_by_a_run_above():
    undo = {"type": "job", "queue": "undo", "retry": "none"}
    inner = {**container("map", job("charge"), compensate=undo), "id": "inner"}
    inner["params"]["items"] = [1]
    run_id = started(job("a"), {**container("subworkflow", inner, plain("bad")), "id": "outer"})
    for queue in ("a", "charge"):
        do(queue)
    break_("bad")
    assert undone_nodes() == ["inner", "a"]
    ends_as(run_id, "COMPENSATED")


@pytest.mark.parametrize("how", ["fails", "is cancelled"])
def test_a_child_is_not_resumed_below_what_was_undone(how):
    run_id = started(
        job("a"), container("subworkflow", plain("bad"), job("charge"), on_error="continue"), plain("o")
    )
    do("a")
    break_("bad")
    if how == "fails":
        break_("o")
    else:
        cancel_runs(make.a_tenant().pk, [run_id], by="test", compensate=True)
        settle()
    assert undone_nodes() == ["a"]
    with pytest.raises(RunRefused):
        make.resume(str(children(run_id)[0].pk))
    ends_as(run_id, "COMPENSATED" if how == "fails" else "CANCELLED")
