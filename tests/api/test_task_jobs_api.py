"""All tasks that a search finds are decided over REST: reviewed first, by whoever began it alone."""

import pytest

from operations.bulk import work
from tasks_inbox.models import ManualTask
from tests import factories as make
from tests.inbox.asking import approval

pytestmark = pytest.mark.django_db

JOBS = "/api/v1/tasks/bulk-jobs"
DECIDE = {"verb": "decide", "outcome": "approved", "comment": "fine"}


def asked(tenant, count):
    make.start(approval(), *[{"amount": 40}] * count, tenant=tenant)
    make.work()


def test_decisions_are_reviewed_and_then_made_each_with_its_result(people):
    asked(people.tenant(), 3)
    ann, other = people.client("approver"), people.client("operator")
    refused = ann.post(JOBS, DECIDE, format="json")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "not_reviewed")
    dry = ann.post(JOBS, DECIDE | {"dry_run": True}, format="json")
    assert dry.status_code == 202
    work.work(60)
    address = f"{JOBS}/{dry.json()['id']}"
    assert dry["Location"] == address
    assert ann.get(address).json()["able"] == 3
    assert other.get(address).status_code == 404
    assert other.post(f"{address}/go", {}, format="json").status_code == 404
    job = ann.post(f"{address}/go", {}, format="json").json()
    work.work(60)
    shown = ann.get(f"{JOBS}/{job['id']}?result=done").json()
    assert (shown["done"], len(shown["results"])) == (3, 3)
    assert {row["task"] for row in shown["results"]} == {
        str(pk)
        for pk in ManualTask.unsafe_all_tenants.filter(status="COMPLETED").values_list("pk", flat=True)
    }
    assert ann.post(f"{JOBS}/{job['id']}/cancel", {}, format="json").status_code == 409


def test_who_may_not_decide_begins_no_job_and_other_tenants_tasks_are_not_found(people):
    asked(people.tenant(), 1)
    assert people.client("viewer").post(JOBS, {"verb": "claim"}, format="json").status_code == 403
    theirs = people.client("approver", tenant="theirs")
    assert theirs.post(JOBS, {"verb": "claim"}, format="json").json()["total"] == 0


def test_results_of_a_small_selection_are_kept(people):
    asked(people.tenant(), 2)
    ann = people.client("approver")
    ids = [str(pk) for pk in ManualTask.unsafe_all_tenants.values_list("pk", flat=True)]
    answer = ann.post("/api/v1/tasks/bulk", {"action": "claim", "ids": ids}, format="json").json()
    kept = ann.get(f"{JOBS}/{answer['bulk_job']}").json()
    assert (kept["verb"], kept["done"], {row["task"] for row in kept["results"]}) == ("claim", 2, set(ids))
