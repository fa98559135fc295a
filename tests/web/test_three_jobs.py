"""Three jobs from a bare start, counted in presses; docs/design.md says what they take elsewhere."""

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Page, expect

from accounts import folders
from accounts.folders import Grant
from accounts.models import User
from tests import factories as make
from tests.inbox.asking import approval, member
from tests.web.presses import count_presses, presses
from tests.web.test_requests import OUTCOMES, SCHEMA

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}


@pytest.fixture
def page_of(stranger, site):
    """A page of somebody who is logged in, on a phone."""

    def open_page(name: str, path: str) -> Page:
        client = Client()
        client.force_login(User.objects.get(username=name))
        context = stranger.page.context
        session = client.cookies[settings.SESSION_COOKIE_NAME].value
        context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": site}])
        page = context.new_page()
        page.set_viewport_size(PHONE)
        count_presses(page)
        page.goto(path)
        return page

    return open_page


def test_somebody_asks_two_approve_on_a_phone_and_who_asked_sees_why(page_of):
    money = folders.create_folder(member("boss", "admin"), "Money", [Grant(("start",), "requester")])
    make.GroupFactory(name="Claims")
    asks = approval(candidates={"groups": ["Claims"]}, outcomes=OUTCOMES, quorum=2)
    workflow = make.a_version(asks | {"input_schema": SCHEMA}).workflow
    workflow.title, workflow.folder = "A refund", money
    workflow.save()
    member("rita", "requester")
    for name in ("ben", "cleo"):
        member(name, "approver", "Claims")

    page = page_of("rita", "/")
    page.get_by_role("link", name="A refund").click()
    page.get_by_label("Sum in euros").fill("40")
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_url("**/requests/*")
    address, asked = page.url, presses(page)
    make.work()
    decided = 0
    for name in ("ben", "cleo"):
        page = page_of(name, "/inbox/")
        page.get_by_role("link", name="Refund 40 EUR?").click()
        page.locator("#comment").fill(f"Fine, says {name}.")
        page.get_by_role("button", name="Approve").click()
        expect(page.get_by_text("“Refund 40 EUR?”: Approve.").first).to_be_visible()
        decided += presses(page)
    make.work()
    page = page_of("rita", address)
    expect(page.get_by_role("status").get_by_text("Done")).to_be_visible()
    expect(page.get_by_text("Fine, says ben.")).to_be_visible()
    expect(page.get_by_text("Fine, says cleo.")).to_be_visible()
    assert presses(page) == 0
    assert asked <= 3
    assert decided <= 2 * 3
