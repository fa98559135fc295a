"""Pages of a run show its tree: what is above it, what is below, and one press leads to what it waits for."""

import pytest
from playwright.sync_api import expect

from accounts.models import Membership
from runs.models import Run
from tasks_inbox.models import ManualTask
from tests import factories as make
from tests.inbox.asking import decide, member
from tests.inbox.onboarding import GIVEN, onboarding
from tests.store.watching import trips_of_page
from tests.web.axe import faults_by_day_and_night
from tests.web.test_requests import own_request

ASK = {"id": "ask", "type": "human.approval", "params": {"title": "OK?", "candidates": {"roles": ["admin"]}}}
EACH = {"steps": [ASK, {"id": "x", "type": "noop"}], "edges": [{"from": "ask", "to": "x", "default": True}]}


def started(version, given):
    (run_id,) = make.start_version(version, given)
    make.work()
    return run_id


def test_a_run_leads_down_to_what_it_waits_for_and_up_again(client, ann, transactional_db):
    client.force_login(ann)
    root = started(onboarding(), GIVEN)
    page = client.get(f"/runs/{root}").text
    first, second = Run.unsafe_all_tenants.filter(parent_id=root).order_by("id")
    for child in (first, second):
        assert f'href="/runs/{child.pk}?step=ask#inspector"' in page
    assert "Mail account" in page
    assert "an admin to decide “Open an account in Wiki for Lea Vogt?”" in page
    below = client.get(f"/runs/{first.pk}").text
    assert 'aria-label="Place in its tree"' in below
    assert f'<a href="/runs/{root}">Employee onboarding</a>' in below
    assert '<span aria-current="page">Mail account</span>' in below


def test_items_are_among_what_is_below_and_a_page_costs_the_same_for_many(client, ann, transactional_db):
    client.force_login(ann)

    def cost(items):
        root = make.start(make.mapped(EACH), {"items": [*range(items)]})[0]
        make.work()
        page = client.get(f"/runs/{root}").text
        assert page.count('<td class="what">') == min(items, 5)
        child = Run.unsafe_all_tenants.filter(parent_id=root).earliest("id")
        assert "For each item (each), item 0" in client.get(f"/runs/{child.pk}").text
        assert client.get(f"/runs/{root}/children").text.count('<td class="what">') == items
        paths = (f"/runs/{root}", f"/runs/{root}/children", f"/runs/{child.pk}")
        return [trips_of_page(client, path) for path in paths]

    # From the size on from which the page says that there are more.
    assert cost(6) == cost(30)


def test_pages_of_a_run_call_an_item_by_its_index(client, ann, transactional_db):
    client.force_login(ann)
    root = started(make.a_version(make.mapped(EACH)), {"items": [1, 2]})
    second = Run.unsafe_all_tenants.filter(parent_id=root).latest("id")
    assert "<td>For each item (each), item 1</td>" in client.get(f"/runs/{root}").text
    below = client.get(f"/runs/{second.pk}").text
    assert '<span aria-current="page">For each item (each), item 1</span>' in below
    assert f"/runs/{root}/items/each?item=1#item" in below
    items = client.get(f"/runs/{root}/items/each?item=1").text
    assert 'aria-label="Item 1"' in items
    assert "an admin to decide “OK?”" in items


def test_of_what_may_not_be_read_a_page_tells_the_place_and_no_link(client, ann, transactional_db):
    client.force_login(ann)
    root = started(onboarding(), GIVEN)
    child = Run.unsafe_all_tenants.filter(parent_id=root).earliest("id")
    child.version.workflow.folder = make.FolderFactory()
    child.version.workflow.save()
    page = client.get(f"/runs/{root}").text
    assert "Mail account › step ask" in page
    assert f"/runs/{child.pk}?step" not in page
    assert "Open an account in Mail" not in page


def test_a_person_asked_in_a_child_run_takes_time_of_people_of_the_root(client, ann, transactional_db):
    client.force_login(ann)
    root = started(onboarding(), GIVEN)
    assert client.get(f"/runs/{root}").context["times"].people > 0
    child = Run.unsafe_all_tenants.filter(parent_id=root).earliest("id")
    for_both = [client.get(f"/runs/{run}").context["times"].people for run in (child.pk, root)]
    assert for_both[1] >= for_both[0]


@pytest.mark.browser
def test_a_requester_sees_in_the_browser_who_has_an_onboarding_and_that_it_was_refused(visitor, ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="operator")
    page = visitor.page
    version = onboarding()
    run_id = own_request(version, "ann", GIVEN)
    page.set_viewport_size({"width": 390, "height": 844})
    visitor.open(f"/requests/{run_id}")
    expect(page.get_by_role("status").get_by_text("Waiting for an admin")).to_be_visible()
    assert not visitor.scrolls_sideways()
    visitor.open(f"/runs/{run_id}")
    assert not visitor.scrolls_sideways()
    assert faults_by_day_and_night(page) == []
    page.get_by_role("list", name="What it waits for").get_by_role("link").first.click()
    expect(page.get_by_role("heading", name="Open an account", level=1)).to_be_visible()
    expect(page.get_by_role("navigation", name="Place in its tree")).to_contain_text("Mail account")
    assert not visitor.scrolls_sideways()
    page.get_by_role("link", name="Employee onboarding").first.click()
    expect(page.get_by_role("heading", name="Runs it started")).to_be_visible()
    boss = member("boss", "admin")
    for task in ManualTask.unsafe_all_tenants.filter(status="OPEN").order_by("id"):
        decide(boss, task, "rejected", comment="No licence is left.")
    make.work()
    visitor.open(f"/requests/{run_id}")
    expect(page.get_by_role("status").get_by_text("Refused")).to_be_visible()
    expect(page.get_by_text("No licence is left.").first).to_be_visible()


@pytest.mark.browser
def test_the_cards_of_a_run_with_children_stand_apart_and_what_they_wait_for_has_room(visitor, ann):
    page = visitor.page
    root = started(make.a_version(make.mapped(EACH)), {"items": [*range(8)]})
    visitor.open(f"/runs/{root}")
    card = page.get_by_role("region", name="Runs it started")
    above = page.locator("#look").bounding_box()
    assert card.bounding_box()["y"] - (above["y"] + above["height"]) >= 10
    now = card.get_by_role("cell", name="Waits for an admin").first
    assert now.bounding_box()["height"] < 80
    assert card.get_by_role("cell", name="For each item (each), item 0").bounding_box()["height"] < 80
    assert faults_by_day_and_night(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    for view in ("graph", "timeline", "story"):
        visitor.open(f"/runs/{root}?view={view}")
        assert not visitor.scrolls_sideways()
        assert faults_by_day_and_night(page) == []
