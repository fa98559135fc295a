"""A list with an approval by mouse: built, started, found by its items, decided, and found by what it is part of."""

import pytest
from playwright.sync_api import expect

from accounts.models import Membership
from tests import factories as make
from tests.web.builder import Builder
from tests.web.hands import Mouse

pytestmark = pytest.mark.browser


@pytest.fixture
def page(visitor, ann):
    """What Ann has before her, an admin."""
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="admin")
    visitor.page.emulate_media(reduced_motion="reduce")
    visitor.open("/")
    return visitor.page


def choose(page, kind, title):
    """A step from the list that lies open, and its title."""
    page.locator(".add-dialog [role=option]", has=page.get_by_text(kind, exact=True)).first.click()
    expect(page.locator("[data-title]")).to_be_focused()
    page.locator("[data-title]").fill(title)


def build(page):
    """Two steps within a third, and nothing is typed but what people read."""
    hands = Mouse(page)
    page.get_by_role("button", name="Add the first step").click()
    choose(page, "For each item", "Look at each")
    hands.text("Items", "{{ input.deliveries }}")
    hands.press("Add the first step")
    choose(page, "Set values", "Name it")
    hands.pairs("Values", {"what": "{{ item }}"})
    page.get_by_role("button", name="Add after").click()
    choose(page, "Ask for an approval", "Take it")
    hands.text("Question", "Take {{ prev.what }}?")


@pytest.mark.exhaustive
def test_a_list_with_an_approval_is_built_run_decided_and_looked_at(visitor, page):
    page.get_by_role("button", name="New workflow").click()
    page.get_by_label("Title").fill("Check deliveries")
    page.get_by_role("button", name="Open the builder").click()
    page.wait_for_url("**/edit")
    builder = Builder(visitor, visitor.path().split("/")[2], is_open=True)
    build(page)
    [each] = builder.saved()["nodes"]
    assert [step["title"] for step in each["params"]["body"]["steps"]] == ["Name it", "Take it"]
    page.get_by_role("button", name="Publish").click()
    page.get_by_role("dialog").get_by_role("button", name="Publish").click()
    page.get_by_role("link", name="Start version 1").click()
    page.get_by_label("Input as JSON").fill('{"deliveries": ["Flour", "Sugar"]}')
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_url("**/runs/*")
    run = page.url
    make.work()
    page.get_by_role("link", name="0 of 2 items", exact=True).click()
    page.get_by_role("link", name="Item 1, waiting").click()
    page.locator("#item").get_by_role("link", name="Open its run").click()
    page.get_by_role("link", name="Go to the task").click()
    expect(page.locator("#task-title")).to_have_text("Take Sugar?")
    page.get_by_role("button", name="Approve").click()
    make.work()
    page.goto(run)
    page.get_by_role("link", name="1 of 2 items", exact=True).click()
    expect(page.get_by_role("link", name="Item 0, waiting")).to_be_visible()
    page.get_by_role("link", name="Item 1, completed").click()
    page.locator("#item").get_by_role("link", name="Open its run").click()
    page.get_by_role("link", name="Look at each, item 1").click()
    expect(page.locator("#item")).to_contain_text("approved")
