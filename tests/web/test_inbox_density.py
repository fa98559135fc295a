"""How many tasks one screen of the inbox shows, and that its views stand in one line."""

import pytest
from playwright.sync_api import expect

from accounts.models import Membership, User
from tests import factories as make
from tests.inbox.asking import approval, asked

pytestmark = pytest.mark.browser

_WHOLE = """() => [...document.querySelectorAll("#inbox-list [data-task]")].filter((row) => {
    const at = row.getBoundingClientRect();
    return at.top >= 0 && at.bottom <= innerHeight;
}).length"""


def test_a_screen_shows_so_many_tasks(visitor, ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="approver")
    for number in range(17):
        asked(approval(title=f"May contract {number} be paid?", due_seconds=172_800))
    visitor.page.set_viewport_size({"width": 1440, "height": 900})
    for density, least in (("compact", 14), ("comfortable", 10)):
        User.objects.filter(pk=ann.pk).update(density=density)
        visitor.open("/inbox/")
        expect(visitor.page.locator("#inbox-list [data-task]")).to_have_count(17)
        assert visitor.page.evaluate(_WHOLE) >= least, density
        tops = visitor.page.locator(".views > a").evaluate_all(
            "all => [...new Set(all.map(one => one.offsetTop))]"
        )
        assert len(tops) == 1, density
    visitor.page.get_by_text("More", exact=True).click()
    visitor.page.get_by_role("link", name="Watching").click()
    expect(visitor.page.locator("#views-more > summary")).to_have_text("Watching")
