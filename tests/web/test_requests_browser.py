"""Somebody with a phone asks for something, and sees who has it and why it was refused."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, expect

from accounts import folders
from accounts.folders import Grant
from accounts.models import Membership
from runs.models import Run
from tests import factories as make
from tests.inbox.asking import decide, member, task_of
from tests.web.axe import faults_by_day_and_night
from tests.web.test_requests import refund

pytestmark = pytest.mark.browser


@contextmanager
def slowly(page: Page) -> Iterator[None]:
    """On a phone that is a quarter as quick. To be slow takes all of a core, also of a page that waits or is looked at
    by axe: while something is pressed and comes is enough.
    """
    processor = page.context.new_cdp_session(page)
    processor.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    yield
    processor.detach()


@pytest.mark.exhaustive
def test_a_requester_finds_asks_follows_and_sees_why_not_on_a_slow_phone(visitor, ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="requester")
    boss = member("boss", "admin")
    refund(folders.create_folder(boss, "Money", [Grant(("start",), "requester")]))
    page = visitor.page
    page.set_viewport_size({"width": 390, "height": 844})
    visitor.open("/")
    expect(page.get_by_role("heading", name="Requests", level=1)).to_be_visible()
    expect(page.get_by_role("link", name="Workflows")).to_have_count(0)
    page.get_by_label("Search what you can ask for").fill("money")
    page.get_by_role("button", name="Search").click()
    assert not visitor.scrolls_sideways()
    assert faults_by_day_and_night(page) == []
    with slowly(page):
        page.get_by_role("link", name="A refund").click()
        page.get_by_label("Sum in euros").fill("40")
        page.get_by_role("button", name="Start", exact=True).click()
        page.wait_for_url("**/requests/*")
    make.work()
    expect(page.get_by_text("Waiting for the group Claims")).to_be_visible(timeout=15_000)
    assert not visitor.scrolls_sideways()
    assert faults_by_day_and_night(page) == []
    (run,) = Run.unsafe_all_tenants.all()
    decide(member("ben", "approver", "Claims"), task_of(run.pk), "rejected", comment="There is no receipt.")
    make.work()
    # The page follows by itself.
    expect(page.get_by_text("There is no receipt.")).to_be_visible(timeout=15_000)
    # It asks every five seconds, and may have done so before the run had ended.
    expect(page.get_by_role("status").get_by_text("Refused")).to_be_visible(timeout=15_000)
    assert faults_by_day_and_night(page) == []
    visitor.open("/requests/")
    expect(page.get_by_role("link", name="A refund Sum in euros: 40")).to_be_visible()
    assert not visitor.scrolls_sideways()
    assert faults_by_day_and_night(page) == []
