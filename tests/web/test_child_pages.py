"""Pages of runs that begin others: linked both ways, listed by status, at a cost that does not grow."""

import re

import pytest

from runs.models import Run
from tests import factories as make
from tests.runs.test_items import failing_at
from tests.store.watching import trips_of_page
from workflows.models import Workflow

pytestmark = pytest.mark.django_db


def begun(count):
    """A run whose map began so many others, of which the first has failed."""
    child = make.a_version(make.chain("noop")).workflow.name
    body = {"type": "subworkflow", "params": {"workflow": child, "input": {"name": "Part {{ index }}"}}}
    given = {"items": list(range(count))}
    run_id = make.start(make.mapped(body, tolerate_failures=1), given)[0]
    make.work("engine")
    first, *others = sorted(make.claimed(), key=lambda step: step.id)
    make.fail(first)
    make.complete(*others)
    make.work()
    return run_id


def test_a_run_shows_what_it_began_and_that_where_it_comes_from(client, ann):
    client.force_login(ann)
    run_id = begun(7)
    page = client.get(f"/runs/{run_id}").text
    assert "Runs it started" in page
    assert "6 completed · 1 failed" in page
    assert page.count("<small>Part ") == 5
    assert f'href="/runs/{run_id}/children">All 7 of them' in page

    child = Run.unsafe_all_tenants.filter(parent_id=run_id).earliest("id")
    assert f'href="/runs/{run_id}"' in client.get(f"/runs/{child.pk}").text


def test_a_step_that_began_a_run_leads_to_it_while_that_goes_on_and_after(client, ann):
    client.force_login(ann)
    child = make.a_version(make.graph([{"id": "ask", "type": "job", "queue": "card"}], [])).workflow.name
    body = {"id": "sub", "type": "subworkflow", "params": {"workflow": child, "input": {}}}
    run_id = make.start(make.graph([body], []))[0]
    make.work("engine")
    (begun,) = make.children_of(run_id)
    link = f'href="/runs/{begun.pk}">Open its run</a>'
    assert link in client.get(f"/runs/{run_id}").text
    make.work()
    make.complete(*make.claimed("card"), output={})
    make.work("engine")
    assert make.run(run_id).status == "COMPLETED"
    assert link in client.get(f"/runs/{run_id}").text


def test_what_a_run_began_is_listed_by_status(client, ann):
    client.force_login(ann)
    run_id = begun(3)
    page = client.get(f"/runs/{run_id}/children").text
    assert page.count("<small>Part ") == 3
    failed = client.get(f"/runs/{run_id}/children?status=FAILED").text
    assert failed.count("<small>Part ") == 1
    assert client.get(f"/runs/{run_id}/children?status=nonsense").text.count("<small>Part ") == 3
    alone = make.start(make.chain("noop"))[0]
    make.work()
    assert "It has not started any runs" in client.get(f"/runs/{alone}/children").text


def test_a_run_that_follows_another_is_linked_both_ways(client, ann):
    client.force_login(ann)
    following = make.a_version(make.chain("noop")).workflow.name
    run_id = make.start(make.chain("noop", next_workflow=following), {"n": 1})[0]
    make.work()
    follower = Run.unsafe_all_tenants.get(follows=run_id)
    assert f'href="/runs/{follower.pk}"' in client.get(f"/runs/{run_id}").text
    assert f'href="/runs/{run_id}"' in client.get(f"/runs/{follower.pk}").text


def test_a_part_says_which_item_of_which_step_it_is(client, ann):
    client.force_login(ann)
    hold = {"id": "hold", "type": "signal", "params": {"name": "go"}}
    run_id = make.start(make.mapped({"steps": [hold]}), {"items": [5, 6]})[0]
    make.work()
    second = make.children_of(run_id)[1]
    page = client.get(f"/runs/{second.pk}").text
    workflow = make.run(run_id).version.workflow.name
    assert (
        f'title="{run_id}">{workflow}</a>, <a href="/runs/{run_id}/items/each?item=1#item">'
        "For each item (each), item 1</a>" in page
    )
    assert "vNone" not in page
    assert "vNone" not in client.get(f"/runs/{run_id}/children").text


def test_where_the_run_before_may_not_be_read_its_number_stands(client):
    locked = make.FolderFactory()
    child = make.a_version(make.chain("noop")).workflow.name
    body = {"id": "sub", "type": "subworkflow", "params": {"workflow": child, "input": {}}}
    run_id = make.start(make.graph([body], []))[0]
    make.work("engine")
    Workflow.unsafe_all_tenants.filter(pk=make.run(run_id).workflow_id).update(folder=locked)
    (begun,) = make.children_of(run_id)
    client.force_login(make.a_member("vera", "viewer"))
    page = client.get(f"/runs/{begun.pk}").text
    assert f'<code title="{run_id}">' in page
    assert ", sub" not in page


def test_they_cost_the_same_for_two_as_for_forty(client, ann):
    client.force_login(ann)
    few, many = begun(2), begun(40)
    assert trips_of_page(client, f"/runs/{few}") == trips_of_page(client, f"/runs/{many}") <= 18
    costs = [trips_of_page(client, f"/runs/{one}/children") for one in (few, many)]
    assert costs[0] == costs[1] <= 13


def test_a_grid_with_a_filter_and_one_item(client, ann):
    client.force_login(ann)
    run_id = failing_at(2, 5)
    page = client.get(f"/runs/{run_id}/items/each", {"item": 2}).text
    assert page.count('<span class="sr-only">Item ') == 5
    assert "1 failed" in page
    assert "division by zero" in page.lower() or "ExpressionError" in page
    failed = client.get(f"/runs/{run_id}/items/each?status=FAILED").text
    assert failed.count('<span class="sr-only">Item ') == 1
    assert client.get(f"/runs/{run_id}/items/nobody").status_code == 404
    plain = make.start(make.chain("noop"))[0]
    assert client.get(f"/runs/{plain}/items/a").status_code == 404
    assert f"/runs/{run_id}/items/each" in client.get(f"/runs/{run_id}").text


def test_a_page_of_items_costs_the_same_for_many(client, ann):
    client.force_login(ann)
    few, many = (
        trips_of_page(client, f"/runs/{failing_at(1, count)}/items/each?item=1") for count in (3, 40)
    )
    assert few == many <= 14


def test_the_page_of_an_item_that_failed_offers_nothing_that_would_be_refused(client, ann):
    client.force_login(ann)
    body = {"steps": [{"id": "cut", "type": "transform", "params": {"set": {"of": "{{ 10 / item }}"}}}]}
    run_id = make.start(make.mapped(body), {"items": [0]})[0]
    make.work()
    (part,) = make.children_of(run_id)
    page = client.get(f"/runs/{part.pk}")
    assert page.status_code == 200
    paths = re.findall(r'(?:href|action|hx-[a-z]+)="([^"?]*)', page.text)
    verbs = {"resume", "resume-on", "rerun", "retry", "skip"}
    # Whoever may operate: it goes on together with the run above.
    assert client.get(f"/api/v1/runs/{part.pk}").json()["verbs"] == ["resume"]
    assert not verbs & {path.rpartition("/")[2] for path in paths}
