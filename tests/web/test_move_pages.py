"""Pages by which open runs go on with another version (R-010)."""

import re

import pytest
from playwright.sync_api import expect

from accounts.models import Membership
from operations.bulk import work
from runs.reading import queries
from tests import factories as make
from tests.store.watching import trips_of_page

SIGNAL = {"id": "b", "type": "signal", "params": {"name": "paid"}}
OLD = make.graph([SIGNAL, "c"], ["b>c"])
NEW = make.graph([SIGNAL, "x", "c"], ["b>x", "x>c"])


def waiting(count):
    run_ids = make.start(OLD, *[{"name": f"Order {n}"} for n in range(count)])
    make.work()
    return run_ids


@pytest.fixture
def operator(client):
    client.force_login(make.a_member("ops", "operator"))
    return client


@pytest.mark.django_db
def test_a_run_is_moved_by_a_form_that_says_before_which_versions_fit(operator):
    (run_id,) = waiting(1)
    assert f"/runs/{run_id}/migrate" in operator.get(f"/runs/{run_id}").text
    assert "no other version" in operator.get(f"/runs/{run_id}/migrate").text
    make.newer(run_id, NEW)
    make.newer(run_id, make.graph(["c"], []))

    page = operator.get(f"/runs/{run_id}/migrate").text
    assert "Compatible." in page
    assert "Wait for a signal (b) is in progress, but this version has no such step." in page
    assert operator.post(f"/runs/{run_id}/migrate", {"version": "3"}).status_code == 422
    assert operator.post(f"/runs/{run_id}/migrate", {}).status_code == 422
    assert operator.post(f"/runs/{run_id}/migrate", {"version": "2", "reason": "why"}).status_code == 302

    assert make.run(run_id).version.number == 2


@pytest.mark.django_db
def test_the_form_says_before_which_times_would_be_others(operator):
    wait = {"id": "w", "type": "wait", "params": {"duration": "P1D"}}
    run_id = make.start(make.graph([wait], []), {})[0]
    make.work()
    make.newer(run_id, make.graph([{**wait, "params": {"duration": "PT2S"}}], []))
    page = operator.get(f"/runs/{run_id}/migrate").text
    assert re.search(r"Wait \(w\), wait: <time[^>]*>[^<]+</time> → <time", page)


@pytest.mark.django_db
def test_many_runs_are_moved_by_a_job_that_is_looked_at_before(operator):
    run_ids = waiting(3)
    version = make.newer(run_ids[0], NEW)
    name = version.workflow.name
    assert f"/workflows/{name}/move-runs" in operator.get(f"/workflows/{name}/").text
    asked = operator.post(f"/workflows/{name}/move-runs", {"before": "1", "after": "2"})
    assert (asked.status_code, make.run(run_ids[0]).version.number) == (302, 1)
    assert """second from:body" hx-headers='{"Handoff-Automatic": "1"}'""" in operator.get(asked.url).text
    work.work(60)
    page = operator.get(asked.url).text
    assert "3 of 3 runs fit" in page
    assert "second from:body" not in page

    assert operator.post(f"{asked.url}/go", {"reason": ""}).status_code == 422
    job = operator.post(f"{asked.url}/go", {"reason": "a fix"})
    work.work(60)

    page = operator.get(job.url).text
    assert "3 of 3 runs moved" in page
    assert "Reason: a fix" in page
    assert {make.run(run_id).version.number for run_id in run_ids} == {2}
    assert "No run with this result" not in operator.get(f"{job.url}?result=moved").text


@pytest.mark.django_db
def test_a_job_is_stopped_and_is_among_those_that_were_asked_before(operator):
    run_ids = waiting(3)
    name = make.newer(run_ids[0], NEW).workflow.name
    asked = operator.post(f"/workflows/{name}/move-runs", {"before": "1", "after": "2"})
    assert f"{asked.url}/stop" in operator.get(asked.url).text

    page = operator.post(f"{asked.url}/stop", follow=True).text

    assert "stopped it: 3 runs were left." in page
    assert f"{asked.url}/stop" not in page
    assert "It was already over." in operator.post(f"{asked.url}/stop", follow=True).text
    assert "3 runs, stopped" in operator.get(f"/workflows/{name}/move-runs").text


