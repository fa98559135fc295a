"""Two people on one draft see one another, and talk about its steps."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from accounts.models import AccountMail, User
from tests import factories as make
from tests.web.axe import faults_by_day_and_night
from tests.web.builder import Builder
from tests.web.test_builder_together import TWO, logged_in

pytestmark = pytest.mark.browser
NAMES = {"ana": "Ana Weber", "ben": "Ben Meier"}


@pytest.fixture
def both(site, chromium, transactional_db) -> Iterator[tuple[Builder, Builder]]:
    """Ana Weber and Ben Meier, each with a browser, on the same draft."""
    make.a_workflow("ours", TWO)
    visitors = [logged_in(site, chromium, name) for name in NAMES]
    for username, name in NAMES.items():
        User.objects.filter(username=username).update(name=name)
    yield tuple(Builder(visitor, "ours") for visitor in visitors)
    for visitor in visitors:
        visitor.page.context.close()
        assert visitor.complaints() == []


def test_two_see_one_another_one_says_something_that_mentions_the_other_who_resolves_it(both):
    ana, ben = both
    ben.row("Second").click()
    expect(ana.page.locator(".here [role=status]")).to_have_text("Ben Meier is here too", timeout=15_000)
    expect(ana.row("Second").locator(".at-step .avatar")).to_have_text("BM", timeout=15_000)
    expect(ana.card("Second").locator(".at-step .avatar")).to_have_text("BM")

    ana.row("First").click()
    ana.page.keyboard.press("m")
    field = ana.page.get_by_role("textbox", name="Comment")
    expect(field).to_be_focused()
    ana.page.keyboard.type("Why this, @be")
    expect(ana.page.get_by_role("option", name="Ben Meier")).to_be_visible()
    ana.page.keyboard.press("Enter")
    expect(field).to_have_value("Why this, @ben ")
    ana.page.keyboard.press("Control+Enter")
    expect(ana.page.locator(".said-text")).to_have_text("Why this, @ben")
    assert faults_by_day_and_night(ana.page, ".builder") == []
    mails = AccountMail.objects.for_tenant(make.a_tenant().pk)
    assert list(mails.values_list("user__username", "kind")) == [("ben", "mentioned")]

    expect(ben.row("First").locator(".outline-comments")).to_contain_text("1 open comment", timeout=15_000)
    # As the mail leads to it.
    ben.visitor.open("/workflows/ours/edit?step=first")
    expect(ben.page.get_by_role("textbox", name="Reply")).to_be_focused()
    ben.page.get_by_role("button", name="Resolve").click()
    expect(ben.page.locator(".outline-comments")).to_have_count(0)
    expect(ana.page.locator(".outline-comments")).to_have_count(0, timeout=15_000)
    ana.page.get_by_role("tab", name="Comments").click()
    ana.page.get_by_role("button", name="Resolved (1)").click()
    expect(ana.page.locator(".all-comments .thread footer")).to_contain_text("Resolved by Ben Meier")
    assert faults_by_day_and_night(ana.page, ".builder-bottom") == []

    ben.page.goto("about:blank")
    expect(ana.page.locator(".here [role=status]")).to_have_text("", timeout=15_000)
