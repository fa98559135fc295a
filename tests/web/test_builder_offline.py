"""Edits in the builder without a network: kept in the browser, told, saved later, removed by who logs out (R-243)."""

import pytest
from playwright.sync_api import Page, expect

from accounts.models import Membership, User
from tests import factories as make
from tests.web.builder import Builder
from tests.web.conftest import log_in
from workflows.models import Workflow

pytestmark = pytest.mark.browser

ONE = {"name": "notes", "title": "Notes", "nodes": [{"id": "first", "type": "text.clean", "title": "First"}]}
DRAFTS = "Object.keys(localStorage).filter((name) => name.startsWith('handoff-draft:'))"
FULL = "() => { Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); } }"
LOGGED_OUT = "**/login*"


@pytest.fixture
def builder(visitor, ann) -> Builder:
    """The builder of a workflow of one step, as an author sees it."""
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    make.a_workflow("notes", ONE)
    visitor.forgive("ERR_INTERNET_DISCONNECTED")
    return Builder(visitor, "notes")


def state(page: Page):
    return page.locator(".save-state")


def write(builder: Builder, text: str) -> None:
    builder.row_of("first").click()
    builder.page.locator("[data-title]").fill(text)
    expect(builder.page.locator("[data-waiting='0']")).to_have_count(0)


def title() -> str:
    return Workflow.objects.for_tenant(make.a_tenant().pk).get().draft_definition["nodes"][0]["title"]


def write_unsaved(builder: Builder, text: str) -> None:
    """Edit while no edit reaches the server."""
    builder.page.context.route("**/draft", lambda route: route.abort("internetdisconnected"))
    write(builder, text)
    expect(state(builder.page)).to_contain_text("kept in this browser")


def leave_unsaved(builder: Builder, text: str) -> Page:
    """The same, and leave; gives the page, elsewhere."""
    page = builder.page
    write_unsaved(builder, text)
    page.goto("/workflows/")
    page.context.unroute("**/draft")
    assert title() == "First"
    return page


def test_edits_that_reach_no_server_outlive_a_reload_and_are_saved_when_it_is_back(builder):
    page = builder.page
    write_unsaved(builder, "Written in a tunnel")
    assert len(page.evaluate(DRAFTS)) == 1
    page.reload()
    expect(builder.row("Written in a tunnel")).to_be_visible()
    expect(state(page)).to_contain_text("kept in this browser")
    assert title() == "First"
    page.context.unroute("**/draft")
    assert builder.saved()["nodes"][0]["title"] == "Written in a tunnel"
    page.wait_for_function(f"!{DRAFTS}.length")


def test_who_only_comes_back_into_the_network_is_told_that_all_is_saved(builder):
    page = builder.page
    page.context.set_offline(True)
    expect(state(page)).to_contain_text("Offline. Your edits are kept in this browser")
    page.context.set_offline(False)
    expect(page.locator("[data-state=saved]")).to_be_visible()


def test_a_browser_whose_storage_is_full_says_so_and_warns_who_leaves(builder):
    page = builder.page
    page.evaluate(FULL)
    page.context.set_offline(True)
    write(builder, "In the tab alone")
    expect(state(page)).to_contain_text("in this tab only")
    page.context.set_offline(False)
    expect(page.locator("[data-state=saved][data-waiting='0']")).to_be_visible()
    assert title() == "In the tab alone"


def test_who_logs_out_is_asked_about_unsaved_edits_and_leaves_none(builder, site, ann):
    page = leave_unsaved(builder, "Never sent")
    log_out = page.get_by_role("button", name="Log out", exact=True)
    log_out.click()
    dialog = page.locator("#unsaved")
    expect(dialog).to_contain_text("not saved yet")
    dialog.get_by_role("button", name="Stay logged in").click()
    assert len(page.evaluate(DRAFTS)) == 1
    log_out.click()
    dialog.get_by_role("button", name="Discard and log out").click()
    page.wait_for_url(LOGGED_OUT)
    assert page.evaluate(DRAFTS) == []
    assert title() == "First"
    log_in(ann, page.context, site)
    page.goto("/workflows/notes/edit")
    expect(page.locator("[data-state=saved][data-waiting='0']")).to_be_visible()
    assert title() == "First"


def test_who_logs_out_leaves_the_edits_of_others(builder, site):
    page = leave_unsaved(builder, "Of Ann")
    make.a_member("ben", "author")
    log_in(User.objects.get(username="ben"), page.context, site)
    page.goto("/workflows/")
    page.get_by_role("button", name="Log out", exact=True).click()
    page.wait_for_url(LOGGED_OUT)
    assert len(page.evaluate(DRAFTS)) == 1
