"""Verbs for many runs that need a version or somebody: the form, what would become of each run, and the job."""

import pytest

from operations.bulk import work
from tests import factories as make
from tests.inbox.asking import approval, member, task_of
from tests.operations.bulk.test_jobs import NEW, waiting
from tests.store.watching import watching

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(client):
    client.force_login(make.a_member("ops", "operator"))
    return client


def asked(count):
    run_ids = make.start(approval(candidates={"groups": ["Refunds"]}), *[{"amount": 40}] * count)
    make.work()
    return run_ids


def test_the_tasks_of_all_runs_that_match_are_given_to_somebody_after_a_look(operator):
    run_ids = asked(2)
    member("ann", "approver", "Refunds")
    name = make.run(run_ids[0]).version.workflow.name
    together = f"/runs/together?workflow={name}&status="
    with watching() as seen:
        page = operator.post(together, {"verb": "reassign", "all": "1"}).text
    assert seen.trips <= 12
    for words in ("Reassign tasks", f"workflow:{name}", "Refunds", "nothing is changed yet"):
        assert words in page, words
    given = {"verb": "reassign", "all": "1", "confirm": "1"}
    wrong = operator.post(together, given | {"assignee": "nobody"})
    assert (wrong.status_code, "“nobody” is not a member." in wrong.text) == (422, True)
    assert operator.post(together, given).status_code == 422
    looked = operator.post(together, given | {"assignee": "ann"})
    work.work(60)
    page = operator.get(looked.url).text
    for words in ("Reassign tasks of 2 of 2 runs?", "To ann.", "Nothing is done yet."):
        assert words in page, words
    done = operator.post(f"{looked.url}/go", {"reason": "bob has left"})
    work.work(60)
    assert "2 of 2 runs reassigned" in operator.get(done.url).text
    assert {task_of(run).assignee for run in run_ids} == {"ann"}
    assert "to ann" in operator.get("/bulk-jobs").text


def test_selected_runs_go_on_with_a_version_after_a_look(operator):
    run_ids = waiting(3)
    version = make.newer(run_ids[0], NEW)
    selected = {"verb": "migrate", "runs": ",".join(run_ids[:2])}
    with watching() as seen:
        page = operator.post("/runs/together", selected).text
    assert seen.trips <= 12
    for words in ("Move runs to another version", "2 selected runs", "v2"):
        assert words in page, words
    assert operator.post("/runs/together", selected | {"confirm": "1"}).status_code == 422
    assert operator.post("/runs/together", selected | {"confirm": "1", "version": "9"}).status_code == 422
    looked = operator.post("/runs/together", selected | {"confirm": "1", "version": "2"})
    work.work(60)
    assert "2 of 2 runs fit" in operator.get(looked.url).text
    done = operator.post(f"{looked.url}/go", {"reason": "a fix"})
    work.work(60)
    assert "2 of 2 runs moved" in operator.get(done.url).text
    assert [make.run(run).version.number for run in run_ids] == [2, 2, 1]
    assert "Runs moved: to v2" in operator.get(f"/workflows/{version.workflow.name}/move-runs").text
    assert "to v2" in operator.get("/bulk-jobs").text


def test_runs_of_several_workflows_have_no_version_in_common(operator):
    run_ids = [*waiting(1), *asked(1)]
    selected = {"verb": "migrate", "runs": ",".join(run_ids)}
    page = operator.post("/runs/together", selected, follow=True).text
    assert "Versions are of one workflow" in page
    everything = operator.post("/runs/together?status=open", {"verb": "migrate", "all": "1"}, follow=True)
    assert "Versions are of one workflow" in everything.text
    nothing = operator.post("/runs/together", {"verb": "reassign"}, follow=True)
    assert "No run is selected." in nothing.text


def test_over_the_api_each_field_is_told_of(operator):
    run_ids = asked(1)
    member("ann", "approver", "Refunds")
    name = make.run(run_ids[0]).version.workflow.name

    def post(**given):
        query = {"verb": "reassign", "query": f"workflow:{name}", **given}
        return operator.post("/api/v1/bulk-jobs", query, content_type="application/json")

    for given, field in (
        ({}, "assignee"),
        ({"assignee": "nobody"}, "assignee"),
        ({"group": "nobodies"}, "group"),
        ({"verb": "migrate"}, "version"),
        ({"verb": "migrate", "version": "2"}, "version"),
        ({"verb": "migrate", "version": 0}, "version"),
        ({"verb": "migrate", "version": 7}, "version"),
        ({"verb": "cancel", "assignee": "ann"}, "assignee"),
        ({"verb": "migrate", "version": 1, "query": "status:open"}, "query"),
        ({"to": "ann"}, "to"),
    ):
        answer = post(**given)
        assert (answer.status_code, answer.json()["error"]["field"]) == (400, field), (given, answer.text)
    answer = post(group="Refunds", dry_run=True).json()
    assert (answer["verb"], answer["group"], answer["total"]) == ("reassign", "Refunds", 1)
    work.work(60)
    assert operator.get(f"/api/v1/bulk-jobs/{answer['id']}").json()["able"] == 1
