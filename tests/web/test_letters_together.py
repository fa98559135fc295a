"""Dead letters are retried or discarded together: selected or all that match, by a bulk job with a result for each."""

import pytest

from accounts.queries import member_principal
from operations.bulk import service, work
from operations.bulk.models import BulkItem, BulkJob
from runs.models import DeadLetter
from tests import factories as make
from tests.store.watching import watching

pytestmark = pytest.mark.django_db

PAGE, TOGETHER = "/operations/dead-letters", "/operations/dead-letters/together"


def dead(count=1, tenant=None, **node):
    """Open dead letters, one for each run."""
    make.start(make.graph([{"id": "a", "retry": "none", **node}], []), *[{}] * count, tenant=tenant)
    make.fail(*make.claimed())
    return list(DeadLetter.unsafe_all_tenants.filter(resolution=None).order_by("-id")[:count])


@pytest.fixture
def operator(client):
    client.force_login(make.a_member("olga", "operator"))
    return client


def open_letters():
    return DeadLetter.unsafe_all_tenants.filter(resolution=None).count()


def reviewed(client, verb, address=TOGETHER, **fields):
    """The page of the dry run, and its job."""
    answer = client.post(address, {"verb": verb, **fields}, follow=True)
    return answer.text, BulkJob.unsafe_all_tenants.latest("id")


def go(client, job, **fields):
    return client.post(f"/bulk-jobs/{job.pk}/go", fields, follow=True)


def results(job):
    return sorted(BulkItem.unsafe_all_tenants.filter(job_id=job.pk).values_list("result", "code"))


def test_the_selected_ones_are_reviewed_and_then_discarded_with_a_reason(operator):
    first, second, third = dead(3)
    page = operator.get(PAGE).text
    assert page.count('name="ids"') == 3
    assert page.count('aria-label="Select Do nothing (a)">') == 3
    review, dry = reviewed(operator, "discard", ids=[first.pk, second.pk])
    assert "Discard 2 of 2 dead letters?" in review
    assert open_letters() == 3

    assert go(operator, dry).status_code == 422
    assert open_letters() == 3
    done = go(operator, dry, reason="settled by phone").text
    assert "2 of 2 dead letters discarded" in done
    assert f"/runs/{first.run_id}" in done
    assert (
        DeadLetter.unsafe_all_tenants.filter(resolution="discarded", reason="settled by phone").count() == 2
    )
    # Who does it a second time reads who has done it.
    again = go(operator, dry, reason="once more").text
    assert "0 of 2 dead letters discarded" in again
    assert "already discarded by olga" in again
    assert third.pk in set(DeadLetter.unsafe_all_tenants.filter(resolution=None).values_list("pk", flat=True))


def test_all_that_match_are_retried_and_others_stay(operator):
    [letter] = dead(1)
    other = dead(1, type="text.clean")[0]
    workflow = make.run(letter.run_id).version.workflow.name
    review, dry = reviewed(operator, "retry", f"{TOGETHER}?query=workflow:{workflow}", all="1")
    assert "Retry 1 of 1 dead letter?" in review
    assert "1 of 1 dead letter retried" in go(operator, dry).text
    assert set(DeadLetter.unsafe_all_tenants.filter(resolution=None)) == {other}
    assert make.run(letter.run_id).status == "RUNNING"


def test_all_that_match_are_one_job_however_many_and_its_results_are_paged_and_filtered(
    operator, monkeypatch
):
    monkeypatch.setattr("operations.bulk.web.SHOWN", 2)
    dead(5)
    _, dry = reviewed(operator, "discard", all="1")
    assert dry.total == 5
    go(operator, dry, reason="known")
    job = BulkJob.unsafe_all_tenants.latest("id")
    assert results(job) == [("done", "")] * 5
    assert open_letters() == 0
    page = operator.get(f"/bulk-jobs/{job.pk}?result=done").text
    assert page.count('<td class="what">') == 2
    assert "cursor=" in page
    assert operator.get(f"/bulk-jobs/{job.pk}?result=refused").text.count('<td class="what">') == 0
    lines = operator.get(f"/bulk-jobs/{job.pk}?format=csv").getvalue().decode("utf-8-sig").splitlines()
    assert lines[0] == "Run,Dead letter or task,Result,Code,Step,Why,At"
    assert [line.split(",")[2] for line in lines[1:]] == ["done"] * 5
    refused = operator.get(f"/bulk-jobs/{job.pk}?format=csv&result=refused").getvalue().decode()
    assert len(refused.splitlines()) == 1


