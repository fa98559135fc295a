"""All tasks of a list of the inbox: what is to be done, for which it is possible, and the result for each."""

import pytest

from operations.bulk.models import BulkJob
from tasks_inbox.models import ManualTask
from tests import factories as make
from tests.inbox.asking import approval, asked
from tests.store.watching import watching

pytestmark = pytest.mark.django_db

MATCHING = "/inbox/matching"


@pytest.fixture
def ann(client):
    client.force_login(make.a_member("ann", "approver"))
    return client


def several(count):
    make.start(approval(facts={"City": "Vienna"}), *({"amount": n} for n in range(count)))
    make.work()


def test_all_tasks_of_a_list_are_reviewed_with_their_facts_and_decided(ann):
    several(3)
    assert MATCHING in ann.get("/inbox/?view=teams").text
    page = ann.get(f"{MATCHING}?view=teams&filter=refund").text
    assert "Decide: Approve" in page
    assert "Assign" not in page
    review = ann.post(f"{MATCHING}?view=teams&filter=refund", {"verb": "outcome:approved"}, follow=True)
    assert review.redirect_chain[0][0].startswith("/inbox/bulk-jobs/")
    assert "Decide 3 of 3 tasks?" in review.text
    assert "City: Vienna" in review.text
    assert ManualTask.unsafe_all_tenants.filter(status="OPEN").count() == 3
    job = BulkJob.unsafe_all_tenants.latest("id")
    done = ann.post(f"/inbox/bulk-jobs/{job.pk}/go", {}, follow=True)
    assert "3 of 3 tasks decided" in done.text
    assert ManualTask.unsafe_all_tenants.filter(status="COMPLETED", decided_by="ann").count() == 3


def test_another_decider_finds_no_such_job(ann, client):
    several(1)
    ann.post(MATCHING, {"verb": "claim"})
    job = BulkJob.unsafe_all_tenants.latest("id")
    client.force_login(make.a_member("rita", "requester"))
    assert client.get(f"/inbox/bulk-jobs/{job.pk}").status_code == 404
    assert client.post(f"/inbox/bulk-jobs/{job.pk}/go", {}).status_code == 404


def test_what_is_missing_is_said_at_its_field(client):
    client.force_login(make.a_member("olga", "operator"))
    several(1)
    for fields, words in (
        ({}, "Choose what to do."),
        ({"verb": "assign"}, "needs this"),
        ({"verb": "assign", "assignee": "nobody"}, "nobody"),
        ({"verb": "outcome:rejected"}, "0 of 1 task"),
    ):
        answer = client.post(MATCHING, fields, follow=True)
        assert words in answer.text, fields
    asked(approval(title="Another?"))
    assert "those of one step" in client.get(MATCHING).text
    assert "bad-text" in client.get(f"{MATCHING}?filter=colour:red").text


def test_the_page_takes_as_many_statements_for_few_tasks_as_for_many(ann):
    counts, version = [], make.a_version(approval())
    for count in (1, 9):
        make.start_version(version, *({"amount": n} for n in range(count)))
        make.work()
        ann.get(MATCHING)
        with watching() as statements:
            ann.get(MATCHING)
        counts.append(statements.trips)
    assert counts[0] == counts[1]


def test_results_of_selected_tasks_are_kept(ann):
    several(2)
    ids = list(ManualTask.unsafe_all_tenants.values_list("pk", flat=True))
    ann.post("/inbox/bulk/do", {"ids": ids, "action": "claim"})
    job = BulkJob.unsafe_all_tenants.get()
    page = ann.get(f"/inbox/bulk-jobs/{job.pk}").text
    assert "2 of 2 tasks claimed" in page