@pytest.mark.django_db
def test_where_nothing_is_open_the_page_says_so(operator):
    (run_id,) = waiting(1)
    name = make.run(run_id).version.workflow.name
    assert "There is no other version" in operator.get(f"/workflows/{name}/move-runs").text
    make.newer(run_id, NEW)
    assert operator.post(f"/workflows/{name}/move-runs", {"before": "2", "after": "2"}).status_code == 422
    make.cancel(run_id)
    assert "No run is open" in operator.get(f"/workflows/{name}/move-runs").text


@pytest.mark.django_db
def test_who_may_only_look_is_offered_nothing(client):
    (run_id,) = waiting(1)
    client.force_login(make.a_member("eve", "viewer"))
    assert f"/runs/{run_id}/migrate" not in client.get(f"/runs/{run_id}").text
    assert "move-runs" not in client.get(f"/workflows/{make.run(run_id).version.workflow.name}/").text


@pytest.mark.django_db
def test_the_page_of_a_job_costs_the_same_for_many_runs(operator):
    costs = []
    for count in (2, 20):
        run_ids = waiting(count)
        version = make.newer(run_ids[0], NEW)
        asked = operator.post(f"/workflows/{version.workflow.name}/move-runs", {"before": "1", "after": "2"})
        work.work(10)
        costs.append(trips_of_page(operator, asked.url))
    assert costs[0] == costs[1]


_HIDDEN = """(hidden) => {
    Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.mark.browser
def test_the_page_of_a_job_that_nobody_sees_asks_nothing_and_catches_up(visitor, ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="operator")
    run_ids = waiting(2)
    version = make.newer(run_ids[0], NEW)
    page, asked = visitor.page, []
    page.clock.install()
    visitor.open(f"/workflows/{version.workflow.name}/move-runs")
    page.get_by_label("To", exact=True).select_option("2")
    page.get_by_role("button", name="See which fit").click()
    page.wait_for_url("**/bulk-jobs/*")
    with page.expect_request("**/bulk-jobs/*"):
        page.clock.run_for(1_000)
    page.evaluate(_HIDDEN, True)
    work.work(30)
    page.on("request", lambda request: asked.append(request.url))
    page.clock.run_for(10_000)
    assert asked == []
    page.evaluate(_HIDDEN, False)
    expect(page.get_by_role("heading", name="2 of 2 runs fit")).to_be_visible()


@pytest.mark.browser
def test_fifty_waiting_runs_are_moved_of_which_three_can_not(visitor, ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="operator")
    run_ids = waiting(50)
    version = make.newer(run_ids[0], NEW)
    for run_id in run_ids[:3]:
        make.send(run_id, "paid")
    make.claimed()
    page = visitor.page
    visitor.open(f"/workflows/{version.workflow.name}/move-runs")
    expect(page.get_by_label("From", exact=True)).to_contain_text("50 open runs")
    page.get_by_label("To", exact=True).select_option("2")
    page.get_by_role("button", name="See which fit").click()
    page.wait_for_url("**/bulk-jobs/*")
    work.work(30)

    expect(page.get_by_role("heading", name="47 of 50 runs fit")).to_be_visible()
    expect(page.locator("li", has_text=re.compile(r"^3 Do nothing \(c\) is being worked on"))).to_be_visible()
    page.get_by_label("Reason").fill("A step was missing")
    page.get_by_role("button", name="Move 47 runs").click()
    work.work(30)
    expect(page.get_by_role("heading", name="47 of 50 runs moved")).to_be_visible()
    page.get_by_role("link", name="Refused 3").click()
    expect(page.get_by_role("row")).to_have_count(4)
    assert {make.run(run_id).version.number for run_id in run_ids[3:]} == {2}
    assert queries.open_runs_by_version(version.workflow, most=None) == {
        make.run(run_ids[0]).version_id: 3,
        version.pk: 47,
    }