def test_more_than_a_job_takes_is_refused_on_the_page(operator, monkeypatch):
    monkeypatch.setattr("operations.bulk.letters.JOB_RUNS", 2)
    dead(3)
    answer = operator.post(TOGETHER, {"verb": "discard", "all": "1"}, follow=True)
    assert "This finds more than 2 dead letters: search for fewer." in answer.text
    assert not BulkJob.unsafe_all_tenants.exists()


def test_a_page_of_results_takes_as_many_statements_for_one_item_as_for_many(operator):
    dead(1)
    _, one = reviewed(operator, "discard", all="1")
    dead(9)
    _, many = reviewed(operator, "discard", all="1")
    for job in (one, many):
        operator.get(f"/bulk-jobs/{job.pk}")
    counts = []
    for job in (one, many):
        with watching() as statements:
            operator.get(f"/bulk-jobs/{job.pk}")
        counts.append(statements.trips)
    assert counts[0] == counts[1]


@pytest.mark.parametrize("role", ["viewer", "approver"])
def test_who_may_not_operate_selects_nothing(client, role):
    [letter] = dead()
    client.force_login(make.a_member("vera", role))
    page = client.get(PAGE)
    assert 'name="ids"' not in page.text
    assert client.post(TOGETHER, {"verb": "discard", "ids": [letter.pk]}).status_code == 403
    assert open_letters() == 1


def test_nothing_selected_and_a_search_that_can_not_be_read_say_so(operator):
    dead()
    for address, fields in ((TOGETHER, {}), (f"{TOGETHER}?query=colour:red", {"all": "1"})):
        answer = operator.post(address, {"verb": "discard", **fields}, follow=True)
        assert 'role="alert"' in answer.text or "No dead letter is selected" in answer.text
    assert open_letters() == 1


def test_each_step_that_asks_an_operator_is_tried_again_by_its_own_letter(operator):
    """Two steps of one run ask at once, and another one of it has failed beside them."""
    ask = {"retry": "none", "on_error": "ask"}
    definition = make.graph([{"id": "a", **ask}, {"id": "b", **ask}], [])
    (run,) = make.start(definition)
    make.fail(*make.claimed())
    letters = list(DeadLetter.unsafe_all_tenants.filter(run_id=run, resolution=None))
    assert len(letters) == 2

    _, dry = reviewed(operator, "retry", ids=[letter.pk for letter in letters])
    assert "2 of 2 dead letters retried" in go(operator, dry).text
    assert make.statuses(run) == {"a": "QUEUED", "b": "QUEUED"}
    assert open_letters() == 0


def test_two_letters_of_one_run_resume_it_once_and_both_are_done(operator):
    failing = {"retry": "none"}
    (run,) = make.start(make.graph([{"id": "a", **failing}, {"id": "b", **failing}], []))
    make.fail(*make.claimed())
    letters = list(DeadLetter.unsafe_all_tenants.filter(run_id=run, resolution=None))
    _, dry = reviewed(operator, "retry", all="1")
    go(operator, dry)
    job = BulkJob.unsafe_all_tenants.latest("id")
    assert results(job) == [("done", "")] * len(letters)
    assert len(make.events(run, "RUN_REOPENED")) + len(make.events(run, "RUN_RESUMED")) == 1
    by = DeadLetter.unsafe_all_tenants.filter(run_id=run).values_list("resolved_by__username", flat=True)
    assert set(by) == {"olga"}
    assert open_letters() == 0


def test_of_two_operators_at_once_the_second_reads_who_was_faster(operator, client):
    letters = dead(2)
    _, dry = reviewed(operator, "discard", all="1")
    other = make.a_member("otto", "operator")
    client.force_login(other)
    _, theirs = reviewed(client, "discard", all="1")
    go(client, theirs, reason="mine")
    page = go(client, theirs, reason="again").text
    assert page.count("already discarded by otto") >= 2
    assert service.counts_of(dry)["able"] == len(letters)


def test_what_a_worker_has_begun_another_one_ends(operator):
    dead(3)
    _, dry = reviewed(operator, "discard", all="1")
    job = service.go(member_principal(dry.tenant_id, "olga", "session"), dry.pk, reason="known")
    assert work.work(0.0) == 0
    assert results(job) == [("pending", "")] * 3
    work.work(60)
    assert results(job) == [("done", "")] * 3
