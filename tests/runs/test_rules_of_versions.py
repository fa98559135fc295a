"""A run goes by the rules of its version, also in items; one that is moved goes by those of its new version."""

import pytest

from runs.integrity.verify import verify
from runs.models import Run
from tests import factories as make
from tests.inbox.asking import decide, member, task_of

pytestmark = pytest.mark.django_db

ASK = {"id": "ask", "type": "human.approval", "params": {"title": "Pay?"}}
TO_PAY = {"from": "ask", "to": "pay", "branch": "approved"}
PARTLY = make.graph([ASK, "pay"], [TO_PAY])
BARE = make.graph([ASK, "pay"], ["ask>pay"])


def started(definition, rules):
    version = make.VersionFactory(workflow__draft_definition={**definition, "name": "pay"}, rules=rules)
    (run_id,) = make.start_version(version, {})
    make.work()
    return run_id


def refused(run_id):
    """The run, and how its steps ended, after somebody has refused."""
    decide(member("eve"), task_of(run_id), "rejected", comment="No.")
    make.work()
    return make.run(run_id), make.statuses(run_id)


def test_an_outcome_without_an_edge_ends_the_run_by_the_new_rules():
    run_id = started(PARTLY, 2)
    run, steps = refused(run_id)
    assert (run.status, run.output, steps) == ("COMPLETED", None, {"ask": "COMPLETED", "pay": "SKIPPED"})
    assert list(verify([run_id])) == []


def test_by_the_first_rules_it_fails_as_it_did():
    run_id = started(PARTLY, 1)
    run, steps = refused(run_id)
    assert (run.status, run.error["code"], steps) == ("FAILED", "NoBranchMatched", {"ask": "FAILED"})
    assert list(verify([run_id])) == []


def test_an_edge_for_every_outcome_of_an_old_version_is_taken_as_it_was():
    run_id = started(BARE, 1)
    run, steps = refused(run_id)
    assert (run.status, steps) == ("COMPLETED", {"ask": "COMPLETED", "pay": "COMPLETED"})
    assert list(verify([run_id])) == []


def test_a_run_that_is_moved_to_a_new_version_goes_by_its_rules():
    run_id = started(BARE, 1)
    make.migrate(run_id, make.newer(run_id, PARTLY))
    run, steps = refused(run_id)
    assert (run.status, steps) == ("COMPLETED", {"ask": "COMPLETED", "pay": "SKIPPED"})
    assert list(verify([run_id])) == []


@pytest.mark.parametrize(("rules", "status"), [(1, "FAILED"), (2, "COMPLETED")])
def test_items_go_by_the_rules_of_the_version_that_has_them(rules, status):
    body = {"steps": [ASK, {"id": "pay", "type": "noop"}], "edges": [TO_PAY]}
    each = {"id": "each", "type": "map", "params": {"items": [1], "body": body}}
    run_id = started(make.graph([each], []), rules)
    part = Run.unsafe_all_tenants.get(parent_id=run_id)
    decide(member("eve"), task_of(part.pk), "rejected", comment="No.")
    make.work()
    assert [make.run(part.pk).status, make.run(run_id).status] == [status, status]
    assert list(verify([run_id, str(part.pk)])) == []
