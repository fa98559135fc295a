"""The page of two runs side by side, and how one comes to it."""

import re

import pytest
from playwright.sync_api import expect

from tests import factories as make
from tests.store.watching import trips_of_page
from tests.web.axe import faults_by_day_and_night
from workflows.models import Workflow

pytestmark = pytest.mark.django_db


def two(*inputs, steps=2):
    """Runs of a version that have ended."""
    version = make.a_version(make.chain(*["noop"] * steps))
    runs = make.start_version(version, *inputs)
    make.work()
    return runs


def test_a_run_leads_to_runs_of_its_workflow_and_to_what_is_different(client, ann):
    client.force_login(ann)
    left, right = two({"name": "Ada"}, {"name": "Bo"})
    assert f'href="/runs/{left}/compare"' in client.get(f"/runs/{left}").text
    asks = client.get(f"/runs/{left}/compare").text
    assert f'<option value="{right}"' in asks
    assert f'<option value="{left}"' not in asks
    answer = client.get(f"/runs/{left}/compare?with={right}")
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/runs/{left}/compare/{right}")
    page = client.get(answer.headers["Location"]).text
    assert "They were started with different input (<code>name</code>)." in page
    assert "First difference" in page
    assert "Ada" in page
    assert f'href="/runs/{right}/compare/{left}"' in page


def test_completed_runs_are_offered_first(client, ann):
    client.force_login(ann)
    version = make.a_version(make.chain("noop"))
    mine, done = make.start_version(version, 1, 2)
    make.work()
    (still,) = make.start_version(version, 3)
    asks = client.get(f"/runs/{mine}/compare").text
    assert asks.index(f'<option value="{done}"') < asks.index(f'<option value="{still}"')


def test_a_run_without_others_says_so(client, ann):
    client.force_login(ann)
    (alone,) = two(1)
    assert "There is no other run of this workflow" in client.get(f"/runs/{alone}/compare").text
    assert "There is no difference" in client.get(f"/runs/{alone}/compare/{alone}").text


def test_what_is_no_run_is_told_at_the_field(client, ann):
    client.force_login(ann)
    (run_id,) = two(1)
    for asked in ("nonsense", "00000000-0000-7000-8000-000000000000", "%00"):
        answer = client.get(f"/runs/{run_id}/compare?with={asked}")
        assert (answer.status_code, "There is no run with this id." in answer.text) == (404, True)


@pytest.mark.parametrize("door", ["/runs/{}/compare/{}", "/api/v1/runs/{}/compare/{}"])
def test_both_runs_must_be_readable(client, door):
    locked = make.FolderFactory()
    (open_run,), (shut,) = two(1), two(1)
    Workflow.unsafe_all_tenants.filter(pk=make.run(shut).workflow_id).update(folder=locked)
    client.force_login(make.a_member("vera", "viewer"))
    assert client.get(door.format(open_run, open_run)).status_code == 200
    assert client.get(door.format(open_run, shut)).status_code == 404
    assert client.get(door.format(shut, open_run)).status_code == 404
    assert client.get(f"/runs/{open_run}/compare?with={shut}").status_code == 404


def test_it_costs_the_same_for_two_steps_as_for_thirty(client, ann):
    client.force_login(ann)
    few, many = two(1, 2), two(*range(30), steps=30)
    costs = [trips_of_page(client, f"/runs/{left}/compare/{right}") for left, right, *_ in (few, many)]
    assert costs[0] == costs[1] <= 13
    costs = [trips_of_page(client, f"/runs/{left}/compare") for left, *_ in (few, many)]
    assert costs[0] == costs[1] <= 13


def test_a_failure_is_told_beside_what_completed_on_any_screen(visitor):
    divide = make.chain("noop", "transform", "noop")
    divide["nodes"][1] |= {"params": {"set": {"share": "{{ 100 / int(input.n) }}"}}, "retry": "none"}
    left, right = make.start_version(make.a_version(divide), {"n": 0}, {"n": 4})
    make.work()
    visitor.open(f"/runs/{left}")
    visitor.page.get_by_label("More actions").click()
    visitor.page.get_by_role("link", name="Compare…").click()
    visitor.page.get_by_role("button", name="Compare").first.click()
    page = visitor.page
    expect(page).to_have_url(re.compile(f"/runs/{left}/compare/{right}$"))
    expect(page.locator("#said")).to_contain_text(
        "The paths diverge where “Set values (b)” failed in A and completed in B."
    )
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert faults_by_day_and_night(page, widths=(390, 1440)) == []
